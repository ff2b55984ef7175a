// Objects inside of custom resources (x-kubernetes-embedded-resource) say what they are, and have metadata as all objects
// have (apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go).

import type { Json, JsonObject } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import { dnsLabel, dnsLabel1035, pathSegment } from '../metadata/formats.ts'
import { checkAnnotations, checkLabels } from '../metadata/validate.ts'
import { child, fieldSchema, holding, isObject } from './correlate.ts'

const isEmbedded = (schema: JsonObject): boolean => schema['x-kubernetes-embedded-resource'] === true

const hasEmbedded = holding(isEmbedded)

export function validateEmbedded(value: Json, schema: JsonObject, path = ''): readonly FieldError[] {
  if (!hasEmbedded(schema)) return []
  if (Array.isArray(value)) {
    const { items } = schema
    return isObject(items)
      ? (value as readonly Json[]).flatMap((element, i) => validateEmbedded(element, items, `${path}[${i}]`))
      : []
  }
  if (!isObject(value)) return []
  const inner = Object.entries(value).flatMap(([name, field]) => {
    const one = fieldSchema(schema, name)
    return one === undefined || field === undefined ? [] : validateEmbedded(field, one, child(path, name))
  })
  return [...(isEmbedded(schema) ? resourceFaults(value, path) : []), ...inner]
}

function resourceFaults(resource: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['apiVersion', 'kind'] as const)
    if (resource[name] === undefined) errors.push(required(child(path, name)))
  const { apiVersion, kind, metadata } = resource
  if (apiVersion !== undefined) errors.push(...textFaults(apiVersion, child(path, 'apiVersion'), versionFault))
  if (kind !== undefined) errors.push(...textFaults(kind, child(path, 'kind'), kindFault))
  if (isObject(metadata)) checkMetadata(metadata, child(path, 'metadata'), errors)
  return errors
}

function textFaults(value: Json, path: string, faultOf: (text: string) => string | undefined): readonly FieldError[] {
  const fault = typeof value !== 'string' ? 'must be a string' : value === '' ? 'must not be empty' : faultOf(value)
  return fault === undefined ? [] : [invalid(path, value, fault)]
}

const versionFault = (text: string): string | undefined =>
  text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined

function kindFault(text: string): string | undefined {
  const faults = dnsLabel1035(text.toLowerCase())
  return faults.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${faults.join(',')}`
}

function checkMetadata(metadata: JsonObject, path: string, errors: FieldError[]): void {
  const { name, namespace, labels, annotations } = metadata
  if (typeof name === 'string' && name !== '')
    for (const fault of pathSegment(name)) errors.push(invalid(`${path}.name`, name, fault))
  if (typeof namespace === 'string' && namespace !== '')
    for (const fault of dnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, fault))
  checkLabels(labels as Readonly<Record<string, string>> | undefined, `${path}.labels`, errors)
  checkAnnotations(annotations as Readonly<Record<string, string>> | undefined, `${path}.annotations`, errors)
}
