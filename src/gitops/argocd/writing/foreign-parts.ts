// What a live object becomes when git's version of it is written over it, without what others have put there against it.
// Server-side apply keeps the fields and list elements of others, which is right until they contradict git's: a strategy that
// git calls Recreate still has the settings of a rolling update, a volume has two sources, two ports of a Service have one
// name, and the server refuses it. Fields go where the refusal names them; elements only if that is not enough. Pure.

import { keyOfElement } from '#gitops/diff'
import { type AnyObject, isJsonMap, type Json, type Schema } from '#objects'

interface Contradiction {
  readonly live: AnyObject
  readonly target: AnyObject
  readonly schema: Schema
  /** Fields that the refusal names: `spec.template.spec.volumes[0].configMap`. */
  readonly fields: readonly string[]
}

/** What may be tried, the gentlest first; nothing where there is nothing of others. */
export function withoutForeignParts({ live, target, schema, fields }: Contradiction): readonly AnyObject[] {
  const named = new Set(fields.map((field) => field.replace(/\[\d+\]/g, '[]')))
  return [false, true].flatMap((elements): readonly AnyObject[] => {
    const found: Found = { named, elements, foreign: false }
    const at = { live: live as unknown as Json, target: target as unknown as Json, schema, path: '' }
    const merged = merge(found, at) as unknown as AnyObject
    return found.foreign ? [merged] : []
  })
}

interface Found {
  /** Places with elements as `[]`: which one is meant depends on an order that nobody knows here. */
  readonly named: ReadonlySet<string>
  /** Whether elements of others go too. */
  readonly elements: boolean
  foreign: boolean
}

interface At {
  readonly live: Json | undefined
  readonly target: Json
  readonly schema: Schema | undefined
  readonly path: string
}

function merge(found: Found, at: At): Json {
  const { live, target, schema } = at
  if (isJsonMap(live) && isJsonMap(target)) return schema?.mapType === 'atomic' ? target : mergeMaps(found, at)
  const keys = schema?.listType === 'map' ? schema.listMapKeys : undefined
  if (keys === undefined || !Array.isArray(live) || !Array.isArray(target)) return target
  return mergeLists(found, at, keys)
}

function mergeMaps(found: Found, { live, target, schema, path }: At): Json {
  if (!isJsonMap(live) || !isJsonMap(target)) return target
  const isOurs = (name: string): boolean => target[name] !== undefined
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  // One of git's own fields is refused: beside it stands something that it does not go with.
  const isRefused = path.includes('.') && Object.keys(target).some((name) => found.named.has(below(name)))
  const kept = Object.entries(live).filter(([name]) => {
    if (isOurs(name) || !(isRefused || isNamed(found.named, below(name)))) return true
    found.foreign = true
    return false
  })
  const own = Object.entries(target).map(([name, value]): [string, Json] => [
    name,
    merge(found, {
      live: live[name],
      target: value as Json,
      schema: schema?.properties?.get(name) ?? schema?.values,
      path: below(name),
    }),
  ])
  return Object.fromEntries([...kept, ...own])
}

const isNamed = (named: ReadonlySet<string>, path: string): boolean =>
  [...named].some((each) => each === path || each.startsWith(`${path}.`) || each.startsWith(`${path}[`))

function mergeLists(found: Found, at: At, keys: readonly string[]): Json {
  const { schema } = at
  const [live, target] = [at.live, at.target] as readonly (readonly Json[])[]
  if (live === undefined || target === undefined) return at.target
  const keyOf = (element: Json): string => keyOfElement(element, keys, schema)
  const wanted = new Set(target.map(keyOf))
  const foreign = live.filter((element) => !wanted.has(keyOf(element)))
  if (found.elements && foreign.length > 0) found.foreign = true
  const byKey = new Map(live.map((element) => [keyOf(element), element]))
  const own = target.map((element) =>
    merge(found, { live: byKey.get(keyOf(element)), target: element, schema: schema?.items, path: `${at.path}[]` }),
  )
  return found.elements ? own : [...own, ...foreign]
}
