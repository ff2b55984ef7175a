// Packs that are written entry by entry, as no git writes them. What is tested has no part in it.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

export interface PackEntry {
  readonly type: 1 | 2 | 3 | 4 | 5 | 6 | 7
  readonly bytes: Buffer
  /** What it says, where that is not so. */
  readonly size?: number
  /** Between header and content: what it is made of. */
  readonly base?: Buffer
}

/** Of a blob. */
export const idOf = (text: string): Buffer => createHash('sha1').update(`blob ${text.length}\0${text}`).digest()
export const blob = (text: string): PackEntry => ({ type: 3, bytes: Buffer.from(text) })
export const madeOf = (text: string, delta: Buffer): PackEntry => ({ type: 7, base: idOf(text), bytes: delta })

/** How a delta begins: the sizes of what it is made of, and of what it makes. */
export const sizes = (from: number, to: number): Buffer => Buffer.from([...varint(from), ...varint(to)])
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 0x80, ...varint(Math.floor(value / 128))]

/** Copies all of a base of so many bytes, and adds a letter. */
export const adding = (letter: string, size = 5): Buffer =>
  Buffer.concat([sizes(size, size + 1), Buffer.from([0x90, size, 1, letter.charCodeAt(0)])])

function header({ type, bytes, size = bytes.length }: PackEntry): Buffer {
  const parts = [(type << 4) | (size & 15)]
  let rest = Math.floor(size / 16)
  while (rest > 0) {
    parts.push((parts.pop() ?? 0) | 0x80, rest & 0x7f)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from(parts)
}

/** `count`: what it says of their number. */
export function writePack(path: string, entries: readonly PackEntry[], count = entries.length): string {
  const head = Buffer.alloc(12, 'PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  const parts = entries.flatMap((entry) => [header(entry), entry.base ?? Buffer.alloc(0), deflateSync(entry.bytes)])
  const content = Buffer.concat([head, ...parts])
  writeFileSync(path, Buffer.concat([content, createHash('sha1').update(content).digest()]))
  return path
}
