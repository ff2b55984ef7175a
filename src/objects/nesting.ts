// How deep values may be nested. Everything here walks values by recursion, and a call stack that runs out cannot be
// relied on to end in an error (a regular expression that is compiled at its end takes the process along). Go's decoder
// bears 10,000; no kind of Kubernetes comes near this limit.

import type { Json } from './object.ts'

export const maxNesting = 500

/** Whether a value has more levels than `limit`; the loop knows no stack. */
export function isNestedTooDeeply(value: Json | undefined, limit = maxNesting): boolean {
  const open: { readonly value: Json | undefined; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth >= limit) return true
    for (const child of Object.values(next.value)) open.push({ value: child as Json, depth: next.depth + 1 })
  }
  return false
}
