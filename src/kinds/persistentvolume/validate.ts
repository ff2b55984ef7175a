// Faults of PersistentVolumes.

import { compareQuantity, formatQuantity, isEqual, parseQuantity, quantityValue } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required, twice } from '../field-error.ts'
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../generated/types.ts'
import { asGoStruct, goMap, goStruct } from '../go-struct.ts'
import { immutableText, positiveText } from '../metadata/formats.ts'
import { checkAccessModes, checkClassName, volumeModes } from '../persistentvolumeclaim/spec.ts'
import { describeChange } from '../pod/describe-change.ts'
import { checkNodeSelector } from '../podspec/affinity.ts'
import { checkSources, sources } from './sources.ts'

const reclaimPolicies: readonly string[] = ['Delete', 'Recycle', 'Retain']

export function validateVolume(volume: PersistentVolume): readonly FieldError[] {
  const errors: FieldError[] = []
  const { spec = {} } = volume
  const modes = spec.accessModes ?? []
  if (modes.length === 0) errors.push(required('spec.accessModes'))
  checkAccessModes(modes, 'spec.accessModes', errors)
  checkCapacity(spec.capacity ?? {}, errors)
  const policy: string = spec.persistentVolumeReclaimPolicy ?? ''
  if (policy !== '' && !reclaimPolicies.includes(policy))
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies))
  if (spec.nodeAffinity !== undefined) {
    if (spec.nodeAffinity.required === undefined)
      errors.push(required('spec.nodeAffinity.required', 'must specify required node constraints'))
    else checkNodeSelector(spec.nodeAffinity.required, 'spec.nodeAffinity.required', errors)
  }
  const { name = '' } = volume.metadata
  checkSources(spec, { path: 'spec', errors, name, isBoundToNodes: spec.nodeAffinity !== undefined })
  checkClassName(spec.storageClassName, 'spec.storageClassName', errors)
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode))
    errors.push(notSupported('spec.volumeMode', spec.volumeMode, volumeModes))
  checkAttributesClass(spec, errors)
  return errors
}

function checkAttributesClass(spec: PersistentVolumeSpec, errors: FieldError[]): void {
  if (spec.volumeAttributesClassName === undefined) return
  if (spec.volumeAttributesClassName === '')
    errors.push(required('spec.volumeAttributesClassName', 'an empty string is disallowed'))
  else checkClassName(spec.volumeAttributesClassName, 'spec.volumeAttributesClassName', errors)
  if (spec.csi === undefined)
    errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
}

function checkCapacity(capacity: Readonly<Record<string, string | number>>, errors: FieldError[]): void {
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required('spec.capacity'))
  if (capacity['storage'] === undefined || names.length > 1) {
    const shown = names.length === 0 ? null : goMap(capacity)
    errors.push(notSupported('spec.capacity', shown, ['storage']))
  }
  for (const name of names) {
    const amount = capacity[name] ?? '0'
    if (quantityValue(amount) < 0)
      errors.push(invalid(`spec.capacity[${name}]`, quantityValue(amount), 'must be a valid resource quantity'))
    if (compareQuantity(amount, '0') <= 0)
      errors.push(invalid(`spec.capacity[${name}]`, formatQuantity(parseQuantity(amount)), positiveText))
  }
}

export function validateVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): readonly FieldError[] {
  const errors = [...twice(validateVolume(volume))]
  const [spec, before] = [volume.spec ?? {}, old.spec ?? {}]
  const [now, was] = [sourcesOf(spec, before), sourcesOf(before, before)]
  if (!isEqual(now, was))
    errors.push(
      forbidden(
        'spec.persistentvolumesource',
        `spec.persistentvolumesource is immutable after creation\n${describeChange(was, now, 'core.PersistentVolumeSource')}`,
      ),
    )
  if (spec.volumeMode !== before.volumeMode) errors.push(invalid('volumeMode', spec.volumeMode ?? null, immutableText))
  if (before.nodeAffinity !== undefined && !saysTheSame(spec.nodeAffinity, before.nodeAffinity)) {
    const shown = spec.nodeAffinity === undefined ? null : asGoStruct(internalAffinity, spec.nodeAffinity)
    errors.push(invalid('nodeAffinity', shown, `${immutableText}, except for updating from beta label to GA`))
  }
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  return errors
}

/** The source alone. A secret for expansion may be added to a CSI volume that has none. */
function sourcesOf(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): object {
  const given = Object.fromEntries(
    sources.flatMap(({ field }) => (spec[field] === undefined ? [] : [[field, spec[field]]])),
  )
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return given
  const { controllerExpandSecretRef: _added, ...csi } = spec.csi
  return { ...given, csi }
}

const internalRequirement = goStruct('Key="" Operator="" Values')
const internalTerm = goStruct('MatchExpressions MatchFields', {
  MatchExpressions: internalRequirement,
  MatchFields: internalRequirement,
})
const internalSelector = goStruct('NodeSelectorTerms', { NodeSelectorTerms: internalTerm })
const internalAffinity = goStruct('Required', { Required: internalSelector })

const newLabels: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
])

/** Equal, but that labels may be called by the names that they have got since. */
function saysTheSame(now: VolumeNodeAffinity | undefined, before: VolumeNodeAffinity): boolean {
  const keysOf = (affinity: VolumeNodeAffinity | undefined): readonly string[] =>
    termsOf(affinity).flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))
  const [keys, old] = [keysOf(now), keysOf(before)]
  const areKept = keys.every((key, i) => key === old[i] || key === newLabels.get(old[i] ?? ''))
  return areKept && isEqual(withoutKeys(now), withoutKeys(before))
}

const termsOf = (affinity: VolumeNodeAffinity | undefined) => affinity?.required?.nodeSelectorTerms ?? []

const withoutKeys = (affinity: VolumeNodeAffinity | undefined): object =>
  termsOf(affinity).map((term) => ({
    ...term,
    matchExpressions: (term.matchExpressions ?? []).map((requirement) => ({ ...requirement, key: '' })),
  }))
