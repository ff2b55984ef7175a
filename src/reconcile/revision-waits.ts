// Whoever waits until a kind's cache has reached a revision: how a loop reads its own writes. Waits end by revision
// (usually in the order in which they began) or by a deadline, whichever comes first.

import type { Clock } from '#world'

interface Wait {
  readonly revision: number
  readonly deadlineAt: number
  readonly end: (reached: boolean) => void
}

export class RevisionWaits {
  readonly #clock: Clock
  readonly #name: string
  #waits: Wait[] = []
  #armed = false

  constructor(clock: Clock, name: string) {
    this.#clock = clock
    this.#name = name
  }

  get size(): number {
    return this.#waits.length
  }

  /** Calls `end(true)` once `reached(revision)` was called, or `end(false)` at the deadline. */
  add(revision: number, limitMs: number, end: (reached: boolean) => void): void {
    const wait: Wait = { revision, deadlineAt: this.#clock.now() + limitMs, end }
    let at = this.#waits.length
    while (at > 0 && (this.#waits[at - 1]?.revision ?? 0) > revision) at -= 1
    if (at === this.#waits.length) this.#waits.push(wait)
    else this.#waits.splice(at, 0, wait)
    this.#arm(limitMs)
  }

  reached(revision: number): void {
    let count = 0
    while (count < this.#waits.length && (this.#waits[count]?.revision ?? 0) <= revision) count += 1
    if (count === 0) return
    for (const wait of this.#waits.splice(0, count)) wait.end(true)
  }

  #arm(delayMs: number): void {
    if (this.#armed) return
    this.#armed = true
    this.#clock.after(delayMs, this.#name, () => this.#expire())
  }

  #expire(): void {
    this.#armed = false
    const now = this.#clock.now()
    const expired = this.#waits.filter((wait) => wait.deadlineAt <= now)
    if (expired.length > 0) this.#waits = this.#waits.filter((wait) => wait.deadlineAt > now)
    for (const wait of expired) wait.end(false)
    const next = this.#waits.reduce((least, wait) => Math.min(least, wait.deadlineAt), Number.POSITIVE_INFINITY)
    if (Number.isFinite(next)) this.#arm(next - now)
  }
}
