// The world that a process lives in that serves people: real time, as its clock has it.

import { randomBytes } from 'node:crypto'
import { jsonLog, type LogLevel } from './log.ts'
import { seededRandom } from './random.ts'
import { SystemClock } from './system-clock.ts'
import type { Log, World } from './world.ts'

export interface SystemWorldOptions {
  /** World seconds per real second. */
  readonly speed?: number
  /** Makes chance (names, uids, jitter) repeatable; the order of tasks in real time is not. */
  readonly seed?: string
  readonly log?: Log
  readonly logLevel?: LogLevel | 'silent'
  /** World time at the start, in milliseconds since the epoch; default: now. */
  readonly startAt?: number
  /** Called with what a task threw; default: logged. */
  readonly onFailure?: (error: unknown, name: string) => void
}

export interface SystemWorld extends World {
  readonly speed: number
  readonly paused: boolean
  setSpeed(speed: number): void
  /** Stops world time and the run queue; requests from outside are still answered. */
  pause(): void
  resume(): void
  /** While paused: runs one task, or moves the time to the next timer and runs that. False when there was nothing to run. */
  step(): boolean
  /** Drops all timers and queued tasks. */
  close(): void
}

/** The world that the daemon lives in. */
export function systemWorld(options: SystemWorldOptions = {}): SystemWorld {
  const onFailure =
    options.onFailure ??
    ((error: unknown, name: string): void => log.error(`task ${name} failed`, { error: String(error) }))
  const clock = new SystemClock(options.speed ?? 1, options.startAt, onFailure)
  const log =
    options.log ??
    jsonLog({ now: () => clock.now(), ...(options.logLevel === undefined ? {} : { level: options.logLevel }) })
  return {
    clock,
    log,
    random: seededRandom(options.seed ?? randomBytes(16).toString('hex')),
    get speed() {
      return clock.speed
    },
    get paused() {
      return clock.paused
    },
    setSpeed: (speed) => clock.setSpeed(speed),
    pause: () => clock.pause(),
    resume: () => clock.resume(),
    step: () => clock.step(),
    close: () => clock.close(),
  }
}
