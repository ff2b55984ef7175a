// The ports of the host that a pod takes, and whether they clash with those that are taken.

import type { PodSpec } from '../generated/types.ts'
import { rememberedByContainers } from './remembered.ts'
import { isSidecar } from './resources.ts'

export interface HostPort {
  readonly protocol: string
  readonly ip: string
  readonly port: number
}

const everywhere = '0.0.0.0'

/** Ports of containers and sidecars; other init containers do not keep theirs. */
export const hostPortsOf: (spec: PodSpec) => readonly HostPort[] = rememberedByContainers((spec) =>
  [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers].flatMap((container) =>
    (container.ports ?? [])
      .filter((port) => (port.hostPort ?? 0) > 0)
      .map((port) => ({
        protocol: port.protocol ?? 'TCP',
        ip: port.hostIP === undefined || port.hostIP === '' ? everywhere : port.hostIP,
        port: port.hostPort ?? 0,
      })),
  ),
)

export const portsClash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere)
