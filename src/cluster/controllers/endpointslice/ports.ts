// The ports of endpoints: which number a Service port has on a Pod. Pure.

import type { Container, Pod, Service } from '#kinds'
import { portNumber } from '../endpoint-rules.ts'
import { type EndpointPort, inOrder, portKey } from '../endpoint-slices.ts'

/** The Service's ports as they are on this pod; a named port that the pod does not have is left out. */
function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  const ports = (service.spec.ports ?? []).flatMap((port) => {
    const protocol = port.protocol ?? 'TCP'
    const number = portNumber(pod, port.targetPort ?? port.port, protocol)
    if (number === undefined) return []
    return [
      {
        name: port.name ?? '',
        protocol,
        port: number,
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ]
  })
  return inOrder(ports)
}

interface KeyedPorts {
  readonly ports: readonly EndpointPort[]
  readonly portKey: string
}

/** By the containers that they are ports of, which the pods of one owner share. */
const remembered = new WeakMap<readonly Container[], { readonly service: Service; readonly keyed: KeyedPorts }>()

/** The ports with their key: the same for all pods that a Service selects of one owner. */
export function keyedPorts(service: Service, pod: Pod): KeyedPorts {
  const { containers, initContainers } = pod.spec
  const known = initContainers === undefined ? remembered.get(containers) : undefined
  if (known?.service === service) return known.keyed
  const ports = portsOf(service, pod)
  const keyed = { ports, portKey: portKey(ports) }
  if (initContainers === undefined) remembered.set(containers, { service, keyed })
  return keyed
}
