// The strategy of custom resources: what the definition of one version says in place of rules of a kind
// (apiextensions-apiserver/pkg/registry/customresource/strategy.go).

import {
  type FieldError,
  hasRules,
  invalid,
  judgeByRules,
  qualifiedName,
  type ResourceInfo,
  validateBySchema,
  validateEmbedded,
  validateListTypes,
} from '#kinds'
import { type AnyObject, isEqual, type Json, type JsonObject } from '#objects'
import { onlyField, type Strategy, unknownField, withField } from '../strategy.ts'
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
  'FieldValueNotSupported',
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
  return [...faults, ...judgeByRules(asJson(object), old && asJson(old), schema).faults]
}

const asJson = (object: AnyObject): Json => object as unknown as Json

/** What rules have against parts that did not change. */
function ruleWarnings(object: AnyObject, old: AnyObject | undefined, schema: JsonObject): readonly string[] {
  return old === undefined || !hasRules(schema) ? none : judgeByRules(asJson(object), asJson(old), schema).warnings
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
  const validate = (object: AnyObject, old?: AnyObject): readonly FieldError[] => {
    const wrong = typeFaults(object, info)
    if (wrong.length > 0) return wrong
    const [now, before] = [asJson(object), old && asJson(old)]
    const wasKeyed = before === undefined || validateListTypes(before, schema).length === 0
    const faults = [
      ...validateBySchema(now, schema, before),
      ...scaleFaults(object, version),
      ...validateEmbedded(now, schema),
      ...(wasKeyed ? validateListTypes(now, schema) : none),
    ]
    return withRules(faults, object, old, schema)
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
    validate: (object) => validate(object),
    validateUpdate: validate,
    validateStatusUpdate: validate,
    warnings: (object, old) => [...finalizerWarnings(object, old), ...ruleWarnings(object, old, schema)],
    statusWarnings: () => none,
    columns: customColumns(version.additionalPrinterColumns),
    metaOnUpdate: 'u',
    rowOrder: undefined,
    rowConditions: () => undefined,
    selectableFields: Object.fromEntries(
      selectable.map((path) => [path.replace(/^\./, ''), (object: AnyObject) => String(valueAt(object, path) ?? '')]),
    ),
    unknownField,
    nameRule: 'subdomain',
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    gracePeriodSeconds: undefined,
  }
}
