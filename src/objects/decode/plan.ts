// Turns a Schema into what the decoder walks by: a tree of plans, made as far as values have been met. Built-in types
// (those with a Go type) are decoded as a Go server decodes them; custom ones are pruned.

import { isJsonObject, type Json } from '../object.ts'
import type { Schema } from '../schema.ts'

export type LeafKind =
  | 'string'
  | 'int'
  | 'float'
  | 'bool'
  | 'bytes'
  | 'quantity'
  | 'resourceQuantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'any'

export interface Field {
  readonly plan: Plan
  /** What is stored where the value is absent, null or (see `keepsZero`) zero; undefined: nothing. */
  readonly absent: Json | undefined
  /** A zero value is kept: pointers, structs and values that are never left out. */
  readonly keepsZero: boolean
}

export interface StructPlan {
  readonly is: 'struct'
  readonly goType: string
  readonly fields: ReadonlyMap<string, Field>
  /** Fields that are stored even if they were not given. */
  readonly shown: readonly (readonly [string, Json])[]
  /** What this type's decoded values became; only for types whose values are shared between objects. */
  readonly known: WeakMap<object, Json> | undefined
}

export interface ListPlan {
  readonly is: 'list'
  readonly goType: string
  readonly item: Field
  readonly known: WeakMap<object, Json> | undefined
}

export interface MapPlan {
  readonly is: 'map'
  readonly goType: string
  readonly value: Field
}

export interface LeafPlan {
  readonly is: 'leaf'
  readonly goType: string
  readonly kind: LeafKind
  /** Integers: the largest value that the Go type holds. */
  readonly max: number
}

/** A value of several shapes, which Go reads by a decoder of its own. */
export interface EitherPlan {
  readonly is: 'either'
  readonly goType: string
  readonly object: Plan
  readonly other: Plan
}

/** A value of a custom resource: kept as it is, but for fields that its schema does not know. */
export interface CustomPlan {
  readonly is: 'custom'
  readonly fields: ReadonlyMap<string, Plan> | undefined
  readonly values: Plan | undefined
  readonly item: Plan | undefined
  readonly keepsUnknown: boolean
  /** Nulls are dropped where the schema allows none and has no default in their place. */
  readonly dropsNull: boolean
}

export type Plan = StructPlan | ListPlan | MapPlan | LeafPlan | EitherPlan | CustomPlan

const plans = new WeakMap<Schema, Plan>()
/** By the map of fields, which all uses of a built-in type have in common. */
const structPlans = new WeakMap<ReadonlyMap<string, Schema>, StructPlan>()

export function planOf(schema: Schema): Plan {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const plan = schema.goType === undefined ? customPlan(schema) : builtInPlan(schema, schema.goType)
  plans.set(schema, plan)
  return plan
}

function builtInPlan(schema: Schema, goType: string): Plan {
  const { whenObject } = schema
  if (whenObject !== undefined)
    return {
      is: 'either',
      goType,
      get object() {
        return planOf(whenObject)
      },
      other: { is: 'leaf', goType, kind: 'any', max: 0 },
    }
  if (schema.type === 'object' && schema.properties !== undefined) return structPlan(schema, schema.properties, goType)
  if (schema.type === 'object' && schema.values !== undefined) return mapPlan(schema.values, goType)
  if (schema.type === 'array' && schema.items !== undefined) return listPlan(schema.items, goType)
  if (schema.type === 'object' && schema.id !== undefined) return structPlan(schema, noFields, goType)
  return { is: 'leaf', goType, kind: leafKind(schema), max: goType === 'int32' ? 2 ** 31 - 1 : 2 ** 63 }
}

const noFields: ReadonlyMap<string, Schema> = new Map()

/** Types with many fields, whose values objects share: a decoded one is known when it is met again. */
const sharedFields = 10

/** Whether values of this type, or lists of them, are kept by reference. Whole objects are not: each is met only once. */
export function isShared(schema: Schema): boolean {
  const count = schema.properties?.size ?? 0
  return (
    count >= sharedFields &&
    !/Status$|ObjectMeta$/.test(schema.id ?? '') &&
    schema.properties?.has('apiVersion') !== true
  )
}

function structPlan(schema: Schema, properties: ReadonlyMap<string, Schema>, goType: string): StructPlan {
  const made = structPlans.get(properties)
  if (made !== undefined) return made
  let fields: ReadonlyMap<string, Field> | undefined
  let shown: readonly (readonly [string, Json])[] | undefined
  const plan: StructPlan = {
    is: 'struct',
    goType,
    get fields() {
      fields ??= new Map([...properties].map(([name, property]) => [name, fieldOf(property)]))
      return fields
    },
    get shown() {
      shown ??= [...this.fields].flatMap(([name, { absent }]) =>
        absent === undefined ? [] : [[name, absent] as const],
      )
      return shown
    },
    known: isShared(schema) ? new WeakMap() : undefined,
  }
  structPlans.set(properties, plan)
  return plan
}

/** Kinds whose Go types are structs, which are never empty to Go. */
const keepsZero: ReadonlySet<LeafKind> = new Set(['any', 'intOrString', 'quantity', 'time', 'microTime'])

function fieldOf(schema: Schema): Field {
  const plan = planOf(schema)
  return {
    plan,
    absent: plan.is === 'struct' && isJsonObject(schema.absent) ? zeroStruct(plan) : schema.absent,
    keepsZero: schema.pointer === true || plan.is === 'struct' || (plan.is === 'leaf' && keepsZero.has(plan.kind)),
  }
}

const zeroStructs = new WeakMap<StructPlan, Json>()

/** A struct none of whose fields was given. */
function zeroStruct(plan: StructPlan): Json {
  const known = zeroStructs.get(plan)
  if (known !== undefined) return known
  const zero = Object.fromEntries(plan.shown)
  zeroStructs.set(plan, zero)
  return zero
}

function listPlan(items: Schema, goType: string): ListPlan {
  let item: Field | undefined
  return {
    is: 'list',
    goType,
    get item() {
      item ??= fieldOf(items)
      return item
    },
    known: isShared(items) ? new WeakMap() : undefined,
  }
}

function mapPlan(values: Schema, goType: string): MapPlan {
  if (goType === 'v1.ResourceList') {
    const plan: LeafPlan = { is: 'leaf', goType: 'resource.Quantity', kind: 'resourceQuantity', max: 0 }
    return { is: 'map', goType, value: { plan, absent: '0', keepsZero: true } }
  }
  let value: Field | undefined
  return {
    is: 'map',
    goType,
    get value() {
      value ??= fieldOf(values)
      return value
    },
  }
}

function leafKind(schema: Schema): LeafKind {
  if (schema.id?.endsWith('.MicroTime') === true) return 'microTime'
  if (schema.intOrString === true) return 'intOrString'
  switch (schema.format) {
    case 'quantity':
      return 'quantity'
    case 'date-time':
      return 'time'
    case 'byte':
      return 'bytes'
  }
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    default:
      return 'any'
  }
}

function customPlan(schema: Schema): CustomPlan {
  let fields: ReadonlyMap<string, Plan> | undefined
  const { properties, values, items } = schema
  const holdsFields = schema.type === 'object' || properties !== undefined || values !== undefined
  return {
    is: 'custom',
    get fields() {
      if (properties !== undefined)
        fields ??= new Map([...properties].map(([name, property]) => [name, planOf(property)]))
      return fields
    },
    values: values === undefined ? undefined : planOf(values),
    item: items === undefined ? undefined : planOf(items),
    keepsUnknown: schema.preserveUnknownFields === true || !holdsFields,
    dropsNull: schema.nullable !== true && schema.default === undefined,
  }
}
