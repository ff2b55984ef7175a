// The devices that a node's plug-ins offer, as its kubelet hands them out when it takes a pod (devicemanager/manager.go): to
// one container after the other. Pure.

import { amountOf, type Container, isSidecar, type Pod } from '#kinds'
import type { NodeRuntime } from './node-runtime.ts'
import type { Rejection } from './rejection.ts'

/** Devices are counted by what containers are limited to. */
const limitOf = ({ resources }: Container, resource: string): number =>
  amountOf(resource, resources?.limits?.[resource] ?? 0)

/** Why a container would not get its devices; undefined when all of them do. */
export function deviceFault({ spec }: Pod, node: NodeRuntime): Rejection | undefined {
  for (const [resource, offered] of Object.entries(node.facts().resources)) {
    const healthy = amountOf(resource, offered)
    const used = node.extendedInUse(resource)
    let taken = 0
    // What init containers had is given on to those that come after them.
    let reusable = 0
    for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
      const wanted = limitOf(container, resource)
      if (wanted === 0) continue
      if (healthy === 0) return unexpected(`no healthy devices present; cannot allocate unhealthy devices ${resource}`)
      const needed = Math.max(0, wanted - reusable)
      const available = healthy - used - taken
      if (needed > available)
        return unexpected(
          `requested number of devices unavailable for ${resource}. Requested: ${needed}, Available: ${available}`,
        )
      taken += needed
      const isInit = spec.initContainers?.includes(container) === true && !isSidecar(container)
      reusable = isInit ? Math.max(reusable, wanted) : Math.max(0, reusable - wanted)
    }
  }
  return undefined
}

const unexpected = (why: string): Rejection => ({
  reason: 'UnexpectedAdmissionError',
  message: `Allocate failed due to ${why}, which is unexpected`,
})
