// What the rest of the house may know of a kind. A `Kind` is its name on the wire; `KindRules` are the rules that its
// schema cannot say. Both are plain values: one folder a kind, one line in the registry.

import type { KubeObject } from '#objects'
import type { FieldError } from './field-error.ts'

export interface Kind<T extends KubeObject = KubeObject> {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Plural, lower case: `deployments`. */
  readonly resource: string
  readonly namespaced: boolean
  /** Never set: carries the type of the objects. */
  readonly object?: T
}

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = (kind: { readonly group: string; readonly version: string }): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`

export interface Column<T> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  /** 0 is always shown, 1 only by `-o wide`. */
  readonly priority?: number
  /** Whether rows have the cell but tables do not name its column. */
  readonly isUnnamed?: boolean
  /** The cell; `now` is world time in milliseconds, for ages. */
  readonly cell: (object: T, now: number) => string | number | boolean | null
}

export interface RowCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/**
 * The rules of one kind, as in Kubernetes' registry strategies. All are pure. Functions that return an object return the
 * SAME reference when there is nothing to change, and otherwise a copy that shares what did not change: stored
 * objects are never changed, and results are cached by reference.
 */
export interface KindRules<T extends KubeObject> {
  readonly kind: Kind<T>
  /** Fills in what depends on other fields or is not in the schema (schema defaults have been applied before). */
  readonly defaults?: (object: T) => T
  /** Before create: drops and sets what the client has no say in. Default: drops `status` if there is a status subresource. */
  readonly prepareForCreate?: (object: T) => T
  /** Before an update of the main resource. Default: keeps the old `status`. */
  readonly prepareForUpdate?: (object: T, old: T) => T
  /** Before an update of `/status`. Default: keeps the old `spec` and the metadata that `/status` may not change. */
  readonly prepareForStatusUpdate?: (object: T, old: T, now: string) => T
  /** Whether an update of `/status` leaves metadata alone; that of most kinds may change labels and the like. */
  readonly statusKeepsMetadata?: true
  /** Whether the change raises `metadata.generation`. Default: `spec` differs; kinds without generation say `none`. */
  readonly generation?: 'none' | ((object: T, old: T) => boolean)
  /** Whether a new object has generation 1 (default: if it has generations at all). */
  readonly generationAtCreate?: boolean
  /** Faults of a new object in Kubernetes' order, but for those of its metadata, which the API server finds. */
  readonly validate?: (object: T) => readonly FieldError[]
  readonly validateUpdate?: (object: T, old: T) => readonly FieldError[]
  readonly validateStatusUpdate?: (object: T, old: T) => readonly FieldError[]
  /**
   * How often the registry of the kind checks metadata on an update, and so tells its faults: `m` the whole of it, `u` what an
   * update may change. Default: `u`. Empty: nothing, nor when it is created.
   */
  readonly metaOnUpdate?: '' | 'm' | 'u' | 'mm' | 'mu' | 'um' | 'mum' | 'mmu'
  /** Texts of warnings for what is accepted but deprecated or useless. */
  readonly warnings?: (object: T, old?: T) => readonly string[]
  /** The same of an update of `/status`. */
  readonly statusWarnings?: (object: T) => readonly string[]
  readonly columns?: readonly Column<T>[]
  /** The order of rows in a list's table, where it is not the list's. */
  readonly rowOrder?: (a: T, b: T) => number
  /** What a table says of the whole row, such as that the object is done. */
  readonly rowConditions?: (object: T) => readonly RowCondition[] | undefined
  /**
   * Fields, besides metadata.name and (of namespaced kinds) metadata.namespace, that a field selector may name: path to value.
   * Kinds without any take those two alone.
   */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>
  /** What the kind says of a field that a selector may not name. Default: `field label not supported: FIELD`. */
  readonly unknownField?: (field: string) => string
  /** Name rule: default `subdomain` (RFC 1123 subdomain); Services `label1035`, Namespaces `label`, RBAC `path`. */
  readonly nameRule?: 'subdomain' | 'label' | 'label1035' | 'path'
  /** Whether a PUT on a name that does not exist creates it. */
  readonly allowCreateOnUpdate?: boolean
  /** Whether an update may leave out metadata.resourceVersion (default true, as for most kinds). */
  readonly allowUnconditionalUpdate?: boolean
  /** Grace period for a delete in seconds; undefined deletes at once. Only Pods have one. */
  readonly gracePeriodSeconds?: (object: T, requested: number | undefined) => number | undefined
}
