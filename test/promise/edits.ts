// Edits by hand of fields that git owns: which there are in a live object, by its managed fields, and what somebody might
// make of each.

import { type FieldPath, pathText } from '#gitops/diff'
import { builtInSchema } from '#kinds'
import { type AnyObject, groupOf, isEqual, isJsonMap, type Json, type JsonObject, type Schema } from '#objects'

type PathStep = FieldPath[number]

export interface Edit {
  readonly path: FieldPath
  /** `spec.replicas := 4`, for messages. */
  readonly text: string
  readonly edited: AnyObject
  /** Whether an object has everything again that git owns of what was edited. */
  readonly isUndoneIn: (object: AnyObject) => boolean
}

/** Every edit of every field that the manager owns. */
export function editsOf(live: AnyObject, manager: string): readonly Edit[] {
  const { apiVersion, kind } = live
  const schema = builtInSchema(groupOf(apiVersion), apiVersion.slice(apiVersion.indexOf('/') + 1), kind)
  const paths = (live.metadata.managedFields ?? []).flatMap((entry) =>
    entry.manager === manager && entry.fieldsV1 !== undefined
      ? ownedPaths(entry.fieldsV1, { value: live as unknown as Json, schema, path: [] })
      : [],
  )
  const before = live as unknown as Json
  return paths.flatMap((path) => {
    const value = valueAt(before, path)
    if (value === undefined) return []
    const below = paths.filter((each) => each.length >= path.length && pathText(each).startsWith(pathText(path)))
    const leaves = below.filter((each) => !below.some((other) => isBelow(other, each)))
    const isUndoneIn = (object: AnyObject): boolean =>
      leaves.every((leaf) => isSame(object as unknown as Json, before, leaf))
    // What is put into an empty map of a custom resource is a field of its own, which git does not have.
    const isOpen = schema === undefined && isEqual(value, {})
    return [undefined, ...(isOpen ? [] : variants(value))].map((to): Edit => {
      const edited = withValue(before, path, to) as unknown as AnyObject
      return { path, text: `${pathText(path)} := ${JSON.stringify(to)}`, edited, isUndoneIn }
    })
  })
}

const isBelow = (path: FieldPath, above: FieldPath): boolean =>
  path.length > above.length && above.every((step, index) => isEqual(step, path[index]))

/** A member of a set is the same wherever it stands. */
function isSame(now: Json, before: Json, path: FieldPath): boolean {
  const was = valueAt(before, path)
  if (path.at(-1)?.type !== 'index') return isEqual(valueAt(now, path), was)
  const list = valueAt(now, path.slice(0, -1))
  return Array.isArray(list) && (list as readonly Json[]).some((each) => isEqual(each, was))
}

interface At {
  readonly value: Json | undefined
  readonly schema: Schema | undefined
  readonly path: FieldPath
}

function ownedPaths(fields: JsonObject, { value, schema, path }: At): readonly FieldPath[] {
  const names = Object.keys(fields)
  if (value === undefined) return []
  if (names.length === 0) return [path]
  return names.flatMap((name): readonly FieldPath[] => {
    if (name === '.') return [path]
    const below = fields[name]
    if (below === undefined || !isJsonMap(below)) return []
    if (name.startsWith('f:')) {
      const field = name.slice(2)
      const next = isJsonMap(value) ? value[field] : undefined
      return ownedPaths(below, {
        value: next,
        schema: schema?.properties?.get(field) ?? schema?.values,
        path: [...path, { type: 'field', name: field }],
      })
    }
    const found = elementOf(value, name, schema)
    return found === undefined
      ? []
      : ownedPaths(below, { ...found, schema: schema?.items, path: [...path, found.step] })
  })
}

function elementOf(
  list: Json,
  name: string,
  schema: Schema | undefined,
): { readonly value: Json; readonly step: PathStep } | undefined {
  if (!Array.isArray(list)) return undefined
  const wanted = JSON.parse(name.slice(2)) as Json
  const index = (list as readonly Json[]).findIndex((element) =>
    name.startsWith('v:')
      ? isEqual(element, wanted)
      : isJsonMap(element) &&
        Object.entries(wanted as JsonObject).every(([key, value]) =>
          isEqual(element[key] ?? schema?.items?.properties?.get(key)?.default, value),
        ),
  )
  const value = list[index] as Json | undefined
  if (value === undefined) return undefined
  return {
    value,
    step: name.startsWith('v:') ? { type: 'index', index } : { type: 'key', keys: wanted as JsonObject, index },
  }
}

const keyOf = (step: PathStep): string | number => (step.type === 'field' ? step.name : step.index)

function valueAt(object: Json | undefined, path: FieldPath): Json | undefined {
  let value = object
  for (const step of path) {
    if (value === undefined || value === null || typeof value !== 'object') return undefined
    if (step.type === 'key' && Array.isArray(value))
      value = (value as readonly Json[]).find(
        (each) => isJsonMap(each) && Object.entries(step.keys).every(([key, wanted]) => isEqual(each[key], wanted)),
      )
    else value = (value as { readonly [key: string | number]: Json })[keyOf(step)]
  }
  return value
}

function withValue(value: Json | undefined, [step, ...rest]: FieldPath, to: Json | undefined): Json | undefined {
  if (step === undefined) return to
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((each, index) => {
      if (index !== keyOf(step)) return [each]
      const made = withValue(each, rest, to)
      return made === undefined ? [] : [made]
    })
  }
  const { [String(keyOf(step))]: before, ...others } = (value ?? {}) as JsonObject
  const made = withValue(before, rest, to)
  return made === undefined ? others : { ...others, [String(keyOf(step))]: made }
}

/** What somebody might put in the place of a value. */
function variants(value: Json): readonly Json[] {
  if (typeof value === 'number') return [value + 1, Math.max(value - 1, 0)]
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'string') return textVariants(value)
  if (Array.isArray(value))
    return value.length === 0 ? [['x']] : [value.slice(1), [...value, value[0] as Json], [...value].reverse()]
  if (value === null) return []
  const [first, ...others] = Object.entries(value as JsonObject)
  return first === undefined ? [{ x: 'y' }] : [Object.fromEntries(others), { ...(value as JsonObject), extra: 'x' }]
}

function textVariants(value: string): readonly Json[] {
  const choices = [
    ['TCP', 'UDP'],
    ['Always', 'IfNotPresent', 'Never'],
    ['Recreate', 'RollingUpdate', 'OnDelete'],
    ['ClusterIP', 'NodePort', 'LoadBalancer'],
    ['None', 'ClientIP'],
    ['Allow', 'Forbid', 'Replace'],
    ['Prefix', 'Exact'],
    ['Ingress', 'Egress'],
    ['HTTP', 'HTTPS'],
    ['ClusterFirst', 'Default'],
    ['Delete', 'Retain'],
    ['File', 'FallbackToLogsOnError'],
  ]
  const others = choices.filter((list) => list.includes(value)).flatMap((list) => list.filter((each) => each !== value))
  const amount = /^(\d+)(m|Mi|Gi|Ki|%)?$/.exec(value)
  return [...others, ...(amount === null ? [] : [`${Number(amount[1]) + 1}${amount[2] ?? ''}`]), `${value}x`, '']
}
