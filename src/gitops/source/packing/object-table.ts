// All objects of a pack in the order in which they lie there, as columns of numbers: hundreds of thousands of them are no
// objects of JavaScript's. What an object is made of (its base) is a place in the same table.

import { SourceError } from '../source-error.ts'

/** Some 45 bytes each are held while a pack is indexed. */
export const maxObjects = 5_000_000
/** No object of a pack is shorter: a byte of header, and what deflating nothing gives. */
const leastBytes = 9
export const idBytes = 20
const none = -1

export class ObjectTable {
  readonly count: number
  /** Where each begins, and at last where the pack ends. */
  readonly offsets: Float64Array
  /** Where what is deflated begins. */
  readonly dataOffsets: Float64Array
  readonly types: Uint8Array
  readonly sizes: Float64Array
  readonly crcs: Uint32Array
  readonly ids: Buffer
  readonly #firstChild: Int32Array
  readonly #nextSibling: Int32Array

  constructor(count: number, packBytes: number) {
    if (count > maxObjects)
      throw new SourceError('TooLarge', `the remote sent ${count} objects, more than the limit of ${maxObjects}`)
    if (count * leastBytes > packBytes)
      throw new SourceError(
        'Damaged',
        `the pack that the remote sent is too short for the ${count} objects that it says`,
      )
    this.count = count
    this.offsets = new Float64Array(count + 1)
    this.dataOffsets = new Float64Array(count)
    this.types = new Uint8Array(count)
    this.sizes = new Float64Array(count)
    this.crcs = new Uint32Array(count)
    this.ids = Buffer.alloc(count * idBytes)
    this.#firstChild = new Int32Array(count).fill(none)
    this.#nextSibling = new Int32Array(count).fill(none)
  }

  id(place: number): Buffer {
    return this.ids.subarray(place * idBytes, (place + 1) * idBytes)
  }

  /** The object that begins at an offset; undefined where none of the first `known` does. */
  at(offset: number, known: number): number | undefined {
    let [low, high] = [0, known]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.offsets[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low < known && this.offsets[low] === offset ? low : undefined
  }

  addChild(base: number, child: number): void {
    this.#nextSibling[child] = this.#firstChild[base] ?? none
    this.#firstChild[base] = child
  }

  /** Takes one of those that are made of this one; undefined when there are no more. */
  takeChild(base: number): number | undefined {
    const child = this.#firstChild[base] ?? none
    if (child === none) return undefined
    this.#firstChild[base] = this.#nextSibling[child] ?? none
    return child
  }

  hasChildren(base: number): boolean {
    return (this.#firstChild[base] ?? none) !== none
  }
}
