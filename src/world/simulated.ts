// A world in virtual time: what is done to it runs at once, and its course depends on nothing else but the seed.

import { silentLog } from './log.ts'
import { seededRandom } from './random.ts'
import { type ClockOptions, SimulatedClock } from './simulated-clock.ts'
import type { Log, World } from './world.ts'

const defaultLimitMs = 3_600_000

export interface SimulatedWorldOptions extends ClockOptions {
  readonly log?: Log
}

export interface RunOptions {
  /** Virtual time after which the condition counts as never coming true; default one hour. */
  readonly limitMs?: number
}

export interface SimulatedWorld extends World {
  readonly seed: string
  /** Runs until the condition holds (it is tried after every task); throws when the limit is over or nothing is left to run. */
  run(until: () => boolean, options?: RunOptions): Promise<void>
  /** Runs everything due in the next `ms` of virtual time, and leaves the clock there. */
  advance(ms: number): Promise<void>
  /** Runs everything that can run without moving the clock. */
  settle(): Promise<void>
  /** Starts `work` and runs the world until it has settled. */
  drive<T>(work: () => Promise<T>, options?: RunOptions): Promise<T>
  traceHash(): string
  /** How many tasks have run. */
  readonly tasks: number
}

/** A world whose course depends on nothing but `seed` and what is done to it. */
export function simulatedWorld(seed: string | number, options: SimulatedWorldOptions = {}): SimulatedWorld {
  const text = String(seed)
  const random = seededRandom(text)
  const clock = new SimulatedClock(random.fork('order of tasks'), options)

  const run = async (until: () => boolean, { limitMs = defaultLimitMs }: RunOptions = {}): Promise<void> => {
    const outcome = await clock.run(until, clock.now() + limitMs)
    if (outcome === 'held') return
    const why = outcome === 'limit' ? `within ${limitMs / 1000} s of virtual time` : 'and nothing is left to run'
    throw new Error(`the condition did not come to hold ${why} (seed ${text}, ${new Date(clock.now()).toISOString()})`)
  }

  return {
    seed: text,
    clock,
    random,
    log: options.log ?? silentLog,
    run,
    async advance(ms) {
      const endAt = clock.now() + ms
      await clock.run(() => false, endAt)
      clock.moveTo(endAt)
    },
    async settle() {
      await clock.run(() => false, clock.now())
    },
    async drive(work, runOptions) {
      let settled = false
      const promise = work().finally(() => {
        settled = true
      })
      promise.catch(() => undefined)
      await run(() => settled, runOptions)
      return promise
    },
    traceHash: () => clock.trace.hash(),
    get tasks() {
      return clock.trace.tasks
    },
  }
}
