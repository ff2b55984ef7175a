// Deep equality of JSON values. Objects share what did not change, so most comparisons end at the first reference.
// A key whose value is undefined counts as absent.

/** Whether two JSON values are the same; the order of keys does not matter. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && areListsEqual(a, b)
  return !Array.isArray(b) && areMapsEqual(a as Fields, b as Fields)
}

type Fields = { readonly [key: string]: unknown }

function areListsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i])) return false
  return true
}

function areMapsEqual(a: Fields, b: Fields): boolean {
  let seen = 0
  for (const key in a) {
    const value = a[key]
    if (value === undefined) continue
    seen++
    if (!isEqual(value, b[key])) return false
  }
  for (const key in b) if (b[key] !== undefined) seen--
  return seen === 0
}
