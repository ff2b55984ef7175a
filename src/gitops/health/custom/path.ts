// Places in an object: `status.phase`, `metadata.labels["a.b/c"]`, `status.conditions[0].type`, `[-1]` for the last.
// What is null counts as not set.

type Key = string | number

const parsed = new Map<string, readonly Key[]>()

function keysOf(path: string): readonly Key[] {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const keys: Key[] = []
  for (const [, quoted, index, name] of path.matchAll(/\["([^"]+)"\]|\[(-?\d+)\]|([^.[\]]+)/g))
    keys.push(index === undefined ? (quoted ?? name ?? '') : Number(index))
  parsed.set(path, keys)
  return keys
}

/** Undefined where nothing is; the value itself for an empty path. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const key of keysOf(path)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = typeof key === 'number' ? (Array.isArray(at) ? at.at(key) : undefined) : (at as Record<string, unknown>)[key]
  }
  return at ?? undefined
}
