// One sync window of a project: what is wrong with it, and whether it is open. As in Argo CD a window is a thing of the
// wall clock: it is open from each time of its schedule until the clocks of its zone show that much more. Clocks that are
// put forward shorten it, and one that would open in an hour that does not exist is open for what remains of it. Pure.

import { ScheduleError, type ScheduleTimes, type SyncWindow, scheduleOf, zoneOffsetMs } from '#kinds'
import { DurationError, parseGoDuration } from '#objects'

export interface WindowState {
  readonly open: boolean
  /** World time at which to look again: it opens or closes, or clocks are changed. Undefined: it never opens. */
  readonly until?: number
}

export interface WindowTimes {
  stateAt(now: number): WindowState
}

export class WindowFault extends Error {
  override readonly name = 'WindowFault'
}

const longestDescription = 255

/** Throws a WindowFault, in Argo CD's words where it has some. */
export function windowTimes(window: SyncWindow): WindowTimes {
  const { kind = '', description = '', timeZone = '' } = window
  if (kind !== 'allow' && kind !== 'deny') throw new WindowFault(`kind '${kind}' mismatch: can only be allow or deny`)
  if (description.length > longestDescription)
    throw new WindowFault(`description must not exceed ${longestDescription} characters`)
  const schedule = readSchedule(window.schedule ?? '')
  const lengthMs = readDuration(window.duration ?? '')
  const zone = timeZone === '' ? 'UTC' : timeZone
  try {
    zoneOffsetMs(zone, 0)
  } catch (error) {
    throw new WindowFault(`unknown time zone ${zone}`, { cause: error })
  }
  return remembering((now) => stateAt({ schedule, lengthMs, zone }, now))
}

function readSchedule(text: string): ScheduleTimes {
  const fault = (why: string): WindowFault => new WindowFault(`cannot parse schedule '${text}': ${why}`)
  if (text.startsWith('@')) throw fault(`parser does not accept descriptors: ${text}`)
  if (/^(CRON_)?TZ=/.test(text)) throw fault('cannot use TZ or CRON_TZ in schedule, use timeZone instead')
  try {
    return scheduleOf(text)
  } catch (error) {
    if (error instanceof ScheduleError) throw fault(error.message)
    throw error
  }
}

function readDuration(text: string): number {
  const fault = (why: string): WindowFault => new WindowFault(`cannot parse duration '${text}': ${why}`)
  try {
    const lengthMs = parseGoDuration(text)
    if (lengthMs <= 0) throw fault('it must be longer than 0')
    return lengthMs
  } catch (error) {
    if (error instanceof DurationError) throw fault(error.message)
    throw error
  }
}

/** A state holds until it ends, and thousands of applications ask for the same one. */
function remembering(look: (now: number) => WindowState): WindowTimes {
  let last: { readonly from: number; readonly state: WindowState } | undefined
  return {
    stateAt(now) {
      if (last === undefined || now < last.from || now >= (last.state.until ?? Number.POSITIVE_INFINITY))
        last = { from: now, state: look(now) }
      return last.state
    },
  }
}

interface Parts {
  /** Read as if the clocks on the wall showed UTC. */
  readonly schedule: ScheduleTimes
  readonly lengthMs: number
  readonly zone: string
}

function stateAt({ schedule, lengthMs, zone }: Parts, now: number): WindowState {
  const wall = now + zoneOffsetMs(zone, now)
  // A schedule fires at whole minutes: one that fired exactly a length ago has just closed.
  const start = schedule.next(wall - lengthMs)
  if (start === undefined) return { open: false }
  return start > wall
    ? { open: false, until: whenWallShows(zone, start, now) }
    : { open: true, until: whenWallShows(zone, endOf(schedule, start, lengthMs), now) }
}

/** So many openings are put together where each comes before the last one has closed. */
const mostOpenings = 100

function endOf(schedule: ScheduleTimes, start: number, lengthMs: number): number {
  let end = start + lengthMs
  for (let openings = 0; openings < mostOpenings; openings++) {
    const next = schedule.next(end - lengthMs)
    if (next === undefined || next > end) break
    end = next + lengthMs
  }
  return end
}

/** When clocks will show a time; if they are changed before that, the moment of the change, to look again then. */
function whenWallShows(zone: string, wall: number, now: number): number {
  const offset = zoneOffsetMs(zone, now)
  const at = wall - offset
  if (zoneOffsetMs(zone, at) === offset) return at
  let [before, after] = [now, at]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zoneOffsetMs(zone, middle) === offset) before = middle
    else after = middle
  }
  return after
}
