// Fills in the defaults that a schema declares, copying only what changes. A default applies where the object around it
// exists and the value is absent, or null where null is not allowed. Knows no defaults that depend on other fields.

import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import type { Schema } from '../schema.ts'
import { setOwn } from '../text/json.ts'
import { isShared } from './plan.ts'

/**
 * The value with its defaults; the same reference if nothing was missing. Parts of the object that are the very parts of
 * `base`, which has its defaults, are complete.
 */
export function applySchemaDefaults<T>(value: T, schema: Schema, base?: unknown): T {
  const plan = planOf(schema)
  return plan === undefined ? value : (fill(value as Json, plan, base as Json | undefined) as T)
}

interface Child {
  readonly standard: Json | undefined
  readonly nullable: boolean
  readonly plan: Plan | undefined
}

interface Plan {
  readonly fields: ReadonlyMap<string, Child>
  readonly values: Child | undefined
  readonly items: Child | undefined
  /** What values became, for types whose values objects share. */
  readonly known: WeakMap<object, Json> | undefined
}

/** Undefined: nothing below has a default. */
const plans = new WeakMap<object, Plan | undefined>()
const inProgress = new Set<object>()

function planOf(schema: Schema): Plan | undefined {
  const key = schema.properties ?? schema
  if (plans.has(key)) return plans.get(key)
  // A type that holds itself has no defaults of its own accord: they would have no end.
  if (inProgress.has(key)) return undefined
  inProgress.add(key)
  const fields = new Map<string, Child>()
  for (const [name, property] of schema.properties ?? []) {
    const child = childOf(property)
    if (child !== undefined) fields.set(name, child)
  }
  const values = schema.values === undefined ? undefined : childOf(schema.values)
  const items = schema.items === undefined ? undefined : childOf(schema.items)
  inProgress.delete(key)
  const empty = fields.size === 0 && values === undefined && items === undefined
  const known = isShared(schema) || (schema.items !== undefined && isShared(schema.items)) ? new WeakMap() : undefined
  const plan = empty ? undefined : { fields, values, items, known }
  plans.set(key, plan)
  return plan
}

function childOf(schema: Schema): Child | undefined {
  const plan = planOf(schema)
  const standard = isStored(schema) ? schema.default : undefined
  if (standard === undefined && plan === undefined) return undefined
  const full = standard === undefined || plan === undefined ? standard : fill(standard, plan)
  return { standard: full, nullable: schema.nullable === true, plan }
}

/** In built-in types, `default: ""` only says that the field is no pointer: such a default is never stored. */
function isStored(schema: Schema): boolean {
  const { default: standard } = schema
  if (schema.goType === undefined || schema.pointer === true) return true
  const empty = typeof standard === 'object' && standard !== null && Object.keys(standard).length === 0
  return standard !== '' && standard !== 0 && standard !== false && !empty
}

function fill(value: Json, plan: Plan, base?: Json): Json {
  if (typeof value !== 'object' || value === null || value === base) return value
  const known = plan.known?.get(value)
  if (known !== undefined) return known
  const result = Array.isArray(value)
    ? fillList(value as readonly Json[], plan)
    : fillFields(value as JsonObject, plan, isJsonObject(base) ? base : undefined)
  plan.known?.set(value, result)
  if (result !== value) plan.known?.set(result as object, result)
  return result
}

function fillList(list: readonly Json[], { items }: Plan): Json {
  if (items === undefined) return list
  let out: Json[] | undefined
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null
    const next = childValue(given, items) ?? null
    if (next !== given && out === undefined) out = list.slice(0, i)
    out?.push(next)
  }
  return out ?? list
}

function fillFields(fields: JsonObject, plan: Plan, base: JsonObject | undefined): Json {
  let out: Record<string, Json> | undefined
  for (const [name, child] of plan.fields) {
    const given = fields[name]
    if (given !== undefined && given === base?.[name]) continue
    const next = childValue(given, child, base?.[name])
    if (next === undefined || next === given) continue
    out ??= { ...fields }
    setOwn(out, name, next)
  }
  if (plan.values === undefined) return out ?? fields
  for (const name in fields) {
    if (plan.fields.has(name)) continue
    const next = childValue(fields[name], plan.values)
    if (next === undefined || next === fields[name]) continue
    out ??= { ...fields }
    setOwn(out, name, next)
  }
  return out ?? fields
}

function childValue(given: Json | undefined, { standard, nullable, plan }: Child, base?: Json): Json | undefined {
  if (given === undefined || (given === null && !nullable)) return standard ?? given
  return plan === undefined ? given : fill(given, plan, base)
}
