// A pool of numbered things (addresses, ports) and who holds which. Free ones are handed out from a random place on, so
// that two servers of one seed hand out the same.

import type { Random } from '#world'

export type Span = readonly [first: number, last: number]

export class Pool {
  readonly #random: Random
  readonly #holders = new Map<number, string>()
  #spans: readonly Span[]

  constructor(first: number, last: number, random: Random) {
    this.#spans = [[first, last]]
    this.#random = random
  }

  /** From now on hands out from these; what is held in others stays with its holder. */
  setSpans(spans: readonly Span[]): void {
    this.#spans = spans
  }

  contains(item: number): boolean {
    return this.#spans.some(([first, last]) => item >= first && item <= last)
  }

  /** The span that `item` is in, or directly beside. */
  around(item: number): Span | undefined {
    return this.#spans.find(([first, last]) => item >= first - 1 && item <= last + 1)
  }

  holder(item: number): string | undefined {
    return this.#holders.get(item)
  }

  /** Makes `holder` the one who holds `item`, whoever did before. */
  hold(item: number, holder: string): void {
    this.#holders.set(item, holder)
  }

  /** Gives `item` back, if it is `holder` who holds it. */
  release(item: number, holder: string): void {
    if (this.#holders.get(item) === holder) this.#holders.delete(item)
  }

  /** A free item of the first span that has one; undefined when there is none. */
  take(holder: string): number | undefined {
    for (const span of this.#spans) {
      const item = this.#free(span)
      if (item === undefined) continue
      this.#holders.set(item, holder)
      return item
    }
    return undefined
  }

  #free([first, last]: Span): number | undefined {
    const size = last - first + 1
    const start = this.#random.int(size)
    for (let i = 0; i < size; i++) {
      const item = first + ((start + i) % size)
      if (!this.#holders.has(item)) return item
    }
    return undefined
  }
}
