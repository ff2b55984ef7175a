// Structural schemas: each field has one type at one place, and what is combined with anyOf and its like only checks
// values (apiextensions-apiserver/pkg/apiserver/schema/validation.go).

import { isEqual } from '#objects'
import { patternFault } from '../customresource/index.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import type { JSONSchemaProps } from '../generated/types.ts'
import { itemSchema, valueSchema } from './schema-type.ts'

type Level = 'root' | 'item' | 'field'
type Properties = Readonly<Record<string, JSONSchemaProps>>

const propertyPath = (path: string, name: string): string => `${path}.properties[${name}]`

/** Faults in the order of their texts, which is the order in which an API server tells them. */
export function checkStructural(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  checkInvariants(schema, 'root', { path, errors })
  // Rules at the root alone: those of fields are not held against what the fields define.
  checkDefined(schema, schema, { path, rulePath: path, errors })
  const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`
  return errors.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

function checkInvariants(schema: JSONSchemaProps, level: Level, { path, errors }: Place): void {
  const { properties = {}, additionalProperties, type } = schema
  const items = itemSchema(schema)
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined) checkInvariants(items, 'item', { path: `${path}.items`, errors })
  for (const [name, property] of Object.entries(properties))
    checkInvariants(property, 'field', { path: propertyPath(path, name), errors })
  const values = valueSchema(schema)
  if (values !== undefined) checkInvariants(values, 'field', { path: `${path}.additionalProperties`, errors })
  if (level === 'root' && additionalProperties !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
  checkExtensions(schema, { path, errors })
  checkValueRules(schema, intOrStringRule(schema), { path, errors })
  checkType(schema, level, { path, errors })
  if (level === 'root' || schema['x-kubernetes-embedded-resource'] === true) checkTypeMeta(properties, { path, errors })
  checkMetadata(schema, level, { path, errors })
}

const untyped: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(schema: JSONSchemaProps, level: Level, { path, errors }: Place): void {
  const { type = '' } = schema
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  const text = 'must be object if x-kubernetes-embedded-resource is true'
  if (embedded && type !== 'object')
    errors.push(type === '' ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text))
  else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !keepsUnknown)
    errors.push(required(`${path}.type`, untyped[level]))
  if (embedded && schema.additionalProperties !== undefined)
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'))
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'))
  if (embedded && !keepsUnknown && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(
      required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
}

function checkTypeMeta(properties: Properties, { path, errors }: Place): void {
  for (const name of ['kind', 'apiVersion']) {
    const property = properties[name]
    if (property !== undefined && property.type !== 'string')
      errors.push(invalid(`${propertyPath(path, name)}.type`, property.type ?? '', 'must be string'))
  }
}

const metadataKeywords: ReadonlySet<string> = new Set(['type', 'default', 'properties'])

function checkMetadata(schema: JSONSchemaProps, level: Level, { path, errors }: Place): void {
  const metadata = schema.properties?.['metadata']
  if (metadata === undefined) return
  const at = propertyPath(path, 'metadata')
  if ((level === 'root' || schema['x-kubernetes-embedded-resource'] === true) && metadata.type !== 'object')
    errors.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'))
  if (level !== 'root') return
  const others = Object.keys(metadata).some((keyword) => !metadataKeywords.has(keyword))
  const fields = Object.keys(metadata.properties ?? {})
  if (others || fields.some((field) => field !== 'name' && field !== 'generateName'))
    errors.push(
      forbidden(at, 'must not specify anything other than name and generateName, but metadata is implicitly specified'),
    )
}

function checkExtensions(schema: JSONSchemaProps, { path, errors }: Place): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    if (schema[name] === true)
      errors.push(invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'))
}

const intOrString = [{ type: 'integer' }, { type: 'string' }]
type IntOrStringRule = 'none' | 'anyOf' | 'first of allOf'

/** Where an int-or-string says so by anyOf, which is then no fault. */
function intOrStringRule({ anyOf, allOf }: JSONSchemaProps): IntOrStringRule {
  if (isEqual(anyOf, intOrString)) return 'anyOf'
  return isEqual(allOf?.[0]?.anyOf, intOrString) ? 'first of allOf' : 'none'
}

function checkValueRules(schema: JSONSchemaProps, rule: IntOrStringRule, { path, errors }: Place): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema
  if (rule !== 'anyOf')
    anyOf.forEach((one, i) => {
      checkNested(one, 'none', { path: `${path}.anyOf[${i}]`, errors })
    })
  allOf.forEach((one, i) => {
    checkNested(one, rule === 'first of allOf' && i === 0 ? 'anyOf' : 'none', { path: `${path}.allOf[${i}]`, errors })
  })
  oneOf.forEach((one, i) => {
    checkNested(one, 'none', { path: `${path}.oneOf[${i}]`, errors })
  })
  if (not !== undefined) checkNested(not, 'none', { path: `${path}.not`, errors })
  const fault = pattern ? patternFault(pattern) : undefined
  if (fault !== undefined)
    errors.push(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`))
}

const mustBeEmpty = ['type', 'title', 'description', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const
const mustBeUndefined = ['additionalProperties', 'default', 'x-kubernetes-list-type', 'x-kubernetes-map-type'] as const
const mustBeFalse = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const

function checkNested(schema: JSONSchemaProps, rule: IntOrStringRule, { path, errors }: Place): void {
  checkValueRules(schema, rule, { path, errors })
  const items = itemSchema(schema)
  if (items !== undefined) checkNested(items, 'none', { path: `${path}.items`, errors })
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkNested(property, 'none', { path: propertyPath(path, name), errors })
  const forbid = (name: string, what: string): void =>
    void errors.push(forbidden(`${path}.${name}`, `must be ${what} to be structural`))
  for (const name of mustBeEmpty) if ((schema[name]?.length ?? 0) > 0) forbid(name, 'empty')
  for (const name of mustBeUndefined) if (schema[name] !== undefined) forbid(name, 'undefined')
  for (const name of mustBeFalse) if (schema[name] === true) forbid(name, 'false')
  if (schema.properties?.['metadata'] !== undefined)
    errors.push(forbidden(propertyPath(path, 'metadata'), 'must not be specified in a nested context'))
}

interface RulePlace extends Place {
  /** Where the rule stands; `path` is where the schema should say the same. */
  readonly rulePath: string
}

/** What the rules of `rules` speak of, `schema` must define. */
function checkDefined(rules: JSONSchemaProps, schema: JSONSchemaProps, place: RulePlace): void {
  const { anyOf = [], allOf = [], oneOf = [], not } = rules
  const { rulePath } = place
  if (not !== undefined) checkNestedDefined(not, schema, { ...place, rulePath: `${rulePath}.not` })
  for (const [name, list] of Object.entries({ allOf, anyOf, oneOf }))
    list.forEach((one, i) => {
      checkNestedDefined(one, schema, { ...place, rulePath: `${rulePath}.${name}[${i}]` })
    })
}

function checkNestedDefined(rules: JSONSchemaProps, schema: JSONSchemaProps | undefined, place: RulePlace): void {
  const { path, rulePath, errors } = place
  if (schema === undefined) {
    errors.push(required(path, `because it is defined in ${rulePath}`))
    return
  }
  checkDefined(rules, schema, place)
  const items = itemSchema(rules)
  if (items !== undefined)
    checkNestedDefined(items, itemSchema(schema), { errors, path: `${path}.items`, rulePath: `${rulePath}.items` })
  for (const [name, property] of Object.entries(rules.properties ?? {}))
    checkNestedDefined(property, schema.properties?.[name], {
      errors,
      path: propertyPath(path, name),
      rulePath: propertyPath(rulePath, name),
    })
}
