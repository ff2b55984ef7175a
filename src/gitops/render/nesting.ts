// How deep a manifest may be nested. Everything behind the renderer walks manifests by recursion; no kind of Kubernetes
// comes near this limit.

import type { Json } from '#objects'

export const maxNesting = 500

export function isNestedTooDeeply(value: Json): boolean {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth === maxNesting) return true
    for (const child of Object.values(next.value)) open.push({ value: child as Json, depth: next.depth + 1 })
  }
  return false
}
