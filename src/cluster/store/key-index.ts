// The live entries of one bucket: by key for reads, in key order for lists. Order is made when a list asks for it: new
// keys wait in an unsorted tail that is sorted and merged once, so inserting n keys costs no more than n log n in all.
// Keys of one namespace form a partition, so listing one namespace never touches the others.

import type { Entry } from './store.ts'

interface Slot {
  readonly key: string
  /** Undefined once the key was removed; the slot then leaves the order at the next tidying. */
  entry: Entry | undefined
}

interface Partition {
  /** `namespace/`, or empty for keys without a namespace. */
  readonly prefix: string
  ordered: Slot[]
  tail: Slot[]
  live: number
}

export interface KeyRange {
  readonly prefix: string
  /** Only keys greater than this one. */
  readonly after: string | undefined
  readonly limit: number
}

export interface Page {
  readonly entries: readonly Entry[]
  /** How many more entries of the range there are behind them. */
  readonly remaining: number
}

/** Removed slots are kept until there are this many more of them than live ones, or a list comes by. */
const deadSlotsMax = 1024

export class KeyIndex {
  readonly #slots = new Map<string, Slot>()
  readonly #partitions = new Map<string, Partition>()
  #order: Partition[] = []
  #orderKnown = true

  get size(): number {
    return this.#slots.size
  }

  get(key: string): Entry | undefined {
    return this.#slots.get(key)?.entry
  }

  set(key: string, entry: Entry): void {
    const slot = this.#slots.get(key)
    if (slot !== undefined) {
      slot.entry = entry
      return
    }
    const created: Slot = { key, entry }
    this.#slots.set(key, created)
    const partition = this.#partitionOf(partitionPrefix(key))
    partition.tail.push(created)
    partition.live += 1
    if (partition.ordered.length + partition.tail.length > 2 * partition.live + deadSlotsMax) tidy(partition)
  }

  delete(key: string): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    slot.entry = undefined
    this.#slots.delete(key)
    const prefix = partitionPrefix(key)
    const partition = this.#partitionOf(prefix)
    partition.live -= 1
    if (partition.live > 0) return
    this.#partitions.delete(prefix)
    this.#orderKnown = false
  }

  count(prefix = ''): number {
    if (prefix === '') return this.#slots.size
    const exact = this.#partitions.get(prefix)
    if (exact !== undefined) return exact.live
    let count = 0
    for (const partition of this.#below(prefix)) {
      const [from, to] = bounds(partition, prefix, undefined)
      count += to - from
    }
    return count
  }

  /** Entries of the range in key order. */
  page({ prefix, after, limit }: KeyRange): Page {
    const entries: Entry[] = []
    let remaining = 0
    for (const partition of this.#below(prefix)) {
      const [from, to] = bounds(partition, prefix, after)
      const end = Math.min(to, from + limit - entries.length)
      for (let i = from; i < end; i += 1) {
        const entry = partition.ordered[i]?.entry
        if (entry !== undefined) entries.push(entry)
      }
      remaining += to - end
    }
    return { entries, remaining }
  }

  /** The same entries one by one. The index may not change while they are read. */
  *walk(prefix: string, after: string | undefined): Generator<Entry> {
    for (const partition of this.#below(prefix)) {
      const [from, to] = bounds(partition, prefix, after)
      for (let i = from; i < to; i += 1) {
        const entry = partition.ordered[i]?.entry
        if (entry !== undefined) yield entry
      }
    }
  }

  #partitionOf(prefix: string): Partition {
    const found = this.#partitions.get(prefix)
    if (found !== undefined) return found
    const created: Partition = { prefix, ordered: [], tail: [], live: 0 }
    this.#partitions.set(prefix, created)
    this.#orderKnown = false
    return created
  }

  /** The partitions that can hold keys beginning with `prefix`, in key order, each of them tidy. */
  #below(prefix: string): readonly Partition[] {
    const one = this.#partitions.get(prefix)
    if (one !== undefined && prefix !== '') return [tidy(one)]
    if (!this.#orderKnown) {
      this.#order = [...this.#partitions.values()].sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
      this.#orderKnown = true
    }
    const partitions =
      prefix === ''
        ? this.#order
        : this.#order.filter(({ prefix: own }) => own.startsWith(prefix) || prefix.startsWith(own))
    return partitions.map(tidy)
  }
}

function partitionPrefix(key: string): string {
  return key.slice(0, key.indexOf('/') + 1)
}

/** Sorts the tail, merges it and drops removed slots. Afterwards `ordered` holds exactly the live slots. */
function tidy(partition: Partition): Partition {
  const { ordered, tail, live } = partition
  if (tail.length === 0 && ordered.length === live) return partition
  const added = tail.filter((slot) => slot.entry !== undefined).sort((a, b) => (a.key < b.key ? -1 : 1))
  const merged: Slot[] = []
  let next = 0
  for (const slot of ordered) {
    if (slot.entry === undefined) continue
    for (let candidate = added[next]; candidate !== undefined && candidate.key < slot.key; candidate = added[next]) {
      merged.push(candidate)
      next += 1
    }
    merged.push(slot)
  }
  for (; next < added.length; next += 1) merged.push(added[next] as Slot)
  partition.ordered = merged
  partition.tail = []
  return partition
}

/** The range of `ordered` with keys that begin with `prefix` and are greater than `after`. */
function bounds(partition: Partition, prefix: string, after: string | undefined): readonly [number, number] {
  const { ordered } = partition
  const whole = partition.prefix.startsWith(prefix)
  const from = whole ? 0 : firstIndex(ordered, (key) => key >= prefix)
  const to = whole ? ordered.length : firstIndex(ordered, (key) => key >= prefix && !key.startsWith(prefix))
  const behind = after === undefined ? from : firstIndex(ordered, (key) => key > after)
  return [Math.min(Math.max(from, behind), to), to]
}

/** Index of the first key for which `reached` holds; once it holds, it holds for all greater keys. */
function firstIndex(ordered: readonly Slot[], reached: (key: string) => boolean): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const slot = ordered[middle]
    if (slot !== undefined && reached(slot.key)) high = middle
    else low = middle + 1
  }
  return low
}
