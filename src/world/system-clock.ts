// The clock of a world in real time. World time runs at `speed` times real time and can be paused and stepped; the run queue
// works in slices and yields to Node at least every 10 ms, so that HTTP is answered under any load. Owns its timers: `close`
// drops them.

import { abortableSleep } from './sleep.ts'
import { Timers } from './timers.ts'
import type { Cancel, Clock } from './world.ts'

const sliceMs = 10
/** The longest delay that setTimeout can do. */
const maxDelayMs = 2 ** 31 - 1

interface Task {
  readonly name: string
  readonly run: () => void
}

export class SystemClock implements Clock {
  readonly waitsOutside = false
  speed: number
  paused = false
  readonly #onFailure: (error: unknown, name: string) => void
  readonly #timers = new Timers()
  #queue: Task[] = []
  #head = 0
  #draining = false
  #sliceStart = 0
  #inSlice = false
  #anchorReal = Date.now()
  #anchorWorld: number
  #latest = 0
  #armed: { readonly handle: NodeJS.Timeout; readonly dueAt: number } | undefined

  constructor(speed: number, startAt: number | undefined, onFailure: (error: unknown, name: string) => void) {
    this.speed = speed
    this.#anchorWorld = startAt ?? this.#anchorReal
    this.#onFailure = onFailure
  }

  now(): number {
    if (!this.paused) {
      const now = this.#anchorWorld + Math.floor((Date.now() - this.#anchorReal) * this.speed)
      // The system's clock may be set back; world time never goes back.
      if (now > this.#latest) this.#latest = now
    }
    return this.#latest
  }

  after(delayMs: number, name: string, task: () => void): Cancel {
    const timer = this.#timers.add(this.now() + Math.max(0, delayMs), name, task)
    this.#arm()
    return () => this.#timers.cancel(timer)
  }

  soon(name: string, run: () => void): void {
    this.#queue.push({ name, run })
    this.#wake()
  }

  turn(name: string): Promise<void> {
    return new Promise((resolve) => this.soon(name, resolve))
  }

  breathe(name: string): Promise<void> | undefined {
    return this.givesWay() ? this.turn(name) : undefined
  }

  givesWay(): boolean {
    return this.paused || (this.#inSlice && performance.now() - this.#sliceStart >= sliceMs)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return abortableSleep(this, delayMs, signal)
  }

  outside<T>(_name: string, work: () => Promise<T>): Promise<T> {
    return work()
  }

  setSpeed(speed: number): void {
    this.#anchor()
    this.speed = speed
    this.#disarm()
    this.#arm()
  }

  pause(): void {
    this.now()
    this.paused = true
    this.#disarm()
  }

  resume(): void {
    if (!this.paused) return
    this.paused = false
    this.#anchorWorld = this.#latest
    this.#anchorReal = Date.now()
    this.#arm()
    this.#wake()
  }

  step(): boolean {
    if (!this.paused) this.pause()
    if (this.#head >= this.#queue.length) {
      const nextAt = this.#timers.nextAt()
      if (nextAt === undefined) return false
      this.#latest = Math.max(this.#latest, nextAt)
      const timer = this.#timers.takeDue(this.#latest)
      if (timer !== undefined) this.#queue.push({ name: timer.name, run: timer.task })
    }
    const task = this.#take()
    if (task !== undefined) this.#run(task)
    return task !== undefined
  }

  close(): void {
    this.#disarm()
    this.#timers.clear()
    this.#queue = []
    this.#head = 0
  }

  #anchor(): void {
    this.#anchorWorld = this.now()
    this.#anchorReal = Date.now()
  }

  #arm(): void {
    if (this.paused) return
    const dueAt = this.#timers.nextAt()
    if (dueAt === undefined || (this.#armed !== undefined && this.#armed.dueAt <= dueAt)) return
    this.#disarm()
    const delayMs = Math.min(maxDelayMs, Math.max(0, Math.ceil((dueAt - this.now()) / this.speed)))
    this.#armed = { dueAt, handle: setTimeout(() => this.#fire(), delayMs) }
  }

  #disarm(): void {
    if (this.#armed !== undefined) clearTimeout(this.#armed.handle)
    this.#armed = undefined
  }

  #fire(): void {
    this.#armed = undefined
    const now = this.now()
    for (let timer = this.#timers.takeDue(now); timer !== undefined; timer = this.#timers.takeDue(now)) {
      this.#queue.push({ name: timer.name, run: timer.task })
    }
    this.#arm()
    this.#wake()
  }

  #wake(): void {
    if (this.#draining || this.paused || this.#head >= this.#queue.length) return
    this.#draining = true
    setImmediate(this.#beginSlice)
  }

  readonly #beginSlice = (): void => {
    this.#sliceStart = performance.now()
    this.#inSlice = true
    this.#continueSlice()
  }

  // One task, then its promise continuations (a nextTick asked for by one of them comes behind them all), then the next,
  // until the slice is over.
  readonly #continueSlice = (): void => {
    if (performance.now() - this.#sliceStart >= sliceMs) {
      this.#inSlice = false
      this.#draining = false
      this.#wake()
      return
    }
    const task = this.paused ? undefined : this.#take()
    if (task === undefined) {
      this.#inSlice = false
      this.#draining = false
      return
    }
    this.#run(task)
    queueMicrotask(this.#behindContinuations)
  }

  readonly #behindContinuations = (): void => process.nextTick(this.#continueSlice)

  #take(): Task | undefined {
    const task = this.#queue[this.#head]
    if (task === undefined) return undefined
    this.#head += 1
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    } else if (this.#head > 4096 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return task
  }

  #run(task: Task): void {
    try {
      task.run()
    } catch (error) {
      this.#onFailure(error, task.name)
    }
  }
}
