// What nobody has asked for is no drift: values that a mutating webhook or the server itself puts into the answer of a dry
// run, into fields that no manager owns, before or after. Argo CD's rule, unless IncludeMutationWebhook=true. Pure.

import { isJsonMap, type Json, type JsonObject, type ManagedFieldsEntry } from '#objects'
import type { Difference } from './differences.ts'
import { type FieldPath, fieldsKey, type PathStep } from './field-path.ts'

export interface Ownership {
  readonly live: readonly ManagedFieldsEntry[]
  readonly predicted: readonly ManagedFieldsEntry[]
}

/** The differences in fields that somebody owns. */
export function withoutUnowned(
  differences: readonly Difference[],
  { live, predicted }: Ownership,
): readonly Difference[] {
  const sets = [...live, ...predicted].flatMap(({ fieldsV1 }) => (fieldsV1 === undefined ? [] : storedSets(fieldsV1)))
  return differences.filter(({ steps }) => sets.some((set) => mayHold(set, steps)))
}

/** What is written to a Secret's stringData is owned there, and stored under data. */
function storedSets(set: JsonObject): readonly JsonObject[] {
  const written = set['f:stringData']
  return written === undefined ? [set] : [set, { 'f:data': written }]
}

/** Whether a set has the field, a field around it or below it. Where the set names elements in another way, it may. */
function mayHold(set: JsonObject, path: FieldPath): boolean {
  let node = set
  for (const step of path) {
    const next: Json | undefined = node[fieldsKey(step)]
    if (next === undefined || !isJsonMap(next))
      return (node !== set && Object.keys(node).length === 0) || isNamedOtherwise(node, step)
    node = next
  }
  return true
}

/** Elements of custom resources are paired without a schema, so not always by the keys that their definition says. */
function isNamedOtherwise(node: JsonObject, step: PathStep): boolean {
  if (step.type === 'field') return false
  const named = Object.keys(node).filter((key) => /^[kvi]:/.test(key))
  if (step.type === 'index') return named.length > 0
  const fields = Object.keys(step.keys).sort().join()
  return named.some((key) => !key.startsWith('k:') || keyFields(key) !== fields)
}

const keyFields = (key: string): string =>
  Object.keys(JSON.parse(key.slice(2)) as object)
    .sort()
    .join()
