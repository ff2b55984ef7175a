// Strategic merge patch: like a merge patch, but lists merge by the keys that the schema names, and `$patch`, `$retainKeys`,
// `$deleteFromPrimitiveList` and `$setElementOrder` say what a plain merge cannot. Follows
// k8s.io/apimachinery/pkg/util/strategicpatch. Shares what the patch does not touch.

import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import type { Schema } from '../schema.ts'
import { setOwn } from '../text/json.ts'
import { goValueText, PatchError } from './patch-error.ts'
import { deleteScalars, mergeList, orderList } from './strategic-list.ts'

const deletePrefix = '$deleteFromPrimitiveList/'
const orderPrefix = '$setElementOrder/'

/** The object with the patch merged in by its schema. Throws a PatchError. */
export function strategicMergePatch(original: Json, patch: Json, schema: Schema): Json {
  if (!isJsonObject(patch)) throw new PatchError('invalid JSON document', 'malformed')
  return mergeObjects(isJsonObject(original) ? original : {}, patch, schema)
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** A copy of an object, made when the first field changes. */
class Draft {
  readonly original: JsonObject
  #copy: Record<string, Json> | undefined

  constructor(original: JsonObject) {
    this.original = original
  }

  get(key: string): Json | undefined {
    const from = this.#copy ?? this.original
    return Object.hasOwn(from, key) ? from[key] : undefined
  }

  set(key: string, value: Json | undefined): void {
    if (value === this.get(key)) return
    this.#copy ??= { ...this.original }
    if (value === undefined) delete this.#copy[key]
    else setOwn(this.#copy, key, value)
  }

  get value(): JsonObject {
    return this.#copy ?? this.original
  }
}

/** Merges one object; also called for the elements of lists. */
export function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = patch['$patch']
  if (directive !== undefined) return directed(directive, patch)
  const draft = new Draft(original)
  retainKeys(draft, patch)
  const ordered = mergeOrdered(draft, patch, schema)
  for (const key in patch) {
    if (key === '$retainKeys' || key.startsWith(orderPrefix) || ordered.has(key)) continue
    const change = patch[key]
    if (change === undefined) continue
    if (key.startsWith(deletePrefix)) deleteFrom(draft, key.slice(deletePrefix.length), change)
    else draft.set(key, merged(draft.get(key), change, fieldOf(schema, key)))
  }
  return draft.value
}

const fieldOf = (schema: Schema | undefined, key: string): Schema | undefined =>
  schema?.properties?.get(key) ?? schema?.values

function directed(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'replace') {
    const { $patch: _, ...rest } = patch
    return rest
  }
  if (directive === 'delete') return {}
  throw new PatchError(`unknown patch type: ${goValueText(directive)} in map: ${goValueText(patch)}`, 'failed')
}

/** What a field becomes; undefined: it goes. */
function merged(current: Json | undefined, change: Json, schema: Schema | undefined): Json | undefined {
  if (change === null) return undefined
  const strategies = schema?.patchStrategy?.split(',') ?? []
  if (isJsonObject(current) && isJsonObject(change))
    return strategies.includes('replace') ? change : mergeObjects(current, change, schema)
  if (isList(current) && isList(change)) {
    if (!strategies.includes('merge')) return change
    return mergeList(current, change, { mergeKey: schema?.patchMergeKey, items: schema?.items, mergeObjects })
  }
  return withoutDirectives(withoutNulls(change))
}

function deleteFrom(draft: Draft, key: string, change: Json): void {
  const current = draft.get(key)
  if (isList(current) && isList(change)) draft.set(key, deleteScalars(current, change))
}

/** `$retainKeys`: fields that are not listed go. Used for unions such as a volume's source. */
function retainKeys(draft: Draft, patch: JsonObject): void {
  const retain = patch['$retainKeys']
  if (retain === undefined) return
  if (!isList(retain)) throw new PatchError('invalid patch format of retainKeys', 'malformed')
  const kept = new Set<Json>(retain)
  for (const key in patch) {
    const directive = key === '$retainKeys' || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)
    if (!directive && patch[key] !== null && !kept.has(key))
      throw new PatchError('invalid patch format of retainKeys', 'malformed')
  }
  for (const key of Object.keys(draft.original)) if (!kept.has(key)) draft.set(key, undefined)
}

/** Merges the lists whose order the patch sets. Returns their names: they need no more merging. */
function mergeOrdered(draft: Draft, patch: JsonObject, schema: Schema | undefined): ReadonlySet<string> {
  const names = new Set<string>()
  for (const directive in patch) {
    if (!directive.startsWith(orderPrefix)) continue
    const name = directive.slice(orderPrefix.length)
    const [order, current, change] = [patch[directive], draft.get(name), patch[name]]
    const field = fieldOf(schema, name)
    if (!isList(order)) throw new PatchError('invalid patch format of setElementOrder list', 'malformed')
    for (const list of [current, change])
      if (list !== undefined && list !== null && !isList(list))
        throw new PatchError('invalid patch format of setElementOrder list', 'malformed')
    if (change === null || (current === undefined && change === undefined)) continue
    names.add(name)
    const how = { mergeKey: field?.patchMergeKey, items: field?.items, mergeObjects }
    draft.set(
      name,
      orderList(
        { current: listOr(current), change: isList(change) ? change : undefined, order },
        how,
        withoutDirectives,
      ),
    )
  }
  return names
}

const listOr = (value: Json | undefined): readonly Json[] | undefined => (isList(value) ? value : undefined)

/** Values without the fields and elements that only carry a directive; undefined if the value is one itself. */
function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return mapList(value, withoutDirectives)
  if (!isJsonObject(value)) return value
  if (Object.hasOwn(value, '$patch')) return undefined
  return mapFields(value, withoutDirectives)
}

function withoutNulls(value: Json): Json {
  if (isList(value)) return mapList(value, withoutNulls)
  return isJsonObject(value) ? mapFields(value, (entry) => (entry === null ? undefined : withoutNulls(entry))) : value
}

function mapList(list: readonly Json[], map: (value: Json) => Json | undefined): readonly Json[] {
  const out = list.map(map).filter((item) => item !== undefined)
  return out.length === list.length && out.every((item, index) => item === list[index]) ? list : out
}

function mapFields(object: JsonObject, map: (value: Json) => Json | undefined): JsonObject {
  const draft = new Draft(object)
  for (const key in object) {
    const value = object[key]
    if (value !== undefined) draft.set(key, map(value))
  }
  return draft.value
}
