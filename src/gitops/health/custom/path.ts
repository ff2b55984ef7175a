// Places in an object: `status.phase`, `metadata.labels["a.b/c"]`, `status.conditions[0].type`, `[-1]` for the last,
// `status.conditions[type=Ready].reason` for the first that says so.
// What is null counts as not set.

type Key = string | number | { readonly field: string; readonly is: string }

const part = /\["([^"]+)"\]|\[(-?\d+)\]|\[([^=\]]+)=([^\]]*)\]|([^.[\]]+)/g
const parsed = new Map<string, readonly Key[]>()

function keysOf(path: string): readonly Key[] {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const keys: Key[] = []
  for (const [, quoted, index, field, is, name] of path.matchAll(part)) {
    if (field !== undefined && is !== undefined) keys.push({ field, is })
    else keys.push(index === undefined ? (quoted ?? name ?? '') : Number(index))
  }
  parsed.set(path, keys)
  return keys
}

/** Undefined where nothing is; the value itself for an empty path. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const key of keysOf(path)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = step(at, key)
  }
  return at ?? undefined
}

function step(at: object, key: Key): unknown {
  if (typeof key === 'string') return (at as Record<string, unknown>)[key]
  if (!Array.isArray(at)) return undefined
  return typeof key === 'number' ? at.at(key) : at.find((each) => valueAt(each, key.field) === key.is)
}
