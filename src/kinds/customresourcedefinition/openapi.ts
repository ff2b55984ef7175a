// What an OpenAPI schema in a definition may say (ValidateCustomResourceDefinitionOpenAPISchema of
// apiextensions-apiserver/pkg/apis/apiextensions/validation).

import { type FieldError, forbidden, notSupported } from '../field-error.ts'
import type { JSONSchemaProps } from '../generated/types.ts'
import { checkListAndMapTypes } from './list-type.ts'
import { isSchemaObject, itemSchema, placeSchemas, valueSchema } from './schema-type.ts'
import { checkRuleTexts } from './validation-rule.ts'

const metaFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind'])
const types: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string']

interface Place {
  readonly path: string
  readonly errors: FieldError[]
  readonly isRoot?: boolean
  readonly insideMeta?: boolean
  /** Why no default may stand here; undefined where one may. */
  readonly noDefaults?: string
  /** Comes to hold the schemas that have faults, in themselves or further inside. */
  readonly unsound: Set<JSONSchemaProps>
}

export function checkOpenApi(schema: JSONSchemaProps, place: Place): void {
  const before = place.errors.length
  checkKeywords(schema, place)
  checkProperties(schema, place)
  checkCombined(schema, inner(place))
  const items = itemSchema(schema)
  if (items !== undefined) checkOpenApi(items, { ...inner(place), path: `${place.path}.items` })
  placeSchemas(schema).forEach((one, i) => {
    checkOpenApi(one, { ...inner(place), path: `${place.path}.items[${i}]` })
  })
  checkListAndMapTypes(schema, place.path, place.errors)
  checkRuleTexts(schema, `${place.path}.x-kubernetes-validations`, place.errors)
  if (place.errors.length > before) place.unsound.add(schema)
}

const inner = ({ isRoot: _, ...place }: Place): Place => place

const unsupported = {
  id: 'id',
  additionalItems: 'additionalItems',
  patternProperties: 'patternProperties',
  definitions: 'definitions',
  dependencies: 'dependencies',
  $ref: '$ref',
} as const

function checkKeywords(schema: JSONSchemaProps, { path, errors, insideMeta, noDefaults }: Place): void {
  if (schema.type && !types.includes(schema.type)) errors.push(notSupported(`${path}.type`, schema.type, types))
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`))
  for (const [keyword, name] of Object.entries(unsupported))
    if (schema[keyword as keyof typeof unsupported] !== undefined)
      errors.push(forbidden(`${path}.${keyword}`, `${name} is not supported`))
  if (schema.type === 'null')
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  if (Array.isArray(schema.items))
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  if (insideMeta === true && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  if (schema.uniqueItems === true)
    errors.push(
      forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
}

function checkProperties(schema: JSONSchemaProps, place: Place): void {
  const { properties = {}, additionalProperties } = schema
  const { path, errors, isRoot, insideMeta } = place
  const excludes = additionalProperties === false || isSchemaObject(additionalProperties)
  if (excludes && Object.keys(properties).length > 0)
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'))
  const values = valueSchema(schema)
  if (values !== undefined)
    checkOpenApi(values, {
      ...inner(place),
      path: `${path}.additionalProperties`,
      ...(insideMeta === true ? { noDefaults: 'inside additionalProperties applying to object metadata' } : {}),
    })
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = metaFields.has(name) && (isRoot === true || schema['x-kubernetes-embedded-resource'] === true)
    checkOpenApi(property, {
      ...inner(place),
      path: `${path}.properties[${name}]`,
      ...(isMeta ? { insideMeta: true } : {}),
      ...(isMeta && isRoot === true ? { noDefaults: `in top-level ${name}` } : {}),
    })
  }
}

function checkCombined({ not, allOf = [], oneOf = [], anyOf = [] }: JSONSchemaProps, place: Place): void {
  if (not !== undefined) checkOpenApi(not, { ...place, path: `${place.path}.not` })
  for (const [name, list] of Object.entries({ allOf, oneOf, anyOf }))
    list.forEach((one, i) => {
      checkOpenApi(one, { ...place, path: `${place.path}.${name}[${i}]` })
    })
}
