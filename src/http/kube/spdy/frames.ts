// SPDY/3.1 frames, as far as port forwarding needs them: streams that are opened, answered, written, closed and reset;
// pings, windows and the end of the session. Headers are packed with the dictionary of SPDY/3, in one stream a direction.

import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib'
import { headerDictionary } from './dictionary.ts'

export const frameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

/** The last frame of this side of a stream. */
export const fin = 1

export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly flags: number; readonly body: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer }

const headBytes = 8
/** More than any client sends in one frame. */
const mostBytes = 4 * 1024 * 1024

/** Cuts what arrives into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The frames that are complete now; throws for one that is too long. */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes])
    const frames: Frame[] = []
    while (this.#rest.length >= headBytes) {
      const length = this.#rest.readUInt32BE(4) & 0xffffff
      if (length > mostBytes) throw new Error('a SPDY frame is too long')
      if (this.#rest.length < headBytes + length) break
      const body = this.#rest.subarray(headBytes, headBytes + length)
      const first = this.#rest.readUInt32BE(0)
      const flags = this.#rest[4] ?? 0
      if (first >>> 31 === 1) frames.push({ kind: 'control', type: first & 0xffff, flags, body })
      else frames.push({ kind: 'data', stream: first, flags, body })
      this.#rest = this.#rest.subarray(headBytes + length)
    }
    return frames
  }
}

export function dataFrame(stream: number, body: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(stream, 0)
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4)
  return Buffer.concat([head, body])
}

export function controlFrame(type: number, body: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE((0x80030000 | type) >>> 0, 0)
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4)
  return Buffer.concat([head, body])
}

export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  numbers.forEach((number, index) => {
    bytes.writeUInt32BE(number >>> 0, 4 * index)
  })
  return bytes
}

export type Headers = ReadonlyMap<string, string>

/** Packs and unpacks the headers of one connection; each direction is one stream of deflated bytes. */
export class HeaderCodec {
  readonly #deflate: Deflate = createDeflate({ dictionary: headerDictionary })
  readonly #inflate: Inflate = createInflate({ dictionary: headerDictionary })

  pack(headers: Headers): Promise<Buffer> {
    const parts: Buffer[] = [words(headers.size)]
    for (const [name, value] of headers)
      for (const text of [Buffer.from(name), Buffer.from(value)]) parts.push(words(text.length), text)
    return through(this.#deflate, Buffer.concat(parts))
  }

  async unpack(packed: Uint8Array): Promise<Headers> {
    const bytes = await through(this.#inflate, packed)
    const headers = new Map<string, string>()
    let at = 4
    const text = (): string => {
      const length = bytes.readUInt32BE(at)
      at += 4 + length
      return bytes.toString('utf8', at - length, at)
    }
    for (let left = bytes.readUInt32BE(0); left > 0; left -= 1) {
      const name = text()
      headers.set(name.toLowerCase(), text())
    }
    return headers
  }

  close(): void {
    this.#deflate.close()
    this.#inflate.close()
  }
}

/** Puts bytes through a packer and takes what comes out up to its flush. */
function through(stream: Deflate | Inflate, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.write(bytes)
    stream.flush(constants.Z_SYNC_FLUSH, () => {
      stream.off('error', reject)
      const parts: Buffer[] = []
      for (let part = stream.read() as Buffer | null; part !== null; part = stream.read() as Buffer | null)
        parts.push(part)
      resolve(Buffer.concat(parts))
    })
  })
}
