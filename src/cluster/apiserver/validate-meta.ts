// What Kubernetes checks in the metadata of every kind (apimachinery/pkg/api/validation/objectmeta.go). Maps and lists
// that were found good are remembered by reference, because objects share them.

import {
  checkAnnotations,
  checkLabels,
  checkQualifiedFinalizer,
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  type FieldError,
  forbidden,
  invalid,
  pathSegment,
  qualifiedName,
  required,
} from '#kinds'
import { isEqual, type ObjectMeta, type OwnerReference } from '#objects'
import type { Served } from './served.ts'

const knownGood = new WeakSet<object>()

/** Runs `check` on a list unless that very value passed before. */
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
  for (const finalizer of finalizers)
    for (const fault of qualifiedName(finalizer)) errors.push(invalid('metadata.finalizers', finalizer, fault))
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(
      invalid('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    )
}

function checkQualified(finalizers: readonly string[], errors: FieldError[]): void {
  finalizers.forEach((finalizer, i) => {
    checkQualifiedFinalizer(finalizer, `metadata.finalizers[${i}]`, errors)
  })
}

type NameRule = 'subdomain' | 'label' | 'label1035' | 'path'

const nameFaults: Readonly<Record<NameRule, (name: string) => readonly string[]>> = {
  subdomain: dnsSubdomain,
  label: dnsLabel,
  label1035: dnsLabel1035,
  path: pathSegment,
}

/** A prefix may end in a dash: what follows it is generated. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

// Names of namespaces that are known to be right; bounded, since clients choose them.
const knownNamespaces = new Set<string>()
const maxKnownNamespaces = 1000

function checkNamespace(namespace: string, errors: FieldError[]): void {
  if (knownNamespaces.has(namespace)) return
  const faults = dnsLabel(namespace)
  for (const fault of faults) errors.push(invalid('metadata.namespace', namespace, fault))
  if (faults.length > 0) return
  if (knownNamespaces.size >= maxKnownNamespaces) knownNamespaces.clear()
  knownNamespaces.add(namespace)
}

const groupsWithAnyFinalizer = ['apiextensions.k8s.io', 'apiregistration.k8s.io']

/** Kinds outside the core API server (custom ones, definitions) don't ask finalizers to be qualified. */
export const takesAnyFinalizer = ({ custom, info }: Served): boolean =>
  custom !== undefined || groupsWithAnyFinalizer.includes(info.group)

export interface MetadataRules {
  readonly nameRule: NameRule
  readonly namespaced: boolean
  readonly anyFinalizer: boolean
}

/** Faults of the metadata of an object that is being created. */
export function validateMeta(meta: ObjectMeta, rules: MetadataRules): readonly FieldError[] {
  const errors: FieldError[] = []
  const { name = '', generateName = '', namespace = '' } = meta
  const faultsOf = nameFaults[rules.nameRule]
  if (generateName !== '')
    for (const fault of faultsOf(maskTrailingDash(generateName)))
      errors.push(invalid('metadata.generateName', generateName, fault))
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else for (const fault of faultsOf(name)) errors.push(invalid('metadata.name', name, fault))
  if (!rules.namespaced) {
    if (namespace !== '') errors.push(forbidden('metadata.namespace', 'not allowed on this type'))
  } else if (namespace === '') errors.push(required('metadata.namespace'))
  else checkNamespace(namespace, errors)
  checkContent(meta, errors)
  if (!rules.anyFinalizer && meta.finalizers !== undefined) checkQualified(meta.finalizers, errors)
  return errors
}

function checkContent(meta: ObjectMeta, errors: FieldError[]): void {
  checkLabels(meta.labels, 'metadata.labels', errors)
  checkAnnotations(meta.annotations, 'metadata.annotations', errors)
  once(meta.ownerReferences, checkOwners, errors)
  once(meta.finalizers, checkFinalizers, errors)
}

const immutable = (field: string, value: unknown, old: unknown, errors: FieldError[]): void => {
  if (!isEqual(value, old)) errors.push(invalid(`metadata.${field}`, value, 'field is immutable'))
}

/**
 * Faults of the metadata of an update. Kubernetes checks it whole and as a change for all kinds, and then once more as the
 * kind's registry does, which `passes` tells.
 */
export function validateMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  { passes, anyFinalizer }: { readonly passes: string; readonly anyFinalizer: boolean },
): readonly FieldError[] {
  const whole: FieldError[] = []
  checkContent(meta, whole)
  const changed = changeFaults(meta, old)
  const qualified: FieldError[] = []
  if (!anyFinalizer && meta.finalizers !== undefined && passes.includes('m')) checkQualified(meta.finalizers, qualified)
  const own = [...passes].flatMap((pass) => (pass === 'm' ? [...whole, ...qualified] : changed))
  return [...whole, ...changed, ...own]
}

function changeFaults(meta: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
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
  checkLabels(meta.labels, 'metadata.labels', errors)
  checkAnnotations(meta.annotations, 'metadata.annotations', errors)
  once(meta.ownerReferences, checkOwners, errors)
  return errors
}

const newFinalizersText = (added: readonly string[]): string =>
  `no new finalizers can be added if the object is being deleted, found new finalizers []string{${[...added]
    .sort()
    .map((f) => JSON.stringify(f))
    .join(', ')}}`
