// Where the objects of a pack are: git's index file, searched as it lies in memory. Version 2, which git has written since 2007.

import { idBytes } from './packing/object-table.ts'
import { SourceError } from './source-error.ts'

const signature = 0xff744f63
const fanoutAt = 8
const idsAt = fanoutAt + 256 * 4
/** An offset with this bit names a place among the long offsets. */
const longBit = 0x80000000

/** How many objects an index of so many bytes names; those of offsets that are too long for 31 bits are counted too. */
export const indexedObjects = (bytes: number): number => Math.floor(Math.max(bytes - idsAt - 40, 0) / (idBytes + 8))

export class PackIndex {
  readonly #bytes: Buffer
  readonly #count: number

  /** Throws SourceError for what is no index that can be read. */
  constructor(bytes: Buffer, name: string) {
    if (bytes.length < idsAt || bytes.readUInt32BE(0) !== signature || bytes.readUInt32BE(4) !== 2)
      throw new SourceError('Damaged', `${name} is no pack index of version 2`)
    this.#bytes = bytes
    this.#count = bytes.readUInt32BE(idsAt - 4)
    if (bytes.length < this.#offsetsAt + this.#count * 4)
      throw new SourceError('Damaged', `${name} ends before its list of ${this.#count} objects does`)
  }

  get count(): number {
    return this.#count
  }

  /** Of all objects, in their order: twenty bytes each. */
  get ids(): Buffer {
    return this.#bytes.subarray(idsAt, idsAt + this.#count * idBytes)
  }

  id(place: number): Buffer {
    return this.#bytes.subarray(idsAt + place * idBytes, idsAt + (place + 1) * idBytes)
  }

  get #offsetsAt(): number {
    return idsAt + this.#count * (idBytes + 4)
  }

  /** Where in the pack an object begins; undefined when it is not there. */
  offsetOf(id: Buffer): number | undefined {
    const place = this.#firstFrom(id)
    return place < this.#count && this.#compare(place, id) === 0 ? this.offsetAt(place) : undefined
  }

  /** Ids that begin with these hexadecimal digits, at most two. */
  beginningWith(prefix: string): readonly string[] {
    const first = this.#firstFrom(Buffer.from(prefix.padEnd(idBytes * 2, '0'), 'hex'))
    const found: string[] = []
    for (let place = first; place < this.#count && found.length < 2; place += 1) {
      const at = idsAt + place * idBytes
      const id = this.#bytes.toString('hex', at, at + idBytes)
      if (!id.startsWith(prefix)) break
      found.push(id)
    }
    return found
  }

  /** The place of the first id that is not smaller. */
  #firstFrom(id: Buffer): number {
    const first = id[0] ?? 0
    let low = first === 0 ? 0 : this.#bytes.readUInt32BE(fanoutAt + (first - 1) * 4)
    let high = this.#bytes.readUInt32BE(fanoutAt + first * 4)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(place: number, id: Buffer): number {
    const at = idsAt + place * idBytes
    return this.#bytes.compare(id, 0, idBytes, at, at + idBytes)
  }

  offsetAt(place: number): number {
    const offset = this.#bytes.readUInt32BE(this.#offsetsAt + place * 4)
    if (offset < longBit) return offset
    return Number(this.#bytes.readBigUInt64BE(this.#offsetsAt + this.#count * 4 + (offset - longBit) * 8))
  }
}
