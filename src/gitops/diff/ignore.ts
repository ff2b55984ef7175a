// ignoreDifferences, of an application or of all: what nobody wants to hear about. Pointers are removed on both sides; fields that
// a named manager owns are taken from live. What jq expressions mean in an object comes in as paths.

import type { IgnoreDifference } from '#kinds'
import { type AnyObject, isJsonMap, type Json, type JsonObject, type ManagedFieldsEntry, matchesGlob } from '#objects'
import type { Difference } from './differences.ts'
import { ownerOf } from './ownership.ts'
import type { ResourceKey } from './resource-key.ts'

export type IgnoreRule = IgnoreDifference

/** The rules that concern an object. Group and kind may be globs. */
export const rulesFor = (rules: readonly IgnoreRule[], key: ResourceKey): readonly IgnoreRule[] =>
  rules.filter(
    (rule) =>
      matchesGlob(rule.group ?? '', key.group) &&
      matchesGlob(rule.kind, key.kind) &&
      (rule.name === undefined || rule.name === '' || rule.name === key.name) &&
      (rule.namespace === undefined || rule.namespace === '' || rule.namespace === key.namespace),
  )

/** `ignoreAggregatedRoles`: the rules of a role that gathers those of others are written by the cluster. */
export const rulesOfAggregation = (object: AnyObject): readonly IgnoreRule[] =>
  object.kind === 'ClusterRole' && object['aggregationRule'] !== undefined
    ? [{ group: 'rbac.authorization.k8s.io', kind: object.kind, jsonPointers: ['/rules'] }]
    : []

export const pointersOf = (rules: readonly IgnoreRule[]): readonly string[] =>
  rules.flatMap((rule) => rule.jsonPointers ?? [])

export const jqExpressionsOf = (rules: readonly IgnoreRule[]): readonly string[] =>
  rules.flatMap((rule) => rule.jqPathExpressions ?? [])

/** Steps from an object to a value in it. */
export type ValuePath = readonly (string | number)[]

/** The object without the values at the paths. Later elements of a list go first, so that none moves before its turn. */
export const withoutPaths = (object: JsonObject, paths: readonly ValuePath[]): JsonObject =>
  [...paths].sort(laterFirst).reduce<JsonObject>((rest, path) => remove(rest, path.map(String)) as JsonObject, object)

function laterFirst(a: ValuePath, b: ValuePath): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [x, y] = [a[index], b[index]]
    if (typeof x === 'number' && typeof y === 'number' && x !== y) return y - x
  }
  return b.length - a.length
}

/** The object without the fields at the pointers; the same object when it has none of them. */
export const withoutPointers = (object: JsonObject, pointers: readonly string[]): JsonObject =>
  pointers.reduce<JsonObject>((rest, pointer) => remove(rest, segments(pointer)) as JsonObject, object)

const segments = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

function remove(value: Json, path: readonly string[]): Json {
  const [first, ...rest] = path
  if (first === undefined) return value
  if (Array.isArray(value)) {
    const index = Number(first)
    if (!Number.isInteger(index) || index < 0 || index >= value.length) return value
    return rest.length === 0
      ? value.filter((_, at) => at !== index)
      : value.map((each: Json, at: number) => (at === index ? remove(each, rest) : each))
  }
  if (!isJsonMap(value) || !(first in value)) return value
  if (rest.length > 0) {
    const below = value[first]
    return below === undefined ? value : { ...value, [first]: remove(below, rest) }
  }
  const { [first]: _removed, ...kept } = value
  return kept
}

/** Differences that are not of a manager whose fields are to be left alone. */
export function withoutManagers(
  differences: readonly Difference[],
  rules: readonly IgnoreRule[],
  managedFields: readonly ManagedFieldsEntry[],
): readonly Difference[] {
  const managers = new Set(rules.flatMap((rule) => rule.managedFieldsManagers ?? []))
  if (managers.size === 0) return differences
  return differences.filter((difference) => !managers.has(ownerOf(managedFields, difference.steps)?.manager ?? ''))
}
