// Reads objects out of one pack file: a window of it at a time, kept while neighbours are read, and deltas put together.

import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate, inflateSync } from 'node:zlib'
import { applyDelta } from './delta.ts'
import type { PackIndex } from './pack-index.ts'
import {
  type EntryHeader,
  headerBytes,
  idDelta,
  maxDepth,
  offsetDelta,
  readDistance,
  readHeader,
  wholeTypes,
} from './packing/entry.ts'
import { limitOf, maxObjectBytes, type ObjectType, type RawObject, tooLarge } from './raw-object.ts'
import { RecentMap } from './recent-map.ts'
import { messageOf, SourceError } from './source-error.ts'

const windowBytes = 64 * 1024
const keptWindowBytes = 8 * 1024 * 1024
const keptBaseBytes = 16 * 1024 * 1024
/** What is larger is inflated beside the main thread. */
const inlineBytes = 256 * 1024
const inflateAside = promisify(inflate)

export class Pack {
  readonly #path: string
  readonly #index: PackIndex
  readonly #windows = new RecentMap<Buffer>(keptWindowBytes)
  readonly #bases = new RecentMap<RawObject>(keptBaseBytes)

  constructor(path: string, index: PackIndex) {
    this.#path = path
    this.#index = index
  }

  get index(): PackIndex {
    return this.#index
  }

  /** Frees the parts of the file that are kept. */
  forget(): void {
    this.#windows.clear()
    this.#bases.clear()
  }

  /** Throws SourceError; an ordinary error when the file is gone. */
  async at(offset: number): Promise<RawObject> {
    return this.#at(offset, 0)
  }

  async #at(offset: number, depth: number): Promise<RawObject> {
    // What others are made of may be larger than what is handed out.
    const limit = (objectType: ObjectType): number => (depth === 0 ? limitOf(objectType) : maxObjectBytes)
    if (depth > maxDepth) throw this.#damaged(offset, 'its deltas do not end')
    const head = await this.#bytes(offset, headerBytes)
    const header = readHeader(head)
    const type = wholeTypes.get(header.type)
    if (type !== undefined)
      return { type, bytes: await this.#inflate(offset + header.length, header.size, limit(type)) }
    const base = this.#baseOf(offset, head, header)
    if (base === undefined) throw this.#damaged(offset, 'its base is not in the same pack')
    const from = await this.#base(base.offset, depth + 1)
    const delta = await this.#inflate(offset + base.end, header.size, maxObjectBytes)
    try {
      return { type: from.type, bytes: applyDelta(from.bytes, delta, limit(from.type)) }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw this.#damaged(offset, error.message)
    }
  }

  async #base(offset: number, depth: number): Promise<RawObject> {
    const key = String(offset)
    const known = this.#bases.get(key)
    if (known !== undefined) return known
    const object = await this.#at(offset, depth)
    this.#bases.set(key, object, object.bytes.length)
    return object
  }

  #baseOf(
    offset: number,
    head: Buffer,
    { type, length: end }: EntryHeader,
  ): { readonly offset: number; readonly end: number } | undefined {
    if (type === idDelta) {
      const base = this.#index.offsetOf(head.subarray(end, end + 20))
      return base === undefined ? undefined : { offset: base, end: end + 20 }
    }
    if (type !== offsetDelta) throw this.#damaged(offset, `it is of type ${type}`)
    const { distance, length } = readDistance(head.subarray(end))
    if (distance <= 0 || distance > offset) throw this.#damaged(offset, 'its base is outside of the pack')
    return { offset: offset - distance, end: end + length }
  }

  async #inflate(offset: number, size: number, limit: number): Promise<Buffer> {
    if (size > limit) throw tooLarge(size, limit)
    // Deflated text is hardly ever longer than the text, and never by more than this.
    const deflated = await this.#bytes(offset, size + (size >> 8) + headerBytes)
    const options = { chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 }
    try {
      const bytes = size > inlineBytes ? await inflateAside(deflated, options) : inflateSync(deflated, options)
      if (bytes.length === size) return bytes
    } catch (error) {
      throw this.#damaged(offset, messageOf(error))
    }
    throw this.#damaged(offset, 'it has not the length that it says')
  }

  /** Bytes from a place on, fewer at the end of the file. */
  async #bytes(offset: number, length: number): Promise<Buffer> {
    const start = Math.floor(offset / windowBytes) * windowBytes
    const inside = offset - start
    const window = this.#windows.get(String(start)) ?? (await this.#window(start))
    if (inside + length <= window.length || window.length < windowBytes) return window.subarray(inside, inside + length)
    return this.#read(offset, length)
  }

  async #window(start: number): Promise<Buffer> {
    const window = await this.#read(start, windowBytes)
    this.#windows.set(String(start), window, window.length)
    return window
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const file = await open(this.#path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(length)
      const { bytesRead } = await file.read(bytes, 0, length, offset)
      return bytes.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  #damaged(offset: number, why: string): SourceError {
    return new SourceError('Damaged', `cannot read the repository's objects: ${this.#path} at ${offset}: ${why}`)
  }
}
