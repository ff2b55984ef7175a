// Applications that a commit does not concern: their status shall name it too, but nothing waits for that. They are looked at
// a few at a time, so that ten thousand of them do not stand in the way of the one that changed. A look on this way takes the
// place of the next regular one, and a commit meanwhile makes it no faster: commits cost no more than time does anyway.

import type { Cancel, Clock } from '#world'
import { defaultPollMs } from '../application/refresh.ts'

const stepMs = 200
const leastAtOnce = 20
/** The regular looks come at this interval, or more rarely. */
const steps = defaultPollMs / stepMs

export class Trail {
  readonly #clock: Clock
  readonly #wake: (key: string) => void
  readonly #keys = new Set<string>()
  #atOnce = leastAtOnce
  #cancel: Cancel | undefined

  constructor(clock: Clock, wake: (key: string) => void) {
    this.#clock = clock
    this.#wake = wake
  }

  add(keys: Iterable<string>): void {
    for (const key of keys) this.#keys.add(key)
    this.#atOnce = Math.max(leastAtOnce, Math.ceil(this.#keys.size / steps))
    if (this.#cancel === undefined) this.#step()
  }

  end(): void {
    this.#cancel?.()
    this.#keys.clear()
  }

  #step(): void {
    let rest = this.#atOnce
    for (const key of this.#keys) {
      if (rest === 0) break
      rest -= 1
      this.#keys.delete(key)
      this.#wake(key)
    }
    this.#cancel =
      this.#keys.size === 0 ? undefined : this.#clock.after(stepMs, 'commits that change nothing', () => this.#step())
  }
}
