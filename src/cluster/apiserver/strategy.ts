// The rules of one served resource with every gap filled: KindRules (from #kinds) where a kind has its own, the generic
// strategy of a Kubernetes registry where it has none. The verbs know no kinds; they only call what stands here.

import type { Column, FieldError, KindRules, ResourceInfo, RowCondition } from '#kinds'
import { type AnyObject, applySchemaDefaults, decode, isEqual, type Schema } from '#objects'

export interface Strategy {
  readonly namespaced: boolean
  readonly hasStatus: boolean
  readonly tracksGeneration: boolean
  readonly generationAtCreate: boolean
  readonly raisesGeneration: (object: AnyObject, old: AnyObject) => boolean
  readonly defaults: (object: AnyObject) => AnyObject
  readonly prepareForCreate: (object: AnyObject) => AnyObject
  readonly prepareForUpdate: (object: AnyObject, old: AnyObject) => AnyObject
  readonly prepareForStatusUpdate: (object: AnyObject, old: AnyObject, now: string) => AnyObject
  readonly validate: (object: AnyObject) => readonly FieldError[]
  readonly validateUpdate: (object: AnyObject, old: AnyObject) => readonly FieldError[]
  readonly validateStatusUpdate: (object: AnyObject, old: AnyObject) => readonly FieldError[]
  readonly metaOnUpdate: NonNullable<KindRules<never>['metaOnUpdate']>
  readonly warnings: (object: AnyObject, old?: AnyObject) => readonly string[]
  readonly statusWarnings: (object: AnyObject) => readonly string[]
  readonly columns: readonly Column<AnyObject>[] | undefined
  readonly rowOrder: ((a: AnyObject, b: AnyObject) => number) | undefined
  readonly rowConditions: (object: AnyObject) => readonly RowCondition[] | undefined
  /** Undefined where only names can be selected by. */
  readonly selectableFields: Readonly<Record<string, (object: AnyObject) => string>> | undefined
  readonly unknownField: (field: string) => string
  readonly nameRule: 'subdomain' | 'label' | 'label1035' | 'path'
  readonly allowCreateOnUpdate: boolean
  readonly allowUnconditionalUpdate: boolean
  readonly gracePeriodSeconds: ((object: AnyObject, requested: number | undefined) => number | undefined) | undefined
}

const none: readonly never[] = []

/** What most kinds say of a field that a selector may not name. */
export const unknownField = (field: string): string => `field label not supported: ${field}`

/** Defaults of kinds that have none of their own. */
export const unchanged = (object: AnyObject): AnyObject => object
const noErrors = (): readonly FieldError[] => none

/** The status that Go's struct has before anyone wrote one: `{}` with the defaults of its schema, or nothing for custom kinds. */
function emptyStatusOf(schema: Schema | undefined): unknown {
  const status = schema?.properties?.get('status')
  if (status === undefined || status.default === undefined) return undefined
  return applySchemaDefaults(decode(status.default, status).value, status)
}

export function withField(object: AnyObject, field: string, value: unknown): AnyObject {
  if (object[field] === value) return object
  if (value !== undefined) return { ...object, [field]: value }
  const { [field]: _dropped, ...rest } = object
  return rest as AnyObject
}

/** Everything but metadata and `kept` comes from the old object: how a `/status` write leaves the rest alone. */
export function onlyField(object: AnyObject, old: AnyObject, kept: string): AnyObject {
  const base = old[kept] === object[kept] ? old : withField(old, kept, object[kept])
  return base.metadata === object.metadata ? base : { ...base, metadata: object.metadata }
}

const specDiffers = (object: AnyObject, old: AnyObject): boolean =>
  object['spec'] !== old['spec'] && !isEqual(object['spec'], old['spec'])

/** Fills the gaps of `rules` for the resource `info`. */
export function resolveStrategy(
  info: ResourceInfo,
  rules: KindRules<never> | undefined,
  schema: Schema | undefined,
): Strategy {
  const own = rules as unknown as KindRules<AnyObject> | undefined
  const hasStatus = info.subresources.some((subresource) => subresource.name === 'status')
  const hasSpec = schema?.properties?.has('spec') ?? true
  const emptyStatus = hasStatus ? emptyStatusOf(schema) : undefined
  const ensureStatus = (object: AnyObject): AnyObject =>
    emptyStatus !== undefined && object['status'] === undefined ? withField(object, 'status', emptyStatus) : object
  const tracksGeneration = own?.generation !== 'none' && (typeof own?.generation === 'function' || hasSpec)
  const validate = own?.validate ?? noErrors
  return {
    namespaced: info.namespaced,
    hasStatus,
    tracksGeneration,
    generationAtCreate: own?.generationAtCreate ?? tracksGeneration,
    raisesGeneration: typeof own?.generation === 'function' ? own.generation : specDiffers,
    defaults: own?.defaults ?? unchanged,
    prepareForCreate: (object) =>
      ensureStatus(own?.prepareForCreate?.(object) ?? (hasStatus ? withField(object, 'status', undefined) : object)),
    prepareForUpdate: (object, old) =>
      own?.prepareForUpdate?.(object, old) ?? (hasStatus ? withField(object, 'status', old['status']) : object),
    prepareForStatusUpdate: (object, old, now) =>
      own?.prepareForStatusUpdate?.(object, old, now) ??
      onlyField(own?.statusKeepsMetadata ? { ...object, metadata: old.metadata } : object, old, 'status'),
    validate,
    validateUpdate: own?.validateUpdate ?? ((object) => validate(object)),
    validateStatusUpdate: own?.validateStatusUpdate ?? noErrors,
    metaOnUpdate: own?.metaOnUpdate ?? 'u',
    warnings: own?.warnings ?? (() => none),
    statusWarnings: own?.statusWarnings ?? (() => none),
    columns: own?.columns,
    rowOrder: own?.rowOrder,
    rowConditions: own?.rowConditions ?? (() => undefined),
    selectableFields: own?.selectableFields,
    unknownField: own?.unknownField ?? unknownField,
    nameRule: own?.nameRule ?? 'subdomain',
    allowCreateOnUpdate: own?.allowCreateOnUpdate ?? false,
    allowUnconditionalUpdate: own?.allowUnconditionalUpdate ?? true,
    gracePeriodSeconds: own?.gracePeriodSeconds,
  }
}
