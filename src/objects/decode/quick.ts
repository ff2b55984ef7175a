// Decoding for values that have nothing to report, which is nearly all of them: no paths, no texts. Whatever is not as it
// should be ends it with `setback`, and the value is walked again in a way that can say what is wrong (decode.ts).
// A part that is the very part of `base`, a value that was decoded before, is kept as it is.

import { Elements } from '../elements.ts'
import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import { setOwn } from '../text/json.ts'
import { fitsIn, isStoredBytes, storedQuantity, storedTime } from './leaf.ts'
import type { CustomPlan, Field, LeafPlan, ListPlan, MapPlan, Plan, StructPlan } from './plan.ts'

/** Thrown where a value has something to report. One for all: nobody looks at its stack. */
export const setback = new Error('the value has something to report')

/** Keys that change and what they become; undefined: the key goes. */
type Changes = Map<string, Json | undefined>

/** The value in its stored form; the same reference if it has that form. Throws `setback`. */
export function decodeQuickly(plan: Plan, value: Json, base: Json | undefined): Json {
  switch (plan.is) {
    case 'leaf':
      return quickLeaf(plan, value)
    case 'struct':
      return quickStruct(plan, value, base)
    case 'list':
      return quickList(plan, value, base)
    case 'map':
      return quickMap(plan, value)
    case 'either':
      return decodeQuickly(isJsonObject(value) ? plan.object : plan.other, value, base)
    case 'custom':
      return quickCustom(plan, value)
  }
}

function quickLeaf({ kind, max }: LeafPlan, value: Json): Json {
  switch (kind) {
    case 'any':
      return value
    case 'string':
      if (typeof value !== 'string') throw setback
      return value
    case 'bool':
      if (typeof value !== 'boolean') throw setback
      return value
    case 'int':
      if (!fitsIn(value, max)) throw setback
      return value
    case 'float':
      if (typeof value !== 'number') throw setback
      return value
    case 'bytes':
      if (typeof value !== 'string' || !isStoredBytes(value)) throw setback
      return value
    case 'intOrString':
      if (typeof value !== 'string' && !fitsIn(value, 2 ** 31 - 1)) throw setback
      return value
    case 'quantity':
    case 'resourceQuantity':
      return storedQuantity(kind, value) ?? fail()
    case 'time':
    case 'microTime':
      return (typeof value === 'string' ? storedTime(kind, value) : undefined) ?? fail()
  }
}

function fail(): never {
  throw setback
}

function quickStruct(plan: StructPlan, value: Json, base: Json | undefined): Json {
  if (!isJsonObject(value)) throw setback
  if (value === base) return value
  const known = plan.known?.get(value)
  if (known !== undefined) return known
  const { fields, shown } = plan
  const before = base !== undefined && isJsonObject(base) ? base : undefined
  let changes: Changes | undefined
  for (const key in value) {
    const given = value[key]
    if (given === undefined) continue
    const old = before?.[key]
    if (given === old) continue
    const field = fields.get(key)
    if (field === undefined) throw setback
    const next = given === null ? field.absent : quickField(field, given, old)
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  for (let i = 0; i < shown.length; i++) {
    const [key, absent] = shown[i] ?? fail()
    if (value[key] !== undefined) continue
    changes ??= new Map()
    changes.set(key, absent)
  }
  const result = changes === undefined ? value : withChanges(value, changes)
  if (plan.known !== undefined) remember(plan.known, value, result)
  return result
}

function quickField({ plan, keepsZero, absent }: Field, given: Json, old: Json | undefined): Json | undefined {
  if (plan.is === 'leaf' && plan.kind === 'string') {
    if (typeof given !== 'string') throw setback
    return given === '' && !keepsZero ? absent : given
  }
  const next = decodeQuickly(plan, given, old)
  return !keepsZero && isZero(next) ? absent : next
}

function quickList(plan: ListPlan, value: Json, base: Json | undefined): Json {
  if (!Array.isArray(value)) throw setback
  if (value === base) return value
  const list = value as readonly Json[]
  const known = plan.known?.get(list)
  if (known !== undefined) return known
  const { item } = plan
  const before = Array.isArray(base) && base.length > 0 ? new Elements(base as readonly Json[]) : undefined
  let out: Json[] | undefined
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null
    const next =
      given === null
        ? (item.absent ?? null)
        : before?.has(given) === true
          ? given
          : decodeQuickly(item.plan, given, undefined)
    if (next !== given && out === undefined) out = list.slice(0, i)
    out?.push(next)
  }
  const result = out ?? value
  if (plan.known !== undefined) remember(plan.known, list, result)
  return result
}

function quickMap({ value: { plan, absent } }: MapPlan, value: Json): Json {
  if (!isJsonObject(value)) throw setback
  let changes: Changes | undefined
  for (const key in value) {
    const given = value[key]
    if (given === undefined) continue
    const next = given === null ? (absent ?? null) : decodeQuickly(plan, given, undefined)
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  return changes === undefined ? value : withChanges(value, changes)
}

function quickCustom(plan: CustomPlan, value: Json): Json {
  if (Array.isArray(value)) return plan.item === undefined ? value : quickItems(plan.item, value as readonly Json[])
  if (!isJsonObject(value)) return value
  let changes: Changes | undefined
  for (const key in value) {
    const given = value[key]
    if (given === undefined) continue
    const next = quickCustomField(plan, plan.fields?.get(key) ?? plan.values, given)
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  return changes === undefined ? value : withChanges(value, changes)
}

function quickCustomField(plan: CustomPlan, field: Plan | undefined, given: Json): Json | undefined {
  if (field === undefined) return plan.keepsUnknown ? given : fail()
  if (given === null) return field.is === 'custom' && !field.dropsNull ? given : undefined
  return decodeQuickly(field, given, undefined)
}

function quickItems(item: Plan, list: readonly Json[]): Json {
  let out: Json[] | undefined
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null
    const next = given === null ? given : decodeQuickly(item, given, undefined)
    if (next !== given && out === undefined) out = list.slice(0, i)
    out?.push(next)
  }
  return out ?? list
}

/** What Go leaves out of optional fields. */
export function isZero(value: Json): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false
  if (value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

export function withChanges(value: JsonObject, changes: Changes): JsonObject {
  const out: Record<string, Json> = {}
  for (const key in value) {
    const next = changes.has(key) ? changes.get(key) : value[key]
    if (next !== undefined) setOwn(out, key, next)
  }
  for (const [key, next] of changes) if (next !== undefined && out[key] === undefined) setOwn(out, key, next)
  return out
}

function remember(known: WeakMap<object, Json>, value: object, result: Json): void {
  known.set(value, result)
  if (result !== value && typeof result === 'object' && result !== null) known.set(result, result)
}
