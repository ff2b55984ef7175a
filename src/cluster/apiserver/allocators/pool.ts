// A pool of numbered things (addresses, ports) and who holds which. Free ones are handed out from a random place on, so
// that two servers of one seed hand out the same.

import type { Random } from '#world'

export class Pool {
  readonly #first: number
  readonly #last: number
  readonly #random: Random
  readonly #holders = new Map<number, string>()

  constructor(first: number, last: number, random: Random) {
    this.#first = first
    this.#last = last
    this.#random = random
  }

  contains(item: number): boolean {
    return item >= this.#first && item <= this.#last
  }

  holder(item: number): string | undefined {
    return this.#holders.get(item)
  }

  /** Makes `holder` the one who holds `item`, whoever did before. */
  hold(item: number, holder: string): void {
    if (this.contains(item)) this.#holders.set(item, holder)
  }

  /** Gives `item` back, if it is `holder` who holds it. */
  release(item: number, holder: string): void {
    if (this.#holders.get(item) === holder) this.#holders.delete(item)
  }

  /** A free item; undefined when there is none. */
  take(holder: string): number | undefined {
    const size = this.#last - this.#first + 1
    if (this.#holders.size >= size) return undefined
    const start = this.#random.int(size)
    for (let i = 0; i < size; i++) {
      const item = this.#first + ((start + i) % size)
      if (this.#holders.has(item)) continue
      this.#holders.set(item, holder)
      return item
    }
    return undefined
  }
}
