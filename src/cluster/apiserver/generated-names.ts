// Ends of generated names. Each prefix has a stream of its own, so the names below one owner depend on the seed and on how
// many there were before, and not on what else happened at the same time: in real time, too, a seed gives the same names.

import type { Random } from '#world'

/** Prefixes whose streams are kept; a Job for every minute brings a new one for ever. */
const maxStreams = 20_000
const length = 5

export class GeneratedNames {
  readonly #random: Random
  readonly #streams = new Map<string, Random>()
  /** How many streams were forgotten: one that begins anew must not repeat its names. */
  #forgotten = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** The next end for a prefix among objects of one kind and namespace (`bucket`). */
  next(bucket: string, prefix: string): string {
    const key = `${bucket} ${prefix}`
    const stream = this.#streams.get(key) ?? this.#begin(key)
    return stream.suffix(length)
  }

  #begin(key: string): Random {
    if (this.#streams.size >= maxStreams) {
      const [oldest] = this.#streams.keys()
      if (oldest !== undefined) this.#streams.delete(oldest)
      this.#forgotten++
    }
    const stream = this.#random.fork(this.#forgotten === 0 ? key : `${key} ${this.#forgotten}`)
    this.#streams.set(key, stream)
    return stream
  }
}
