// Whether a node is ready by what its kubelet knows of the container runtime and of the network (kubelet/runtime.go). Pure.

import { goDuration } from '../ground/go-text.ts'
import { isReady, type Readiness } from './node-object.ts'
import type { Silence } from './troubles.ts'

/** A runtime that has been silent for so long is down. */
const downMs = 30_000
/** Without a listing for so long, nobody knows what containers do. */
const staleMs = 180_000

export interface HealthFindings {
  readonly runtime: Silence | undefined
  readonly network: string | undefined
}

export function readinessOf({ runtime, network }: HealthFindings, now: number): Readiness {
  if (runtime === undefined && network === undefined) return isReady
  const silentMs = runtime === undefined ? 0 : now - runtime.since
  const errors = [
    ...(silentMs < downMs ? [] : ['container runtime is down']),
    ...(silentMs < staleMs
      ? []
      : [`PLEG is not healthy: pleg was last seen active ${goDuration(silentMs)} ago; threshold is 3m0s`]),
    ...(network === undefined ? [] : [network]),
  ]
  const [only] = errors
  if (only === undefined) return isReady
  return { ready: false, message: errors.length === 1 ? only : `[${errors.join(', ')}]` }
}

const garbageMs = 60_000

/** Once a minute old containers are to be removed: whether that has been due since the node was looked at last. */
export const garbageDue = ({ since }: Silence, lastAt: number, now: number): boolean =>
  Math.floor((now - since) / garbageMs) > Math.floor(Math.max(0, lastAt - since) / garbageMs)
