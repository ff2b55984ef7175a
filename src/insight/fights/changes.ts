// What one change of an object changed, field by field, and which manager owns each of those fields now: read from
// managedFields, so it works on any cluster. Status is left out: it has one writer by design.

import { type AnyObject, isEqual } from '#objects'

export interface FieldChange {
  /** `spec.replicas`, `spec.template.spec.containers[app].image`. */
  readonly field: string
  readonly manager: string
  /** As JSON; `undefined` when the field was taken away. */
  readonly value: string | undefined
}

interface ManagedEntry {
  readonly manager?: string
  readonly time?: string
  readonly subresource?: string
  readonly fieldsV1?: unknown
}

/** One part of a path, in words and as managedFields spell it. */
interface Part {
  readonly text: string
  readonly key: string
}

const watched = ['spec', 'data'] as const

export function changesBetween(old: AnyObject, object: AnyObject): readonly FieldChange[] {
  const paths: { readonly path: readonly Part[]; readonly value: unknown }[] = []
  const collect = (before: unknown, after: unknown, path: readonly Part[]): void => {
    if (before === after || isEqual(before, after)) return
    const inside = partsOf(before, after)
    if (inside === undefined) paths.push({ path, value: after })
    else for (const { part, left, right } of inside) collect(left, right, [...path, part])
  }
  const [from, to] = [old, object] as readonly unknown[] as readonly Readonly<Record<string, unknown>>[]
  for (const name of watched) collect(from?.[name], to?.[name], [{ text: name, key: `f:${name}` }])
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedEntry[]
  return paths.flatMap(({ path, value }) => {
    const manager = ownerOf(entries, path)
    if (manager === undefined) return []
    return [{ field: textOf(path), manager, value: value === undefined ? undefined : JSON.stringify(value) }]
  })
}

interface Inside {
  readonly part: Part
  readonly left: unknown
  readonly right: unknown
}

/** The fields of two maps, or the entries of two lists that are told apart by name; undefined for anything else. */
function partsOf(before: unknown, after: unknown): readonly Inside[] | undefined {
  if (isNamedList(before) && isNamedList(after)) {
    const names = new Set([...before, ...after].map(({ name }) => name))
    return [...names].map((name) => ({
      part: { text: `[${name}]`, key: `k:{"name":${JSON.stringify(name)}}` },
      left: before.find((entry) => entry.name === name),
      right: after.find((entry) => entry.name === name),
    }))
  }
  if (!isMap(before) || !isMap(after)) return undefined
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => ({
    part: { text: name, key: `f:${name}` },
    left: before[name],
    right: after[name],
  }))
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNamedList = (value: unknown): value is readonly { readonly name: string }[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => isMap(entry) && typeof entry['name'] === 'string')

const textOf = (path: readonly Part[]): string =>
  path.map(({ text }, i) => (i === 0 || text.startsWith('[') ? text : `.${text}`)).join('')

/** The manager that has owned the field (or a whole that it is part of) last. */
function ownerOf(entries: readonly ManagedEntry[], path: readonly Part[]): string | undefined {
  return entries
    .filter(({ fieldsV1, subresource }) => subresource !== 'status' && owns(fieldsV1, path))
    .toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager
}

function owns(fields: unknown, path: readonly Part[]): boolean {
  let node: unknown = fields
  for (const { key } of path) {
    if (!isMap(node)) return false
    if (Object.keys(node).length === 0) return true
    node = node[key]
  }
  return node !== undefined
}
