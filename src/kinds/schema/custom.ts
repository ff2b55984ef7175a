// The schema of a custom resource, from the OpenAPI schema in its CustomResourceDefinition. Metadata is always the
// built-in ObjectMeta, as an API server decodes it; everything else is kept as the definition says.

import { isJsonObject, type Json, type JsonObject, type Schema, type SchemaType } from '#objects'
import { schemaById } from './resolve.ts'

const stringSchema: Schema = { type: 'string' }

/** Keywords that have a place of their own in a Schema, or that say nothing about values. */
const structural = new Set([
  'type',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'default',
  'enum',
  'format',
  'nullable',
  'description',
  'title',
  'example',
  'externalDocs',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
])

/** `openAPIV3Schema` of one version of a CustomResourceDefinition; without one, every field is kept. */
export function schemaOfCustomResource(openAPIV3Schema: JsonObject | undefined): Schema {
  const root = convert(openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
  return { ...root, type: 'object', properties: withTypeMeta(root.properties) }
}

function withTypeMeta(properties: ReadonlyMap<string, Schema> | undefined): ReadonlyMap<string, Schema> {
  const map = new Map(properties)
  const metadata = schemaById('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
  map.set('apiVersion', { ...map.get('apiVersion'), ...stringSchema })
  map.set('kind', { ...map.get('kind'), ...stringSchema })
  if (metadata !== undefined) map.set('metadata', metadata)
  return map
}

const strings = (value: Json | undefined): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : undefined

function convert(raw: JsonObject): Schema {
  const properties = isJsonObject(raw['properties'])
    ? new Map(
        Object.entries(raw['properties']).map(([name, value]) => [name, convert(isJsonObject(value) ? value : {})]),
      )
    : undefined
  const embedded = raw['x-kubernetes-embedded-resource'] === true
  const values = valuesOf(raw['additionalProperties'])
  const checks = Object.fromEntries(Object.entries(raw).filter(([keyword]) => !structural.has(keyword)))
  const fields = embedded ? withTypeMeta(properties) : properties
  return {
    type: typeOf(raw),
    ...(fields === undefined ? {} : { properties: fields }),
    ...(values === undefined ? {} : { values }),
    ...(isJsonObject(raw['items']) ? { items: convert(raw['items']) } : {}),
    ...plainKeywords(raw),
    ...extensions(raw),
    ...(Object.keys(checks).length === 0 ? {} : { checks }),
  }
}

function typeOf(raw: JsonObject): SchemaType {
  const type = raw['type']
  return raw['x-kubernetes-int-or-string'] === true || typeof type !== 'string' || type === ''
    ? 'any'
    : (type as SchemaType)
}

function valuesOf(raw: Json | undefined): Schema | undefined {
  if (raw === true) return { type: 'any', preserveUnknownFields: true }
  return isJsonObject(raw) ? convert(raw) : undefined
}

function plainKeywords(raw: JsonObject): Partial<Schema> {
  const required = strings(raw['required'])
  const { default: standard, enum: values, format } = raw
  return {
    ...(required === undefined ? {} : { required }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(Array.isArray(values) ? { enum: values as readonly Json[] } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(raw['nullable'] === true ? { nullable: true } : {}),
  }
}

function extensions(raw: JsonObject): Partial<Schema> {
  const listMapKeys = strings(raw['x-kubernetes-list-map-keys'])
  const listType = raw['x-kubernetes-list-type']
  const mapType = raw['x-kubernetes-map-type']
  return {
    ...(listType === 'atomic' || listType === 'set' || listType === 'map' ? { listType } : {}),
    ...(listMapKeys === undefined ? {} : { listMapKeys }),
    ...(mapType === 'atomic' || mapType === 'granular' ? { mapType } : {}),
    ...(raw['x-kubernetes-int-or-string'] === true ? { intOrString: true } : {}),
    ...(raw['x-kubernetes-preserve-unknown-fields'] === true ? { preserveUnknownFields: true } : {}),
    ...(raw['x-kubernetes-embedded-resource'] === true ? { embeddedResource: true } : {}),
  }
}
