// The strategy of custom resources: what the definition of one version says in place of rules of a kind
// (apiextensions-apiserver/pkg/registry/customresource/strategy.go).

import {
  type FieldError,
  hasRules,
  invalid,
  qualifiedName,
  type ResourceInfo,
  validateBySchema,
  validateRules,
} from '#kinds'
import { type AnyObject, isEqual, type Json, type JsonObject } from '#objects'
import { onlyField, type Strategy, withField } from '../strategy.ts'
import { valueAt } from '../subresources/json-path.ts'
import { customColumns } from './columns.ts'
import type { VersionSpec } from './spec.ts'

const none: readonly never[] = []

/** Whether anything but metadata (and the status, where that is a subresource) differs. */
function contentDiffers(object: AnyObject, old: AnyObject, hasStatus: boolean): boolean {
  const skipped = (key: string): boolean =>
    key === 'metadata' || key === 'apiVersion' || (hasStatus && key === 'status')
  const keys = new Set([...Object.keys(object), ...Object.keys(old)])
  return [...keys].some((key) => !skipped(key) && object[key] !== old[key] && !isEqual(object[key], old[key]))
}

function typeFaults(object: AnyObject, info: ResourceInfo): readonly FieldError[] {
  return object.kind === info.kind ? none : [invalid('kind', object.kind, `must be ${info.kind}`)]
}

const blocking: readonly string[] = [
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]

/** Rules are asked only about objects that have the shape that they count on. */
function withRules(
  faults: readonly FieldError[],
  object: AnyObject,
  old: AnyObject | undefined,
  schema: JsonObject,
): readonly FieldError[] {
  if (!hasRules(schema)) return faults
  if (faults.some(({ type }) => blocking.includes(type))) {
    const why =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
    return [...faults, invalid('<nil>', null, why)]
  }
  return [...faults, ...validateRules(object as unknown as Json, old as unknown as Json | undefined, schema)]
}

const standardFinalizers: readonly string[] = ['orphan', 'foregroundDeletion', 'kubernetes']

/** Of finalizers that are new, those that others could take for theirs. */
function finalizerWarnings({ metadata }: AnyObject, old?: AnyObject): readonly string[] {
  const before = old?.metadata.finalizers ?? []
  const added = [...new Set(metadata.finalizers ?? [])].filter((name) => !before.includes(name)).sort()
  return added.flatMap((name) => {
    const warn = (text: string): string => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`
    const faults = qualifiedName(name).map(warn)
    if (name.includes('/') || standardFinalizers.includes(name)) return faults
    const how = name.includes('.') ? ' including a path (/)' : ''
    const why = `prefer a domain-qualified finalizer name${how} to avoid accidental conflicts with other finalizer writers`
    return [...faults, warn(why)]
  })
}

const maxReplicas = 2 ** 31 - 1

/** What the scale subresource reads as numbers of replicas are such numbers. */
function scaleFaults(object: AnyObject, { subresources }: VersionSpec): readonly FieldError[] {
  const { specReplicasPath, statusReplicasPath } = subresources?.scale ?? {}
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    const value = path === undefined ? undefined : valueAt(object, path)
    if (path === undefined || typeof value !== 'number') return []
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
    return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : []
  })
}

/** `version` is what the definition says of this version. */
export function customStrategy(info: ResourceInfo, version: VersionSpec): Strategy {
  const schema: JsonObject = version.schema?.openAPIV3Schema ?? {}
  const hasStatus = version.subresources?.status !== undefined && version.subresources.status !== null
  const bySchema = (object: AnyObject): readonly FieldError[] => {
    const faults = typeFaults(object, info)
    if (faults.length > 0) return faults
    return [...validateBySchema(object as unknown as Json, schema), ...scaleFaults(object, version)]
  }
  const validate = (object: AnyObject): readonly FieldError[] => withRules(bySchema(object), object, undefined, schema)
  // What was wrong before the schema became stricter may stay as it is.
  const validateUpdate = (object: AnyObject, old: AnyObject): readonly FieldError[] => {
    const faults = bySchema(object)
    if (faults.length === 0) return withRules(faults, object, old, schema)
    const known = new Set(bySchema(old).map(({ field, message }) => `${field} ${message}`))
    const added = faults.filter(({ field, message }) => !known.has(`${field} ${message}`))
    return withRules(added, object, old, schema)
  }
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath)
  return {
    namespaced: info.namespaced,
    hasStatus,
    tracksGeneration: true,
    generationAtCreate: true,
    raisesGeneration: (object, old) => contentDiffers(object, old, hasStatus),
    defaults: (object) => object,
    prepareForCreate: (object) => (hasStatus ? withField(object, 'status', undefined) : object),
    prepareForUpdate: (object, old) => (hasStatus ? withField(object, 'status', old['status']) : object),
    prepareForStatusUpdate: (object, old) => onlyField({ ...object, metadata: old.metadata }, old, 'status'),
    validate,
    validateUpdate,
    validateStatusUpdate: validateUpdate,
    warnings: finalizerWarnings,
    columns: customColumns(version.additionalPrinterColumns),
    rowConditions: () => undefined,
    selectableFields: Object.fromEntries(
      selectable.map((path) => [path.replace(/^\./, ''), (object: AnyObject) => String(valueAt(object, path) ?? '')]),
    ),
    nameRule: 'subdomain',
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    gracePeriodSeconds: undefined,
  }
}
