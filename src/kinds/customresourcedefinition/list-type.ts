// x-kubernetes-list-type, x-kubernetes-list-map-keys, x-kubernetes-map-type: how lists and maps are merged, and what
// their elements must then be.

import { type FieldError, forbidden, invalid, invalidWhole, notSupported, required } from '../field-error.ts'
import type { JSONSchemaProps } from '../generated/types.ts'
import { itemSchema } from './schema-type.ts'

export function checkListAndMapTypes(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const { type = '' } = schema
  const {
    'x-kubernetes-map-type': mapType,
    'x-kubernetes-list-type': listType,
    'x-kubernetes-list-map-keys': keys = [],
  } = schema
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  if (mapType !== undefined) {
    checkTypeIs('object', type, { keyword: 'x-kubernetes-map-type', path, errors })
    if (mapType !== 'atomic' && mapType !== 'granular')
      errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']))
  }
  if (listType !== undefined) {
    checkTypeIs('array', type, { keyword: 'x-kubernetes-list-type', path, errors })
    if (listType === 'set' && type === 'array') checkAtomicItems(itemSchema(schema), `${path}.items`, errors)
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map')
      errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']))
  }
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const at = `${path}.x-kubernetes-list-type`
    errors.push(listType === undefined ? required(at, text) : invalid(at, listType, text))
  }
  if (listType === 'map') checkMapList(schema, path, errors)
  if (listType === 'map' || listType === 'set') checkNullable(schema, path, errors)
}

function checkTypeIs(
  wanted: 'object' | 'array',
  type: string,
  { keyword, path, errors }: { readonly keyword: string; readonly path: string; readonly errors: FieldError[] },
): void {
  if (type === wanted) return
  const text = `must be ${wanted} if ${keyword} is specified`
  errors.push(type === '' ? required(`${path}.type`, text) : invalid(`${path}.type`, type, text))
}

/** Elements of a set are compared as wholes. */
function checkAtomicItems(items: JSONSchemaProps | undefined, path: string, errors: FieldError[]): void {
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items ?? {}
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic')
    errors.push(invalid(`${path}.x-kubernetes-list-type`, listType, text))
  if (items?.type === 'object' && mapType !== 'atomic')
    errors.push(invalid(`${path}.x-kubernetes-map-type`, listType ?? null, text))
}

function checkMapList(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const at = `${path}.x-kubernetes-list-map-keys`
  if (keys.length === 0) errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'))
  if (schema.items === undefined)
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
  const items = itemSchema(schema)
  if (schema.items !== undefined && items === undefined)
    errors.push(invalidWhole(`${path}.items`, 'must only have a single schema if x-kubernetes-list-type is map'))
  if (items === undefined) return
  if (items.type !== 'object') {
    const text = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(`${path}.items.type`, items.type ?? '', text))
    return
  }
  keys.forEach((key, i) => {
    const property = items.properties?.[key]
    if (property === undefined) errors.push(invalid(at, keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object')
      errors.push(
        invalid(
          `${path}.items.properties[${key}].type`,
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      )
    if (keys.indexOf(key) < i) errors.push(invalid(at, keys, 'must not contain duplicate entries'))
  })
}

/** Elements and keys by which they are told apart are always there. */
function checkNullable(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const items = itemSchema(schema)
  const listType = schema['x-kubernetes-list-type'] ?? ''
  if (items?.nullable === true)
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`))
  if (listType !== 'map') return
  const isKey = 'this property is in x-kubernetes-list-map-keys, so it'
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items?.properties?.[key]
    if (property === undefined) continue
    const at = `${path}.items.properties[${key}]`
    if (property.default === undefined && items?.required?.includes(key) !== true)
      errors.push(required(`${at}.default`, `${isKey} must have a default or be a required property`))
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, `${isKey} cannot be nullable`))
  }
}
