// A long text (or message) in slices of a few milliseconds, between which other requests are answered.

import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

/** Joins parts until a slice of time is over, then lets others run. */
export async function* slices<T extends string | Uint8Array>(parts: Iterable<T>): AsyncGenerator<T> {
  let slice: T[] = []
  let sliceEnd = performance.now() + sliceMs
  for (const part of parts) {
    slice.push(part)
    if (performance.now() < sliceEnd) continue
    yield joined(slice)
    slice = []
    await nextTurn()
    sliceEnd = performance.now() + sliceMs
  }
  yield joined(slice)
}

/** All texts, or all bytes: as the first is. */
export function joined<T extends string | Uint8Array>(parts: readonly T[]): T {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const isBinary = first !== undefined && typeof first !== 'string'
  return (isBinary ? Buffer.concat(parts as readonly Uint8Array[]) : parts.join('')) as T
}
