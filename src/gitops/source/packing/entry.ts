// How an object of a pack begins: its type and length, and how far before it the one lies that it is made of. Pure, over bytes.

import type { ObjectType } from '../raw-object.ts'

export const offsetDelta = 6
export const idDelta = 7

/** Of objects that are made of one another: longer rows are damage, or meant to harm. */
export const maxDepth = 4096

export const wholeTypes: ReadonlyMap<number, ObjectType> = new Map([
  [1, 'commit'],
  [2, 'tree'],
  [3, 'blob'],
  [4, 'tag'],
])

/** Neither a header nor a distance is ever longer. */
export const headerBytes = 64
const maxDigits = 10

export interface EntryHeader {
  readonly type: number
  readonly size: number
  /** Of the header. */
  readonly length: number
}

export function readHeader(head: Buffer): EntryHeader {
  let length = 0
  let byte = head[length++] ?? 0
  const type = (byte >> 4) & 7
  let size = byte & 15
  let factor = 16
  while ((byte & 0x80) !== 0 && length < maxDigits) {
    byte = head[length++] ?? 0
    size += (byte & 0x7f) * factor
    factor *= 128
  }
  return { type, size, length }
}

export function readDistance(head: Buffer): { readonly distance: number; readonly length: number } {
  let length = 0
  let byte = head[length++] ?? 0
  let distance = byte & 0x7f
  while ((byte & 0x80) !== 0 && length < maxDigits) {
    byte = head[length++] ?? 0
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  return { distance, length }
}

export function headerOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80
    bytes.push(rest & 0x7f)
  }
  return Buffer.from(bytes)
}

export function distanceOf(distance: number): Buffer {
  const bytes = [distance & 0x7f]
  for (let rest = Math.floor(distance / 128) - 1; rest >= 0; rest = Math.floor(rest / 128) - 1)
    bytes.unshift((rest & 0x7f) | 0x80)
  return Buffer.from(bytes)
}
