// Faults of the metadata that every object has, as in apimachinery's pkg/api/validation/objectmeta.go. Results of labels,
// annotations and owner references are kept by reference: the pods of a ReplicaSet share these objects.

import type { ObjectMeta, OwnerReference } from '#objects'
import { type FieldError, forbidden, invalid, required, tooLong } from '../field-error.ts'
import {
  byteLength,
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  immutableText,
  labelValue,
  nonNegativeText,
  pathSegment,
  qualifiedName,
} from './formats.ts'

export type NameCheck = (name: string) => readonly string[]

export interface MetadataRules {
  readonly namespaced: boolean
  /** Default: RFC 1123 subdomain. */
  readonly name?: NameCheck
  /** Kinds outside the core API server (CRDs, webhooks) don't ask finalizers to be qualified. */
  readonly anyFinalizer?: boolean
}

export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path'

export const nameChecks: Readonly<Record<NameRule, NameCheck>> = {
  subdomain: dnsSubdomain,
  label: dnsLabel,
  label1035: dnsLabel1035,
  path: pathSegment,
}

const maxAnnotationBytes = 256 * 1024
const none: readonly FieldError[] = []

/** All faults of the metadata of a new object. The name has been generated before. */
export function validateMetadata(meta: ObjectMeta, rules: MetadataRules, path = 'metadata'): readonly FieldError[] {
  const errors: FieldError[] = []
  const check = rules.name ?? dnsSubdomain
  if (meta.generateName !== undefined && meta.generateName !== '') {
    for (const text of check(maskTrailingDash(meta.generateName)))
      errors.push(invalid(`${path}.generateName`, meta.generateName, text))
  }
  if (meta.name === undefined || meta.name === '')
    errors.push(required(`${path}.name`, 'name or generateName is required'))
  else for (const text of check(meta.name)) errors.push(invalid(`${path}.name`, meta.name, text))
  checkNamespace(meta, rules, path, errors)
  checkCommonParts(meta, path, errors)
  if (rules.anyFinalizer !== true) checkQualifiedFinalizers(meta, path, errors)
  return errors.length === 0 ? none : errors
}

/** All faults of changed metadata; the API server has filled in before what a client may leave out. */
export function validateMetadataUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  options: { readonly anyFinalizer?: boolean; readonly path?: string } = {},
): readonly FieldError[] {
  const path = options.path ?? 'metadata'
  const errors: FieldError[] = []
  if (old.deletionTimestamp !== undefined) checkNoNewFinalizers(meta, old, path, errors)
  if (meta.resourceVersion === undefined || meta.resourceVersion === '')
    errors.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'))
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalid(`${path}.generation`, meta.generation ?? 0, 'must not be decremented'))
  for (const field of immutableFields)
    if (meta[field] !== old[field]) errors.push(invalid(`${path}.${field}`, meta[field], immutableText))
  checkCommonParts(meta, path, errors)
  if (options.anyFinalizer !== true) checkQualifiedFinalizers(meta, path, errors)
  return errors.length === 0 ? none : errors
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** A prefix may end in a dash: what follows it is generated. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name

function checkNamespace(meta: ObjectMeta, rules: MetadataRules, path: string, errors: FieldError[]): void {
  const { namespace } = meta
  if (!rules.namespaced) {
    if (namespace !== undefined && namespace !== '')
      errors.push(forbidden(`${path}.namespace`, 'not allowed on this type'))
  } else if (namespace === undefined || namespace === '') errors.push(required(`${path}.namespace`))
  else if (!knownNamespaces.has(namespace)) {
    const faults = dnsLabel(namespace)
    for (const text of faults) errors.push(invalid(`${path}.namespace`, namespace, text))
    if (faults.length === 0) remember(namespace)
  }
}

// Names of namespaces that are known to be right; bounded, since clients choose them.
const knownNamespaces = new Set<string>()
function remember(namespace: string): void {
  if (knownNamespaces.size >= 1000) knownNamespaces.clear()
  knownNamespaces.add(namespace)
}

function checkCommonParts(meta: ObjectMeta, path: string, errors: FieldError[]): void {
  if ((meta.generation ?? 0) < 0) errors.push(invalid(`${path}.generation`, meta.generation, nonNegativeText))
  checkLabels(meta.labels, `${path}.labels`, errors)
  checkAnnotations(meta.annotations, `${path}.annotations`, errors)
  checkOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`, errors)
  checkFinalizers(meta.finalizers, `${path}.finalizers`, errors)
}

const fine = new WeakSet<object>()

/** Labels, node selectors and Service selectors: a fault names the map, not the key. */
export function checkLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (labels === undefined || fine.has(labels)) return
  const before = errors.length
  for (const key of Object.keys(labels).sort()) {
    const value = labels[key] ?? ''
    for (const text of qualifiedName(key)) errors.push(invalid(path, key, text))
    for (const text of labelValue(value)) errors.push(invalid(path, value, text))
  }
  if (errors.length === before) fine.add(labels)
}

export function checkLabelName(key: string, path: string, errors: FieldError[]): void {
  for (const text of qualifiedName(key)) errors.push(invalid(path, key, text))
}

export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (annotations === undefined || fine.has(annotations)) return
  const before = errors.length
  let bytes = 0
  for (const key of Object.keys(annotations)) {
    for (const text of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, text))
    bytes += byteLength(key) + byteLength(annotations[key] ?? '')
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes))
  if (errors.length === before) fine.add(annotations)
}

function checkOwnerReferences(owners: readonly OwnerReference[] | undefined, path: string, errors: FieldError[]): void {
  if (owners === undefined || fine.has(owners)) return
  const before = errors.length
  let controller: string | undefined
  for (const owner of owners) {
    checkOwnerReference(owner, path, errors)
    if (owner.controller !== true) continue
    const name = `${owner.kind}/${owner.name}`
    if (controller !== undefined)
      errors.push(
        invalid(
          path,
          owners.map(printableOwner),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      )
    controller ??= name
  }
  if (errors.length === before) fine.add(owners)
}

function checkOwnerReference(owner: OwnerReference, path: string, errors: FieldError[]): void {
  const apiVersion = owner.apiVersion ?? ''
  if (apiVersion === '' || apiVersion.endsWith('/'))
    errors.push(invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'))
  for (const field of ['kind', 'name', 'uid'] as const)
    if ((owner[field] ?? '') === '') errors.push(invalid(`${path}.${field}`, '', 'must not be empty'))
  if (apiVersion === 'v1' && owner.kind === 'Event')
    errors.push(invalid(path, printableOwner(owner), '/v1, Kind=Event is disallowed from being an owner'))
}

/** Fields in the order in which Go writes them. */
const printableOwner = (owner: OwnerReference): object => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.name,
  uid: owner.uid,
  controller: owner.controller,
  blockOwnerDeletion: owner.blockOwnerDeletion,
})

function checkFinalizers(finalizers: readonly string[] | undefined, path: string, errors: FieldError[]): void {
  if (finalizers === undefined) return
  for (const finalizer of finalizers)
    for (const text of qualifiedName(finalizer)) errors.push(invalid(path, finalizer, text))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
}

const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

export function checkQualifiedFinalizer(finalizer: string, path: string, errors: FieldError[]): void {
  if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer))
    errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'))
}

function checkQualifiedFinalizers(meta: ObjectMeta, path: string, errors: FieldError[]): void {
  const { finalizers } = meta
  if (finalizers === undefined) return
  finalizers.forEach((finalizer, i) => {
    checkQualifiedFinalizer(finalizer, `${path}.finalizers[${i}]`, errors)
  })
}

function checkNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, path: string, errors: FieldError[]): void {
  const added = (meta.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer)).sort()
  if (added.length > 0)
    errors.push(
      forbidden(
        `${path}.finalizers`,
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
      ),
    )
}
