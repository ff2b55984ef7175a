// The clock of a world in virtual time. Tasks run one at a time, in an order drawn from the seed; each has run out (its promise
// continuations included) before the next begins. When nothing can run, the clock jumps to the next timer. While work
// outside of the world is awaited nothing else runs, and its answer arrives as a task at a fixed virtual delay.
// The same seed and input give the same trace, byte for byte.

import { abortableSleep } from './sleep.ts'
import { Timers } from './timers.ts'
import { Trace } from './trace.ts'
import type { Cancel, Clock, Random } from './world.ts'

const defaultStart = Date.UTC(2026, 0, 1)
const outsideDelayMs = 1
/** More tasks than this at one instant of virtual time are taken for a loop without end. */
const usualTasksPerInstant = 5_000_000
/** So many of the last tasks are counted by name when that happens; the names that come most often are told. */
const countedTasks = 1000
const toldNames = 8
/** Node gets to breathe (test time-outs, signals) after so many tasks. */
const tasksPerBreath = 2_000

/** Somebody turns in a circle at one instant of virtual time, so that the clock never goes on. Its message says who. */
export class RestlessFault extends Error {}

export interface ClockOptions {
  /** Virtual time at the start, in milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
  readonly startAt?: number
  /** More tasks than this at one instant of virtual time end the run: something goes round in circles. */
  readonly tasksPerInstant?: number
  /** Called before every task: for printing a trace. */
  readonly onTask?: (at: number, name: string) => void
}

interface Task {
  readonly name: string
  readonly run: () => void
}

interface OutsideWork {
  readonly name: string
  readonly dueAt: number
  readonly settled: Promise<() => void>
}

/** Comes behind all promise continuations that are queued, and behind those that they queue. */
const continuationsDone = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class SimulatedClock implements Clock {
  #now: number
  readonly #order: Random
  readonly #onTask: ((at: number, name: string) => void) | undefined
  readonly #tasksPerInstant: number
  #counted = new Map<string, number>()
  readonly #timers = new Timers()
  readonly trace = new Trace()
  #ready: Task[] = []
  #outside: OutsideWork[] = []
  #atInstant = 0
  #running = false
  #failure: { readonly error: unknown } | undefined

  constructor(random: Random, options: ClockOptions) {
    this.#now = options.startAt ?? defaultStart
    this.#order = random
    this.#onTask = options.onTask
    this.#tasksPerInstant = options.tasksPerInstant ?? usualTasksPerInstant
  }

  get waitsOutside(): boolean {
    return this.#outside.length > 0
  }

  now(): number {
    return this.#now
  }

  after(delayMs: number, name: string, task: () => void): Cancel {
    const timer = this.#timers.add(this.#now + Math.max(0, Math.ceil(delayMs)), name, task)
    return () => this.#timers.cancel(timer)
  }

  soon(name: string, run: () => void): void {
    this.#ready.push({ name, run })
  }

  turn(name: string): Promise<void> {
    return new Promise((resolve) => this.#ready.push({ name, run: resolve }))
  }

  givesWay(): boolean {
    return true
  }

  breathe(name: string): Promise<void> {
    return this.turn(name)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return abortableSleep(this, delayMs, signal)
  }

  outside<T>(name: string, work: () => Promise<T>, delayMs = outsideDelayMs): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settled = Promise.resolve()
        .then(work)
        .then(
          (value) => () => resolve(value),
          (error: unknown) => () => reject(error),
        )
      this.#outside.push({ name, dueAt: this.#now + delayMs, settled })
    })
  }

  async run(until: () => boolean, untilAt: number): Promise<'held' | 'idle' | 'limit'> {
    if (this.#running) throw new Error('the simulated world is running already: run, advance and settle do not nest')
    this.#running = true
    try {
      for (;;) {
        await continuationsDone()
        if (this.#outside.length > 0) await this.#awaitOutside()
        this.#throwFailure()
        if (until()) return 'held'
        if (!this.#runOne() && !this.#jump(untilAt)) return this.#timers.size === 0 ? 'idle' : 'limit'
        if (this.trace.tasks % tasksPerBreath === 0) await breath()
      }
    } finally {
      this.#running = false
    }
  }

  // Several pieces of work may end in any order: their answers become timers in the order in which they were asked for.
  async #awaitOutside(): Promise<void> {
    const works = this.#outside
    for (const work of works) {
      const deliver = await work.settled
      this.#timers.add(Math.max(this.#now, work.dueAt), work.name, deliver)
    }
    this.#outside = this.#outside.slice(works.length)
  }

  #runOne(): boolean {
    const ready = this.#ready
    if (ready.length === 0) return false
    const index = ready.length === 1 ? 0 : this.#order.int(ready.length)
    const task = ready[index]
    const last = ready.pop()
    if (task === undefined || last === undefined) return false
    if (task !== last) ready[index] = last
    this.#atInstant += 1
    if (this.#atInstant > this.#tasksPerInstant - countedTasks) this.#countOne(task.name)
    this.trace.add(this.#now, task.name)
    this.#onTask?.(this.#now, task.name)
    try {
      task.run()
    } catch (error) {
      this.#failure ??= { error }
    }
    return true
  }

  /** Near the end of what one instant may take. Whoever turns in a circle comes again and again. */
  #countOne(name: string): void {
    this.#counted.set(name, (this.#counted.get(name) ?? 0) + 1)
    if (this.#atInstant <= this.#tasksPerInstant) return
    const most = [...this.#counted].sort(([, a], [, b]) => b - a).slice(0, toldNames)
    this.#counted = new Map()
    throw new RestlessFault(
      `the world does not come to rest: ${this.#tasksPerInstant} tasks at ${new Date(this.#now).toISOString()}. ` +
        `Of the last ${countedTasks}:\n${most.map(([each, count]) => `  ${String(count).padStart(4)} ${each}`).join('\n')}`,
    )
  }

  #jump(untilAt: number): boolean {
    const nextAt = this.#timers.nextAt()
    if (nextAt === undefined || nextAt > untilAt) return false
    if (nextAt > this.#now) {
      this.#now = nextAt
      this.#atInstant = 0
    }
    for (let timer = this.#timers.takeDue(this.#now); timer !== undefined; timer = this.#timers.takeDue(this.#now)) {
      this.#ready.push({ name: timer.name, run: timer.task })
    }
    return true
  }

  /** Moves the idle clock on. */
  moveTo(at: number): void {
    this.#now = Math.max(this.#now, at)
  }

  #throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure.error
  }
}
