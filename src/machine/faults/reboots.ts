// When a Fault has nodes go down and start anew: pure. The phase of its status is all the memory that there is: nodes are
// down while it says Rebooting.

import type { Fault, FaultStatus } from '#kinds'
import { formatTime, parseTime } from '#objects'

export const rebooting = 'Rebooting'
const usualDownSeconds = 60

export interface Reboot {
  /** What the status says of it from now on. */
  readonly status: Pick<FaultStatus, 'reboots' | 'lastRebootTime'>
  readonly isDown: boolean
  /** Until something is due; infinite when nothing is. */
  readonly nextMs: number
}

export const isRebooting = ({ spec, status }: Fault): boolean =>
  spec.nodeReboot !== undefined && status?.phase === rebooting

/** Begins or ends a reboot that is due. */
export function decideReboot({ spec, status = {} }: Fault, now: number): Reboot | undefined {
  const { nodeReboot } = spec
  if (nodeReboot === undefined) return undefined
  const downMs = (nodeReboot.downSeconds ?? usualDownSeconds) * 1000
  const everyMs = (nodeReboot.everySeconds ?? Number.POSITIVE_INFINITY) * 1000
  const { reboots = 0, lastRebootTime } = status
  const last = parseTime(lastRebootTime)
  const isDown = status.phase === rebooting
  if (last === undefined || (!isDown && now >= last + everyMs))
    return { status: { reboots: reboots + 1, lastRebootTime: formatTime(now) }, isDown: true, nextMs: downMs }
  const said = { reboots, ...(lastRebootTime === undefined ? {} : { lastRebootTime }) }
  if (isDown && now < last + downMs) return { status: said, isDown: true, nextMs: last + downMs - now }
  return { status: said, isDown: false, nextMs: Math.max(last + everyMs - now, 1) }
}
