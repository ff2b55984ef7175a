// Decodes a JSON value by its schema: checks types, drops what the schema does not know and gives the form that a
// Kubernetes API server stores. What is in that form already is handed back as the same reference.

import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import type { Schema } from '../schema.ts'
import type { ParsedText } from '../text/parsed.ts'
import { decodeLeaf } from './leaf.ts'
import {
  type CustomPlan,
  type EitherPlan,
  type Field,
  type ListPlan,
  type MapPlan,
  type Plan,
  planOf,
  type StructPlan,
} from './plan.ts'
import { decodeQuickly, isZero, setback, withChanges } from './quick.ts'
import { Walk } from './walk.ts'

export interface Decoded {
  readonly value: Json
  /** What strict decoding refuses and lenient decoding warns of, in Kubernetes' words. */
  readonly strictErrors: readonly string[]
}

export interface DecodeSource {
  /** The text that the value comes from, if it was text: it knows the keys that were repeated. */
  readonly parsed?: ParsedText | undefined
  /** A decoded value of the same schema: parts that are the very parts of it are taken as they are. */
  readonly base?: unknown
}

const noSource: DecodeSource = {}
const noErrors: readonly string[] = []

/** Decodes `value`. Throws a DecodeError if a value has the wrong type. */
export function decode(value: unknown, schema: Schema, source: DecodeSource = noSource): Decoded {
  return decodeWith(value as Json, schema, { parsed: source.parsed, base: source.base, converts: false })
}

/** As `decode`, for what a strategic merge made: Kubernetes converts such values, with other texts. */
export function decodeMerged(value: unknown, schema: Schema, base?: unknown): Decoded {
  const { value: result, strictErrors } = decodeWith(value as Json, schema, { parsed: undefined, base, converts: true })
  return { value: result, strictErrors: [...strictErrors].sort() }
}

interface Source extends DecodeSource {
  readonly converts: boolean
}

function decodeWith(value: Json, schema: Schema, source: Source): Decoded {
  const plan = planOf(schema)
  const { parsed, converts } = source
  if (parsed === undefined || (parsed.duplicateKeys.size === 0 && parsed.literals.size === 0)) {
    const result = tryQuickly(plan, value, source.base as Json | undefined)
    if (result !== undefined) return { value: result, strictErrors: parsed?.strictErrors ?? noErrors }
  }
  const walk = new Walk({ parsed, converts })
  const again = decodeAny(plan, value, walk)
  walk.throwFirst()
  const pruned = walk.pruned.sort().map((path) => `unknown field "${path}"`)
  return { value: again, strictErrors: [...(parsed?.strictErrors ?? []), ...walk.strictErrors, ...pruned] }
}

/** Undefined when something needs to be said. */
function tryQuickly(plan: Plan, value: Json, base: Json | undefined): Json | undefined {
  try {
    return decodeQuickly(plan, value, base)
  } catch (error) {
    if (error === setback) return undefined
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
    case 'either':
      return decodeEither(plan, value, walk)
    case 'custom':
      return decodeCustom(plan, value, walk)
  }
}

/** Go's own decoder of such a type knows neither where it stands nor of strictness. */
function decodeEither({ object, other }: EitherPlan, value: Json, walk: Walk): Json {
  if (!isJsonObject(value)) return decodeAny(other, value, walk)
  const inner = new Walk({ parsed: undefined, converts: false })
  const made = decodeAny(object, value, inner)
  walk.takeFault(inner)
  return made
}

/** Keys that change and what they become; undefined: the key goes. */
type Changes = Map<string, Json | undefined>

function decodeStruct(plan: StructPlan, value: Json, walk: Walk): Json {
  if (!isJsonObject(value)) {
    walk.wrongType(value, plan)
    return value
  }
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
  return changes === undefined ? value : withChanges(value, changes)
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
  return out ?? value
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
  return changes === undefined ? value : withChanges(value, changes)
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
  return changes === undefined ? value : withChanges(value, changes)
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
