// What Kubernetes checks in the metadata of every kind (apimachinery/pkg/api/validation/objectmeta.go). Maps and lists
// that were found good are remembered by reference, because objects share them.

import { type FieldError, forbidden, invalid, required, tooLong } from '#kinds'
import { isEqual, type ObjectMeta, type OwnerReference } from '#objects'
import { labelFaults, labelValueFaults, type NameRule, nameFaults, qualifiedNameFaults } from './names.ts'

const annotationsLimitBytes = 256 * 1024
const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion']
const knownGood = new WeakSet<object>()

/** Runs `check` on a map or list unless that very value passed before. */
function once<T extends object>(
  value: T | undefined,
  check: (value: T, errors: FieldError[]) => void,
  errors: FieldError[],
): void {
  if (value === undefined || knownGood.has(value)) return
  const before = errors.length
  check(value, errors)
  if (errors.length === before) knownGood.add(value)
}

function checkLabels(labels: Readonly<Record<string, string>>, errors: FieldError[]): void {
  for (const key of Object.keys(labels).sort()) {
    for (const fault of qualifiedNameFaults(key)) errors.push(invalid('metadata.labels', key, fault))
    const value = labels[key] ?? ''
    for (const fault of labelValueFaults(value)) errors.push(invalid('metadata.labels', value, fault))
  }
}

function checkAnnotations(annotations: Readonly<Record<string, string>>, errors: FieldError[]): void {
  let bytes = 0
  for (const key of Object.keys(annotations).sort()) {
    const value = annotations[key] ?? ''
    bytes += byteLength(key) + byteLength(value)
    for (const fault of qualifiedNameFaults(key.toLowerCase())) errors.push(invalid('metadata.annotations', key, fault))
  }
  if (bytes > annotationsLimitBytes) errors.push(tooLong('metadata.annotations', annotationsLimitBytes))
}

const encoder = new TextEncoder()
const byteLength = (text: string): number =>
  text.length < 1024 && isAscii(text) ? text.length : encoder.encode(text).length
const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

function checkOwners(owners: readonly OwnerReference[], errors: FieldError[]): void {
  const path = 'metadata.ownerReferences'
  let controller: OwnerReference | undefined
  for (const owner of owners) {
    const { group, version } = groupVersion(owner.apiVersion ?? '')
    if (version === undefined) errors.push(invalid(`${path}.apiVersion`, owner.apiVersion, 'version must not be empty'))
    if ((owner.kind ?? '') === '') errors.push(invalid(`${path}.kind`, owner.kind ?? '', 'must not be empty'))
    if ((owner.name ?? '') === '') errors.push(invalid(`${path}.name`, owner.name ?? '', 'must not be empty'))
    if ((owner.uid ?? '') === '') errors.push(invalid(`${path}.uid`, owner.uid ?? '', 'must not be empty'))
    if (group === '' && version === 'v1' && owner.kind === 'Event')
      errors.push(invalid(path, owner, `${owner.apiVersion}, Kind=${owner.kind} is disallowed from being an owner`))
    if (owner.controller !== true) continue
    if (controller === undefined) controller = owner
    else
      errors.push(
        invalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`,
        ),
      )
  }
}

function groupVersion(text: string): { readonly group: string; readonly version: string | undefined } {
  const slash = text.indexOf('/')
  const version = text.slice(slash + 1)
  return { group: slash < 0 ? '' : text.slice(0, slash), version: version === '' ? undefined : version }
}

function checkFinalizers(finalizers: readonly string[], errors: FieldError[]): void {
  finalizers.forEach((finalizer, i) => {
    for (const fault of qualifiedNameFaults(finalizer)) errors.push(invalid('metadata.finalizers', finalizer, fault))
    if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer))
      errors.push(
        invalid(
          `metadata.finalizers[${i}]`,
          finalizer,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      )
  })
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(
      invalid('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    )
}

export interface NameChecks {
  readonly nameRule: NameRule
  readonly namespaced: boolean
}

/** Faults of the metadata of an object that is being created. */
export function validateMeta(meta: ObjectMeta, rules: NameChecks): readonly FieldError[] {
  const errors: FieldError[] = []
  const { name = '', generateName = '', namespace = '' } = meta
  if (generateName !== '')
    for (const fault of nameFaults(rules.nameRule, generateName, true))
      errors.push(invalid('metadata.generateName', generateName, fault))
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else for (const fault of nameFaults(rules.nameRule, name, false)) errors.push(invalid('metadata.name', name, fault))
  if (!rules.namespaced) {
    if (namespace !== '') errors.push(forbidden('metadata.namespace', 'not allowed on this type'))
  } else if (namespace === '') errors.push(required('metadata.namespace'))
  else for (const fault of labelFaults(namespace)) errors.push(invalid('metadata.namespace', namespace, fault))
  once(meta.labels, checkLabels, errors)
  once(meta.annotations, checkAnnotations, errors)
  once(meta.ownerReferences, checkOwners, errors)
  once(meta.finalizers, checkFinalizers, errors)
  return errors
}

const immutable = (field: string, value: unknown, old: unknown, errors: FieldError[]): void => {
  if (!isEqual(value, old)) errors.push(invalid(`metadata.${field}`, value, 'field is immutable'))
}

/** Faults of the metadata of an update. Kubernetes checks it twice for most kinds; the caller repeats the causes. */
export function validateMetaUpdate(meta: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp !== undefined) {
    const added = (meta.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer))
    if (added.length > 0) errors.push(forbidden('metadata.finalizers', newFinalizersText(added)))
  }
  if ((meta.resourceVersion ?? '') === '')
    errors.push(invalid('metadata.resourceVersion', '', 'must be specified for an update'))
  immutable('name', meta.name, old.name, errors)
  immutable('namespace', meta.namespace, old.namespace, errors)
  immutable('uid', meta.uid, old.uid, errors)
  immutable('deletionTimestamp', meta.deletionTimestamp, old.deletionTimestamp, errors)
  immutable('deletionGracePeriodSeconds', meta.deletionGracePeriodSeconds, old.deletionGracePeriodSeconds, errors)
  once(meta.labels, checkLabels, errors)
  once(meta.annotations, checkAnnotations, errors)
  once(meta.ownerReferences, checkOwners, errors)
  return errors
}

const newFinalizersText = (added: readonly string[]): string =>
  `no new finalizers can be added if the object is being deleted, found new finalizers []string{${[...added]
    .sort()
    .map((f) => JSON.stringify(f))
    .join(', ')}}`
