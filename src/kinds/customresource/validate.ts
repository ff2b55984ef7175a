// Checks a custom resource by the OpenAPI schema of its definition, with the texts of Kubernetes' validator
// (k8s.io/kube-openapi/pkg/validation/validate). Reads the schema as it is written in the definition. What was there
// before may stay as it is (CRDValidationRatcheting).

import { isEqual, type Json, type JsonObject } from '#objects'
import { type FieldError, invalid, notSupported, printValue, required, tooLong } from '../field-error.ts'
import { child, elementBefore, fieldBefore, fieldSchema, isObject } from './correlate.ts'
import { formatChecks } from './formats.ts'
import { matchesPattern } from './pattern.ts'

interface Place {
  readonly path: string
  readonly errors: FieldError[]
  /** What the value was before; absent where that cannot be told. */
  readonly old?: Json | undefined
}

const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

const soundBySchema = new WeakMap<object, WeakSet<object>>()

/** Faults of `value`, a whole resource. `old` is what it was before an update. */
export function validateBySchema(value: Json, schema: JsonObject, old?: Json): readonly FieldError[] {
  const errors: FieldError[] = []
  visit(value, schema, { path: '', errors, old })
  return errors
}

/** Parts of objects that were found sound are remembered, since the next version of an object shares them. */
function visit(value: Json, schema: JsonObject, place: Place): void {
  const sound = typeof value === 'object' && value !== null ? soundOf(schema) : undefined
  if (sound?.has(value as object) || (place.old !== undefined && isEqual(value, place.old))) return
  const before = place.errors.length
  checkType(value, schema, place)
  checkComposition(value, schema, place)
  if (typeof value === 'string') checkString(value, schema, place)
  if (typeof value === 'number') checkNumber(value, schema, place)
  if (Array.isArray(value)) checkList(value as readonly Json[], schema, place)
  checkEnum(value, schema, place)
  if (isObject(value)) checkFields(value, schema, place)
  if (place.errors.length === before) sound?.add(value as object)
}

function soundOf(schema: JsonObject): WeakSet<object> {
  const known = soundBySchema.get(schema)
  if (known !== undefined) return known
  const made = new WeakSet<object>()
  soundBySchema.set(schema, made)
  return made
}

const typeName = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

const typeFault = (path: string, value: Json, expected: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field: path,
  message: `Invalid value: ${printValue(value)}: ${path} in body must be of type ${expected}: ${printValue(value)}`,
})

function checkType(value: Json, schema: JsonObject, { path, errors }: Place): void {
  const types = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : [schema['type']]
  const [type] = types
  if (typeof type !== 'string' || type === '') return
  const actual = typeName(value)
  if (actual === 'null' && schema['nullable'] === true) return
  if (types.includes(actual) || (actual === 'integer' && type === 'number')) return
  errors.push(typeFault(path, actual, types.join(',')))
}

const inBody = (value: unknown, path: string, what: string): FieldError =>
  invalid(path, value, `${path} in body ${what}`)

/** In characters, not in UTF-16 units. */
const lengthOf = (value: string): number => [...value].length

/** Of length and pattern only the first fault is told. */
function checkString(value: string, schema: JsonObject, { path, errors }: Place): void {
  const { maxLength, minLength, pattern, format } = schema
  if (typeof maxLength === 'number' && lengthOf(value) > maxLength) errors.push(tooLong(path, maxLength))
  else if (typeof minLength === 'number' && lengthOf(value) < minLength)
    errors.push(inBody(value, path, `should be at least ${minLength} chars long`))
  else if (typeof pattern === 'string' && pattern !== '' && !matchesPattern(pattern, value))
    errors.push(inBody(value, path, `should match '${pattern}'`))
  const check = typeof format === 'string' ? formatChecks[format.replaceAll('-', '')] : undefined
  if (check !== undefined && !check(value)) errors.push(typeFault(path, value, String(format)))
}

function checkNumber(value: number, schema: JsonObject, { path, errors }: Place): void {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = schema
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf))
    errors.push(inBody(value, path, `should be a multiple of ${multipleOf}`))
  if (typeof maximum === 'number' && (exclusiveMaximum === true ? value >= maximum : value > maximum))
    errors.push(inBody(value, path, `should be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`))
  if (typeof minimum === 'number' && (exclusiveMinimum === true ? value <= minimum : value < minimum))
    errors.push(
      inBody(value, path, `should be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`),
    )
}

const tooManyFault = (path: string, count: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field: path,
  message: `Too many: ${count}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})

function checkList(value: readonly Json[], schema: JsonObject, place: Place): void {
  const { minItems, maxItems, uniqueItems, items } = schema
  const { path, errors, old } = place
  if (isObject(items))
    value.forEach((element, i) => {
      visit(element, items, { path: `${path}[${i}]`, errors, old: elementBefore(element, old, schema) })
    })
  if (typeof minItems === 'number' && value.length < minItems)
    errors.push(inBody(value.length, path, `should have at least ${minItems} items`))
  if (typeof maxItems === 'number' && value.length > maxItems) errors.push(tooManyFault(path, value.length, maxItems))
  if (uniqueItems === true && value.some((element, i) => value.slice(0, i).some((other) => isEqual(other, element))))
    errors.push(inBody(value, path, "shouldn't contain duplicates"))
}

function checkEnum(value: Json, schema: JsonObject, { path, errors }: Place): void {
  const values = schema['enum']
  if (!Array.isArray(values) || values.some((allowed) => isEqual(allowed, value))) return
  if (value === null && schema['nullable'] === true) return
  const texts = values.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)))
  errors.push(notSupported(path, value, texts))
}

const typeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind'])

function checkFields(value: JsonObject, schema: JsonObject, { path, errors, old }: Place): void {
  const { minProperties, maxProperties } = schema
  const count = Object.keys(value).length
  if (typeof minProperties === 'number' && count < minProperties)
    errors.push(inBody(count, path, `should have at least ${minProperties} properties`))
  if (typeof maxProperties === 'number' && count > maxProperties) errors.push(tooManyFault(path, count, maxProperties))
  for (const name of Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [])
    if (value[name] === undefined) errors.push(required(child(path, name)))
  for (const name of Object.keys(value)) {
    const inner = fieldSchema(schema, name)
    const next = value[name]
    if (inner === undefined || next === undefined) continue
    // Of the type of the whole nobody sees what it was before: old and new are of the same.
    const before = path === '' && typeFields.has(name) ? undefined : fieldBefore(old, name)
    visit(next, inner, { path: child(path, name), errors, old: before })
  }
}

const fits = (value: Json, schema: JsonObject): boolean => {
  const errors: FieldError[] = []
  visit(value, schema, { path: '', errors })
  return errors.length === 0
}

function checkComposition(value: Json, schema: JsonObject, place: Place): void {
  const { path, errors } = place
  const say = (text: string): void => void errors.push(invalid(path, '', `${JSON.stringify(path)} ${text}`))
  const { anyOf, oneOf, allOf, not } = schema
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && not === undefined) return
  if (Array.isArray(anyOf) && anyOf.length > 0 && !list(anyOf).some((one) => fits(value, one)))
    say('must validate at least one schema (anyOf)')
  if (Array.isArray(oneOf) && oneOf.length > 0) {
    const count = list(oneOf).filter((one) => fits(value, one)).length
    if (count !== 1) say(`must validate one and only one schema (oneOf). Found ${count === 0 ? 'none' : count} valid`)
  }
  const failing = list(allOf).filter((one) => !fits(value, one))
  if (failing.length > 0) {
    say(
      failing.length === list(allOf).length
        ? 'must validate all the schemas (allOf). None validated'
        : 'must validate all the schemas (allOf)',
    )
    for (const one of failing) visit(value, one, { path, errors })
  }
  if (isObject(not) && fits(value, not)) say('must not validate the schema (not)')
}
