// Lists in strategic merge patches: elements with a merge key are merged one by one, scalars are added, and the result is
// put in order: as the patch says first, and as the live list has it where the patch says nothing.

import { isEqual } from '../equality.ts'
import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import type { Schema } from '../schema.ts'
import { goValueText, PatchError } from './patch-error.ts'

export interface ListRule {
  readonly mergeKey: string | undefined
  readonly items: Schema | undefined
  readonly mergeObjects: (original: JsonObject, patch: JsonObject, schema: Schema | undefined) => JsonObject
}

/** Merges a patch of a list into the list. */
export function mergeList(current: readonly Json[], change: readonly Json[], rule: ListRule): readonly Json[] {
  if (change.length === 0) return current
  const { list, patch, merged } = mergeElements(current, change, rule)
  return keepIfEqual(current, inOrder({ merged, order: patch, live: list, mergeKey: rule.mergeKey }))
}

export interface OrderedPatch {
  readonly current: readonly Json[] | undefined
  readonly change: readonly Json[] | undefined
  readonly order: readonly Json[]
}

/** Merges a list whose order the patch sets with `$setElementOrder`. */
export function orderList(
  { current, change, order }: OrderedPatch,
  rule: ListRule,
  withoutDirectives: (value: Json) => Json | undefined,
): readonly Json[] {
  checkOrder(change ?? [], order, rule.mergeKey)
  const live = current ?? []
  let merged: readonly Json[] = live
  if (change !== undefined) {
    const added = (): readonly Json[] => change.map(withoutDirectives).filter((item) => item !== undefined)
    merged = current === undefined ? added() : mergeList(live, change, rule)
  }
  return keepIfEqual(live, inOrder({ merged, order, live, mergeKey: rule.mergeKey }))
}

/** The list without the values of a `$deleteFromPrimitiveList`. */
export function deleteScalars(current: readonly Json[], toDelete: readonly Json[]): readonly Json[] {
  const gone = new Set(toDelete)
  const left = current.filter((item) => !gone.has(item))
  return left.length === current.length ? current : left
}

const keepIfEqual = (current: readonly Json[], next: readonly Json[]): readonly Json[] =>
  current.length === next.length && next.every((item, index) => item === current[index]) ? current : next

interface MergedElements {
  /** The list that was merged into: without what the patch deletes, or the patch itself if it replaces the list. */
  readonly list: readonly Json[]
  /** The patch without its directives. */
  readonly patch: readonly Json[]
  readonly merged: readonly Json[]
}

/** Elements are all of one type of Go's, and no lists. */
function checkElementTypes(current: readonly Json[], change: readonly Json[]): void {
  const [first, ...others] = [...current, ...change].map(typeOf)
  if (first === 'list') throw new PatchError('lists of lists are not supported')
  if (others.every((type) => type === first)) return
  throw new PatchError(`list element types are not identical: ${goValueText([current, change])}`, 'failed')
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  return value === null ? 'null' : typeof value
}

function mergeElements(current: readonly Json[], change: readonly Json[], rule: ListRule): MergedElements {
  checkElementTypes(current, change)
  const [sample] = current.length > 0 ? current : change
  if (!isJsonObject(sample)) {
    return { list: current, patch: change, merged: [...new Set([...current, ...change])] }
  }
  const { mergeKey } = rule
  if (mergeKey === undefined)
    throw new PatchError(`cannot merge lists without merge key for ${rule.items?.id ?? ''}`, 'failed')
  const { list, patch } = applyDirectives(current, change, mergeKey)
  const merged = [...list]
  for (const item of patch) {
    const value = keyOf(item, mergeKey)
    const at = merged.findIndex((candidate) => isJsonObject(candidate) && isEqual(candidate[mergeKey], value))
    const found = merged[at]
    if (isJsonObject(found)) merged[at] = rule.mergeObjects(found, item, rule.items)
    else merged.push(item)
  }
  return { list, patch, merged }
}

/** `{"$patch": "delete"}` elements delete their like; `{"$patch": "replace"}` makes the patch the whole list. */
function applyDirectives(
  current: readonly Json[],
  change: readonly Json[],
  mergeKey: string,
): { readonly list: readonly Json[]; readonly patch: readonly JsonObject[] } {
  const patch: JsonObject[] = []
  let list = current
  let replaces = false
  for (const item of change.filter(isJsonObject)) {
    const directive = item['$patch']
    if (directive === undefined) patch.push(item)
    else if (directive === 'replace') replaces = true
    else if (directive === 'delete') {
      const value = keyOf(item, mergeKey)
      list = list.filter((candidate) => !isJsonObject(candidate) || !isEqual(candidate[mergeKey], value))
    } else if (directive === 'merge')
      throw new PatchError('merging lists cannot yet be specified in the patch', 'failed')
    else throw new PatchError(`unknown patch type: ${goValueText(directive)} in map: ${goValueText(item)}`, 'failed')
  }
  return replaces ? { list: patch, patch: [] } : { list, patch }
}

function keyOf(item: Json, mergeKey: string): Json {
  const value = isJsonObject(item) ? item[mergeKey] : undefined
  if (value === undefined)
    throw new PatchError(`map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`, 'failed')
  return value
}

interface Ordering {
  readonly merged: readonly Json[]
  /** Elements in the order that the patch gives them. */
  readonly order: readonly Json[]
  /** The list as it was. */
  readonly live: readonly Json[]
  readonly mergeKey: string | undefined
}

/** Elements of the patch in its order; the others in theirs, each before the first of the patch's that followed it. */
function inOrder({ merged, order, live, mergeKey }: Ordering): readonly Json[] {
  const identity = (item: Json): string => JSON.stringify(mergeKey === undefined ? item : keyOf(item, mergeKey))
  const placeOf = (list: readonly Json[]): ReadonlyMap<string, number> => {
    const places = new Map<string, number>()
    list.forEach((item, index) => {
      const key = identity(item)
      if (!places.has(key)) places.set(key, index)
    })
    return places
  }
  const [inPatch, inLive] = [placeOf(order), placeOf(live)]
  const sorted = (items: readonly Json[], places: ReadonlyMap<string, number>): readonly Json[] =>
    [...items].sort((a, b) => (places.get(identity(a)) ?? 0) - (places.get(identity(b)) ?? 0))
  const ofPatch = sorted(
    merged.filter((item) => inPatch.has(identity(item))),
    inPatch,
  )
  const ofServer = sorted(
    merged.filter((item) => !inPatch.has(identity(item))),
    inLive,
  )
  return interleave(ofServer, ofPatch, (item) => inLive.get(identity(item)))
}

function interleave(
  server: readonly Json[],
  patch: readonly Json[],
  place: (item: Json) => number | undefined,
): readonly Json[] {
  const out: Json[] = []
  let [i, j] = [0, 0]
  while (i < server.length && j < patch.length) {
    const [left = null, right = null] = [server[i], patch[j]]
    const [l, r] = [place(left), place(right)]
    if (l !== undefined && r !== undefined && l < r) {
      out.push(left)
      i++
    } else {
      out.push(right)
      j++
    }
  }
  return [...out, ...server.slice(i), ...patch.slice(j)]
}

/** The elements of a patch must stand in the order that it sets. */
function checkOrder(change: readonly Json[], order: readonly Json[], mergeKey: string | undefined): void {
  const kept = change.filter((item) => !isJsonObject(item) || !Object.hasOwn(item, '$patch'))
  if (order.length === 0 || kept.length === 0) return
  const identity = (item: Json): Json => (mergeKey === undefined ? item : keyOf(item, mergeKey))
  let at = 0
  for (const item of order) {
    const next = kept[at]
    if (next !== undefined && isEqual(identity(next), identity(item))) at++
  }
  if (at < kept.length)
    throw new PatchError(
      `The order in patch list:\n${goValueText(change)}\n doesn't match $setElementOrder list:\n${goValueText(order)}\n`,
      'failed',
    )
}
