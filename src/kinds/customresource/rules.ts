// The rules of a custom resource's schema (x-kubernetes-validations): CEL expressions over a value and, for transition
// rules, over what it was before (apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go).

import { isEqual, type Json, type JsonObject } from '#objects'
import { compileCel, toCel } from '../cel/index.ts'
import { type FieldError, type FieldErrorType, forbidden, invalid, required } from '../field-error.ts'

interface Rule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: FieldErrorType
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const variables = ['self', 'oldSelf']
const usesOld = /\boldSelf\b/

const rulesOf = (schema: JsonObject): readonly Rule[] => {
  const rules = schema['x-kubernetes-validations']
  return Array.isArray(rules) ? (rules as unknown as readonly Rule[]) : []
}

const known = new WeakMap<JsonObject, boolean>()

/** Whether there is any rule in the schema; most have none. */
export function hasRules(schema: JsonObject): boolean {
  const found = known.get(schema)
  if (found !== undefined) return found
  const { properties, items, additionalProperties } = schema
  const inner = [...(isObject(properties) ? Object.values(properties) : []), items, additionalProperties]
  const result = rulesOf(schema).length > 0 || inner.some((one) => isObject(one) && hasRules(one))
  known.set(schema, result)
  return result
}

/** Faults that the rules find. `old` is undefined for a new object. */
export function validateRules(value: Json, old: Json | undefined, schema: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if (hasRules(schema)) visit(value, old, schema, { path: '', errors })
  return errors
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function visit(value: Json, old: Json | undefined, schema: JsonObject, { path, errors }: Place): void {
  // What did not change was judged when it was written.
  if (!hasRules(schema) || value === null || (old !== undefined && isEqual(value, old))) return
  for (const rule of rulesOf(schema)) judge(rule, { value, old, schema }, { path, errors })
  const { properties, additionalProperties, items } = schema
  if (Array.isArray(value) && isObject(items)) {
    const before = Array.isArray(old) ? (old as readonly Json[]) : []
    ;(value as readonly Json[]).forEach((element, i) => {
      visit(element, correlated(element, before, schema), items, { path: `${path}[${i}]`, errors })
    })
  }
  if (!isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    const own = isObject(properties) ? properties[name] : undefined
    const inner = isObject(own) ? own : isObject(additionalProperties) ? additionalProperties : undefined
    if (inner !== undefined)
      visit(field, isObject(old) ? old[name] : undefined, inner, { path: child(path, name), errors })
  }
}

/** The element that an element of a keyed list was before; other lists' elements have no past. */
function correlated(element: Json, before: readonly Json[], schema: JsonObject): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys) || !isObject(element)) return undefined
  return before.find(
    (one) => isObject(one) && (keys as readonly string[]).every((key) => isEqual(one[key], element[key])),
  )
}

interface Judged {
  readonly value: Json
  readonly old: Json | undefined
  readonly schema: JsonObject
}

function judge(rule: Rule, { value, old, schema }: Judged, { path, errors }: Place): void {
  if (usesOld.test(rule.rule) && old === undefined && rule.optionalOldSelf !== true) return
  const compiled = compileCel(rule.rule, variables)
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'object'
  if (!compiled.ok) {
    errors.push(invalid(path, type, `rule compile error: ${compiled.message}`))
    return
  }
  const values = { self: toCel(value, schema), oldSelf: oldValue(old, schema, rule) }
  try {
    if (compiled.program.evaluate(values) === true) return
    errors.push(faultOf(rule, messageOf(rule, values), path, type))
  } catch (error) {
    const about = rule.message ?? rule.rule
    errors.push(
      invalid(path, type, `${error instanceof Error ? error.message : String(error)} evaluating rule: ${about}`),
    )
  }
}

const optional = compileCel('x == null ? optional.none() : optional.of(x)', ['x'])

function oldValue(old: Json | undefined, schema: JsonObject, { optionalOldSelf }: Rule): unknown {
  const value = old === undefined ? null : toCel(old, schema)
  return optionalOldSelf === true && optional.ok ? optional.program.evaluate({ x: value }) : value
}

function messageOf({ rule, message, messageExpression }: Rule, values: Readonly<Record<string, unknown>>): string {
  const compiled = messageExpression === undefined ? undefined : compileCel(messageExpression, variables)
  if (compiled?.ok === true) {
    try {
      const text = compiled.program.evaluate(values)
      if (typeof text === 'string' && text.trim() !== '' && !text.includes('\n')) return text.trim()
    } catch {
      // A message that cannot be made is no reason to accept: the fixed one is told.
    }
  }
  return message !== undefined && message !== '' ? message : `failed rule: ${rule.trim()}`
}

function faultOf({ reason, fieldPath = '' }: Rule, message: string, path: string, type: string): FieldError {
  const field = path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath}`
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, message)
    case 'FieldValueRequired':
      return required(field, message)
    case 'FieldValueDuplicate':
      return { type: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(type)}` }
    default:
      return invalid(field, type, message)
  }
}
