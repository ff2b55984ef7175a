// How long the past can be read. As with kube-apiserver, every 5 minutes what is older than 5 minutes goes; but of every
// kind the last events stay, as in its watch cache, so that kinds which are seldom written can be watched from far back.
// Looked at when something is written: a quiet server has nothing to do.

import type { Store } from '#store'
import type { Clock } from '#world'

const intervalMs = 300_000
const keptEvents = 1000

export class Compaction {
  readonly #clock: Clock
  readonly #store: Store
  #nextAt: number
  #revision: number

  constructor(clock: Clock, store: Store) {
    this.#clock = clock
    this.#store = store
    this.#nextAt = clock.now() + intervalMs
    this.#revision = store.revision
  }

  wrote(): void {
    const now = this.#clock.now()
    if (now < this.#nextAt) return
    this.#store.trim(this.#revision, keptEvents)
    this.#revision = this.#store.revision
    this.#nextAt = now + intervalMs
  }
}
