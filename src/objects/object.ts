// What every Kubernetes object has: the metadata block and the small shapes that other kinds embed.
// Plain JSON shapes, deeply read-only: an object that was handed out is never changed, only copied.
// Knows no kinds and does no I/O.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export const isJsonMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is a JSON object: neither null nor a list nor a scalar. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: 'FieldsV1'
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
  readonly selfLink?: string
}

/** Any API object. `metadata` may lack fields before the API server has filled them in. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** An object whose further fields are read without a schema (custom resources, manifests). */
export type AnyObject = KubeObject & { readonly [field: string]: unknown }

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
}

export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

/** An object as the API server returns it: named, versioned and identified. */
export type Stored<T extends KubeObject> = T & {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string }
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of caches and queues. */
export function objectKey(object: KubeObject): string {
  const { namespace, name } = object.metadata
  return namespace === undefined || namespace === '' ? (name ?? '') : `${namespace}/${name ?? ''}`
}

/** The parts of a key made by {@link objectKey}. */
export function splitKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** The group of an apiVersion: `apps` of `apps/v1`, empty for the core group's `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}
