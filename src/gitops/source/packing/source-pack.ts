// A pack of which objects are taken, by its index: where each begins and ends, what it is made of, its bytes as they lie there.

import { applyDelta } from '../delta.ts'
import type { PackIndex } from '../pack-index.ts'
import { maxObjectBytes } from '../raw-object.ts'
import { headerBytes, idDelta, maxDepth, offsetDelta, readDistance, readHeader, wholeTypes } from './entry.ts'
import { idBytes } from './object-table.ts'
import { PackFile } from './pack-file.ts'
import type { PackWriter } from './pack-writer.ts'

export interface SourceEntry {
  readonly id: Buffer
  readonly type: number
  /** Of what is deflated. */
  readonly size: number
  readonly start: number
  /** Where what is deflated begins. */
  readonly content: number
  readonly end: number
  /** Id of what it is made of. */
  readonly base: Buffer | undefined
}

const pieceBytes = 1024 * 1024

export class SourcePack {
  readonly path: string
  readonly #file: PackFile
  readonly #index: PackIndex
  /** Places in the index, in the order in which the objects lie in the pack. */
  readonly #order: Uint32Array

  constructor(path: string, index: PackIndex) {
    this.path = path
    this.#index = index
    this.#file = new PackFile(path)
    this.#order = new Uint32Array(index.count).map((_, place) => place)
    this.#order.sort((a, b) => index.offsetAt(a) - index.offsetAt(b))
  }

  close(): void {
    this.#file.close()
  }

  places(): readonly number[] {
    return Array.from(this.#order, (_, place) => place)
  }

  /** The object at a place of that order. */
  entry(place: number): SourceEntry {
    const start = this.#offset(place)
    const head = this.#file.bytes(start, headerBytes)
    const { type, size, length } = readHeader(head)
    const behind = head.subarray(length)
    const parts = { id: this.#id(place), type, size, start, end: this.#offset(place + 1) }
    if (type === idDelta) {
      const base = Buffer.from(behind.subarray(0, idBytes))
      return { ...parts, base, content: start + length + idBytes }
    }
    if (type !== offsetDelta) return { ...parts, base: undefined, content: start + length }
    const { distance, length: more } = readDistance(behind)
    return { ...parts, base: this.#id(this.#placeAt(start - distance)), content: start + length + more }
  }

  /** Bytes from one place to another, as they lie there. */
  copy(from: number, to: number, writer: PackWriter): void {
    for (let at = from; at < to; at += pieceBytes) writer.add(this.#file.bytes(at, Math.min(pieceBytes, to - at)))
  }

  /** The object as it is, put together. */
  whole(entry: SourceEntry): { readonly type: string; readonly bytes: Buffer } {
    const deltas: SourceEntry[] = []
    let next = entry
    for (; next.base !== undefined; next = this.#baseOf(next)) {
      if (deltas.push(next) > maxDepth) throw this.#file.damaged(next.start, 'its deltas do not end')
    }
    let { bytes } = this.#file.inflate(next.content, next.size)
    for (const delta of deltas.reverse())
      bytes = applyDelta(bytes, this.#file.inflate(delta.content, delta.size).bytes, maxObjectBytes)
    return { type: wholeTypes.get(next.type) ?? '', bytes }
  }

  #baseOf({ start, base }: SourceEntry): SourceEntry {
    const offset = base === undefined ? undefined : this.#index.offsetOf(base)
    if (offset === undefined) throw this.#file.damaged(start, 'its base is not in the same pack')
    return this.entry(this.#placeAt(offset))
  }

  #id(place: number): Buffer {
    return this.#index.id(this.#order[place] ?? 0)
  }

  #offset(place: number): number {
    const own = this.#order[place]
    return own === undefined ? this.#file.end : this.#index.offsetAt(own)
  }

  #placeAt(offset: number): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#offset(middle) < offset) low = middle + 1
      else high = middle
    }
    if (low < this.#order.length && this.#offset(low) === offset) return low
    throw this.#file.damaged(offset, 'no object begins here')
  }
}
