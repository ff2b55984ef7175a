// Decodes a JSON value by its schema: checks types, drops what the schema does not know and gives the form that a
// Kubernetes API server stores. What is in that form already is handed back as the same reference.

import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import type { Schema } from '../schema.ts'
import { setOwn } from '../text/json.ts'
import type { ParsedText } from '../text/parsed.ts'
import { decodeLeaf } from './leaf.ts'
import { type CustomPlan, type Field, type ListPlan, type MapPlan, type Plan, planOf, type StructPlan } from './plan.ts'
import { Walk } from './walk.ts'

export interface Decoded {
  readonly value: Json
  /** What strict decoding refuses and lenient decoding warns of, in Kubernetes' words. */
  readonly strictErrors: readonly string[]
}

/**
 * Decodes `value`. Throws a DecodeError if a value has the wrong type. `parsed` is the text that the value comes from, if it
 * was text: it knows the keys that were repeated.
 */
export function decode(value: unknown, schema: Schema, parsed?: ParsedText): Decoded {
  return decodeWith(value as Json, schema, { parsed, converts: false })
}

/** As `decode`, for what a strategic merge made: Kubernetes converts such values, with other texts. */
export function decodeMerged(value: unknown, schema: Schema): Decoded {
  const { value: result, strictErrors } = decodeWith(value as Json, schema, { parsed: undefined, converts: true })
  return { value: result, strictErrors: [...strictErrors].sort() }
}

interface Source {
  readonly parsed: ParsedText | undefined
  readonly converts: boolean
}

function decodeWith(value: Json, schema: Schema, source: Source): Decoded {
  const plan = planOf(schema)
  const { parsed } = source
  const quick = new Walk({ paths: false, ...source })
  const result = tryQuickly(plan, value, quick)
  if (result !== undefined && !quick.needsPaths && !quick.failed)
    return { value: result, strictErrors: parsed?.strictErrors ?? [] }
  const walk = new Walk({ paths: true, ...source })
  const again = decodeAny(plan, value, walk)
  walk.throwFirst()
  const pruned = walk.pruned.sort().map((path) => `unknown field "${path}"`)
  return { value: again, strictErrors: [...(parsed?.strictErrors ?? []), ...walk.strictErrors, ...pruned] }
}

/** `strict decoding error: unknown field "spec.foo", …`: why a strict server refuses the object. */
export const strictDecodingError = (errors: readonly string[]): string => `strict decoding error: ${errors.join(', ')}`

/** The texts of the warnings that a lenient server gives in place of strict errors: YAML faults one by one. */
export function strictWarnings(errors: readonly string[]): readonly string[] {
  return errors.flatMap((error) =>
    error.startsWith('yaml: ')
      ? error
          .split('\n')
          .slice(1)
          .map((line) => line.trim())
      : [error],
  )
}

/** The walk without paths; undefined when it met something that needs to be said with its path. */
function tryQuickly(plan: Plan, value: Json, walk: Walk): Json | undefined {
  try {
    return decodeAny(plan, value, walk)
  } catch (error) {
    if (error instanceof Error && error.name === 'DecodeError') return undefined
    throw error
  }
}

function decodeAny(plan: Plan, value: Json, walk: Walk): Json {
  switch (plan.is) {
    case 'leaf':
      return decodeLeaf(plan, value, walk)
    case 'struct':
      return decodeStruct(plan, value, walk)
    case 'list':
      return decodeList(plan, value, walk)
    case 'map':
      return decodeMap(plan, value, walk)
    case 'custom':
      return decodeCustom(plan, value, walk)
  }
}

const isZero = (value: Json): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' &&
    value !== null &&
    (Array.isArray(value) ? value.length === 0 : isEmptyMap(value as JsonObject)))

function isEmptyMap(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

/** Keys that change and what they become; undefined: the key goes. */
type Changes = Map<string, Json | undefined>

function changed(value: JsonObject, changes: Changes): JsonObject {
  const out: Record<string, Json> = {}
  for (const key in value) {
    const next = changes.has(key) ? changes.get(key) : value[key]
    if (next !== undefined) setOwn(out, key, next)
  }
  for (const [key, next] of changes) if (next !== undefined && out[key] === undefined) setOwn(out, key, next)
  return out
}

function decodeStruct(plan: StructPlan, value: Json, walk: Walk): Json {
  if (!isJsonObject(value)) {
    walk.wrongType(value, plan)
    return value
  }
  const known = walk.tracks ? undefined : plan.known?.get(value)
  if (known !== undefined) return known
  const { fields } = plan
  let changes: Changes | undefined
  walk.enterStruct(plan.goType)
  for (const key in value) {
    const given = value[key]
    const field = fields.get(key)
    if (walk.repeatsKeys && field !== undefined) walk.repeated(value, key)
    if (field === undefined && given !== undefined) walk.unknown(key)
    const next = field === undefined ? undefined : decodeField(field, value, key, walk)
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  walk.leaveStruct()
  for (const [key, absent] of plan.shown)
    if (value[key] === undefined) {
      changes ??= new Map()
      changes.set(key, absent)
    }
  const result = changes === undefined ? value : changed(value, changes)
  if (!walk.needsPaths && !walk.failed && plan.known !== undefined) remember(plan.known, value, result)
  return result
}

function remember(known: WeakMap<object, Json>, value: object, result: Json): void {
  known.set(value, result)
  if (result !== value && typeof result === 'object' && result !== null) known.set(result, result)
}

function decodeField(field: Field, owner: JsonObject, key: string, walk: Walk): Json | undefined {
  const given = owner[key]
  if (given === undefined || given === null) return field.absent
  const { plan } = field
  walk.enter({ field: key })
  if (plan.is === 'leaf' && plan.kind === 'int') checkLiteral(plan, owner, key, walk)
  const next = decodeAny(plan, given, walk)
  walk.leave()
  return !field.keepsZero && isZero(next) ? field.absent : next
}

/** Go's integers do not take `1.0`. */
function checkLiteral(plan: Plan, owner: JsonObject, key: string, walk: Walk): void {
  const value = owner[key]
  if (value === undefined) return
  const literal = walk.literalOf(owner, key, value)
  if (literal !== undefined) walk.wrongType(value, plan, literal)
}

function decodeList(plan: ListPlan, value: Json, walk: Walk): Json {
  if (!Array.isArray(value)) {
    walk.wrongType(value, plan)
    return value
  }
  const list = value as readonly Json[]
  const known = walk.tracks ? undefined : plan.known?.get(list)
  if (known !== undefined) return known
  const { item } = plan
  let out: Json[] | undefined
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null
    walk.enter({ index: i })
    const next = given === null ? (item.absent ?? null) : decodeAny(item.plan, given, walk)
    walk.leave()
    if (next !== given && out === undefined) out = list.slice(0, i)
    out?.push(next)
  }
  const result = out ?? value
  if (!walk.needsPaths && !walk.failed && plan.known !== undefined) remember(plan.known, list, result)
  return result
}

function decodeMap(plan: MapPlan, value: Json, walk: Walk): Json {
  if (!isJsonObject(value)) {
    walk.wrongType(value, plan)
    return value
  }
  const { plan: valuePlan, absent } = plan.value
  let changes: Changes | undefined
  for (const key in value) {
    const given = value[key]
    if (walk.repeatsKeys) walk.repeated(value, key)
    walk.enter({ key })
    const next = given === null ? (absent ?? null) : given === undefined ? undefined : decodeAny(valuePlan, given, walk)
    walk.leave()
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  return changes === undefined ? value : changed(value, changes)
}

function decodeCustom(plan: CustomPlan, value: Json, walk: Walk): Json {
  if (Array.isArray(value))
    return plan.item === undefined ? value : pruneList(plan.item, value as readonly Json[], walk)
  if (!isJsonObject(value)) return value
  let changes: Changes | undefined
  for (const key in value) {
    const given = value[key]
    if (walk.repeatsKeys) walk.repeated(value, key)
    const field = plan.fields?.get(key) ?? plan.values
    const next = given === undefined ? undefined : pruneField({ plan, field, key, given }, walk)
    if (next === given) continue
    changes ??= new Map()
    changes.set(key, next)
  }
  return changes === undefined ? value : changed(value, changes)
}

interface CustomField {
  readonly plan: CustomPlan
  readonly field: Plan | undefined
  readonly key: string
  readonly given: Json
}

function pruneField({ plan, field, key, given }: CustomField, walk: Walk): Json | undefined {
  if (field === undefined) {
    if (plan.keepsUnknown) return given
    walk.prune(key)
    return undefined
  }
  if (given === null) return field.is === 'custom' && !field.dropsNull ? given : undefined
  walk.enter({ field: key })
  const next = decodeAny(field, given, walk)
  walk.leave()
  return next
}

function pruneList(item: Plan, list: readonly Json[], walk: Walk): Json {
  let out: Json[] | undefined
  for (let i = 0; i < list.length; i++) {
    const given = list[i] ?? null
    walk.enter({ index: i })
    const next = given === null ? given : decodeAny(item, given, walk)
    walk.leave()
    if (next !== given && out === undefined) out = list.slice(0, i)
    out?.push(next)
  }
  return out ?? list
}
