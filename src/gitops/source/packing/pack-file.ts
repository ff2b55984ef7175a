// A pack as it lies on disk, read forwards through a window: bytes at a place, what is deflated there, checksums. Synchronous,
// for a thread of its own.

import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { crc32, createInflate, inflateSync } from 'node:zlib'
import { SourceError } from '../source-error.ts'

const windowBytes = 1024 * 1024
/** SHA-1 of all before it. */
export const trailerBytes = 20

export class PackFile {
  readonly path: string
  /** Where the trailer begins. */
  readonly end: number
  readonly #file: number
  readonly #window = Buffer.allocUnsafe(windowBytes)
  #start = 0
  #filled = 0

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'r')
    this.end = fstatSync(this.#file).size - trailerBytes
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Fewer at the end of the file. Valid until the next call. */
  bytes(offset: number, length: number): Buffer {
    if (length > windowBytes) return this.#read(Buffer.allocUnsafe(Math.min(length, this.#left(offset))), offset)
    if (offset < this.#start || offset + length > this.#start + this.#filled) {
      this.#start = offset
      this.#filled = this.#read(this.#window, offset).length
    }
    return this.#window.subarray(offset - this.#start, Math.min(offset - this.#start + length, this.#filled))
  }

  #left(offset: number): number {
    return Math.max(this.end + trailerBytes - offset, 0)
  }

  #read(into: Buffer, offset: number): Buffer {
    let filled = 0
    while (filled < into.length) {
      const count = readSync(this.#file, into, filled, into.length - filled, offset + filled)
      if (count === 0) break
      filled += count
    }
    return into.subarray(0, filled)
  }

  /** What is deflated at a place, of which the length is known; and where it ends. */
  inflate(offset: number, size: number): { readonly bytes: Buffer; readonly end: number } {
    // Deflated text is hardly ever longer than the text, and never by more than this.
    const deflated = this.bytes(offset, size + (size >> 8) + 64)
    try {
      const options = { info: true, chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 } as const
      const { buffer, engine } = inflateSync(deflated, options) as unknown as Inflated
      if (buffer.length === size) return { bytes: buffer, end: offset + engine.bytesWritten }
    } catch {
      throw this.damaged(offset, 'it cannot be inflated')
    }
    throw this.damaged(offset, 'it has not the length that it says')
  }

  /** The same of what is too large to be held: `take` is given it piece by piece. Answers where it ends. */
  async inflateLarge(offset: number, size: number, take: (piece: Buffer) => void): Promise<number> {
    const inflating = createInflate()
    Readable.from(this.#pieces(offset)).pipe(inflating)
    let length = 0
    try {
      for await (const piece of inflating as AsyncIterable<Buffer>) {
        length += piece.length
        if (length > size) break
        take(piece)
      }
    } catch {
      throw this.damaged(offset, 'it cannot be inflated')
    } finally {
      inflating.destroy()
    }
    if (length !== size) throw this.damaged(offset, 'it has not the length that it says')
    return offset + inflating.bytesWritten
  }

  *#pieces(offset: number): Generator<Buffer> {
    for (let at = offset; at < this.end; at += windowBytes) yield Buffer.from(this.bytes(at, windowBytes))
  }

  /** Feeds a hash with bytes from one place to another. */
  feed(hash: Hash, from: number, to: number): void {
    for (let at = from; at < to; at += windowBytes) hash.update(this.bytes(at, Math.min(windowBytes, to - at)))
  }

  crc(from: number, to: number): number {
    let crc = 0
    for (let at = from; at < to; at += windowBytes) crc = crc32(this.bytes(at, Math.min(windowBytes, to - at)), crc)
    return crc
  }

  /** The checksum at its end. Throws SourceError when it is not that of what is before it. */
  checksum(): Buffer {
    const hash = createHash('sha1')
    this.feed(hash, 0, this.end)
    const computed = hash.digest()
    if (computed.equals(this.bytes(this.end, trailerBytes))) return computed
    throw new SourceError('Damaged', 'the pack that the remote sent does not have the checksum that it says')
  }

  damaged(offset: number, why: string): SourceError {
    return new SourceError('Damaged', `the pack that the remote sent is damaged at ${offset}: ${why}`)
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
