// A long text in slices of a few milliseconds, between which other requests are answered.

import { setImmediate as nextTurn } from 'node:timers/promises'

const sliceMs = 4

/** Joins parts until a slice of time is over, then lets others run. */
export async function* slices(parts: Iterable<string>): AsyncGenerator<string> {
  let text = ''
  let sliceEnd = performance.now() + sliceMs
  for (const part of parts) {
    text += part
    if (performance.now() < sliceEnd) continue
    yield text
    text = ''
    await nextTurn()
    sliceEnd = performance.now() + sliceMs
  }
  yield text
}
