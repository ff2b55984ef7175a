// Git's deltas: an object as pieces of another and what is new in between. Pure.

import { tooLarge } from './raw-object.ts'

/** Throws RangeError for a delta that does not fit its base, SourceError when more than `maxBytes` would come of it. */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const from = sizeAt(delta, 0)
  const to = sizeAt(delta, from.end)
  if (from.size !== base.length) throw new RangeError('its delta is for another base')
  if (to.size > maxBytes) throw tooLarge(to.size, maxBytes)
  const result = Buffer.allocUnsafe(to.size)
  let [at, filled] = [to.end, 0]
  while (at < delta.length) {
    const code = delta[at++] ?? 0
    if ((code & 0x80) === 0) {
      const piece = delta.subarray(at, at + code)
      if (code === 0 || piece.length < code) throw new RangeError('its delta is broken')
      put(result, piece, filled)
      at += code
      filled += code
    } else {
      const copy = copyAt(delta, at, code)
      const piece = base.subarray(copy.offset, copy.offset + copy.length)
      if (piece.length < copy.length) throw new RangeError('its delta reaches out of its base')
      put(result, piece, filled)
      at = copy.end
      filled += copy.length
    }
  }
  if (filled !== to.size) throw new RangeError('its delta ends too early')
  return result
}

function put(result: Buffer, piece: Buffer, at: number): void {
  if (at + piece.length > result.length) throw new RangeError('its delta gives more than it says')
  result.set(piece, at)
}

/** Seven bits a byte, the lowest first. */
function sizeAt(delta: Buffer, start: number): { readonly size: number; readonly end: number } {
  let [at, size, factor] = [start, 0, 1]
  for (;;) {
    const byte = delta[at++]
    if (byte === undefined || factor > 2 ** 42) throw new RangeError('its delta is broken')
    size += (byte & 0x7f) * factor
    factor *= 128
    if ((byte & 0x80) === 0) return { size, end: at }
  }
}

/** The bits of the code say which bytes of offset and length follow. */
function copyAt(delta: Buffer, start: number, code: number) {
  let at = start
  let [offset, length] = [0, 0]
  for (let byte = 0; byte < 4; byte += 1) if ((code & (1 << byte)) !== 0) offset += (delta[at++] ?? 0) * 2 ** (8 * byte)
  for (let byte = 0; byte < 3; byte += 1)
    if ((code & (0x10 << byte)) !== 0) length += (delta[at++] ?? 0) * 2 ** (8 * byte)
  return { offset, length: length === 0 ? 0x10000 : length, end: at }
}
