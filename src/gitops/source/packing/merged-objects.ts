// All objects of several packs, each once and in the order of their ids: where the merged pack has each, and of how many others
// it is made there. Columns of numbers, as in `ObjectTable`.

import type { PackIndex } from '../pack-index.ts'
import { idBytes } from './object-table.ts'

export class MergedObjects {
  /** In their order, twenty bytes each. */
  readonly ids: Buffer
  readonly #offsets: Float64Array
  readonly #depths: Uint32Array

  constructor(indexes: readonly PackIndex[]) {
    this.ids = eachOnce(Buffer.concat(indexes.map(({ ids }) => ids)))
    this.#offsets = new Float64Array(this.count)
    this.#depths = new Uint32Array(this.count)
  }

  get count(): number {
    return this.ids.length / idBytes
  }

  /** Throws RangeError for one that is none of them. */
  place(id: Buffer): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.ids, middle, id) < 0) low = middle + 1
      else high = middle
    }
    if (low < this.count && compare(this.ids, low, id) === 0) return low
    throw new RangeError(`object ${id.toString('hex')} is in none of the packs`)
  }

  isWritten(place: number): boolean {
    return this.#offsets[place] !== 0
  }

  /** Zero: it is not written yet. */
  offset(place: number): number {
    return this.#offsets[place] ?? 0
  }

  depth(place: number): number {
    return this.#depths[place] ?? 0
  }

  write(place: number, { offset, depth }: { readonly offset: number; readonly depth: number }): void {
    this.#offsets[place] = offset
    this.#depths[place] = depth
  }
}

const compare = (ids: Buffer, place: number, id: Buffer): number =>
  ids.compare(id, 0, idBytes, place * idBytes, (place + 1) * idBytes)

function eachOnce(ids: Buffer): Buffer {
  const at = (place: number): number => place * idBytes
  const order = new Uint32Array(ids.length / idBytes).map((_, place) => place)
  order.sort((a, b) => ids.compare(ids, at(b), at(b + 1), at(a), at(a + 1)))
  const result = Buffer.alloc(ids.length)
  let count = 0
  let last: number | undefined
  for (const place of order) {
    if (last !== undefined && ids.compare(ids, at(last), at(last + 1), at(place), at(place + 1)) === 0) continue
    ids.copy(result, at(count), at(place), at(place + 1))
    count += 1
    last = place
  }
  return result.subarray(0, at(count))
}
