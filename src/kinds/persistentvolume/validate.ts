// Faults of PersistentVolumes.

import { compareQuantity, formatQuantity, isEqual, parseQuantity, quantityValue } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, immutableText, positiveText } from '../metadata/formats.ts'
import { checkAccessModes, checkClassName, volumeModes } from '../persistentvolumeclaim/spec.ts'
import { describeChange } from '../pod/describe-change.ts'
import { checkNodeSelector } from '../podspec/affinity.ts'
import { checkNoBacksteps } from '../podspec/paths.ts'
import { checkDriverName, type SourceCheck, sharedSources } from '../podspec/volume-sources.ts'

const reclaimPolicies: readonly string[] = ['Delete', 'Recycle', 'Retain']

export function validateVolume({ spec }: PersistentVolume): readonly FieldError[] {
  const errors: FieldError[] = []
  checkVolumeSpec(spec ?? {}, errors)
  return errors
}

function checkVolumeSpec(spec: PersistentVolumeSpec, errors: FieldError[]): void {
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
  checkSources(spec, errors)
  if (/^\/+$/.test(spec.hostPath?.path ?? '') && policy === 'Recycle')
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"))
  checkClassName(spec.storageClassName, 'spec.storageClassName', errors)
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode))
    errors.push(notSupported('spec.volumeMode', spec.volumeMode, volumeModes))
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
    const shown = names.length === 0 ? null : capacity
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

/** In the order in which Kubernetes looks at them. */
const sources: readonly (SourceCheck & { readonly field: keyof PersistentVolumeSpec })[] = [
  sharedSources.hostPath,
  sharedSources.gcePersistentDisk,
  sharedSources.awsElasticBlockStore,
  sharedSources.glusterfs,
  sharedSources.flocker,
  sharedSources.nfs,
  sharedSources.rbd,
  sharedSources.quobyte,
  sharedSources.cephfs,
  sharedSources.iscsi,
  sharedSources.cinder,
  sharedSources.fc,
  sharedSources.flexVolume,
  sharedSources.azureFile,
  sharedSources.vsphereVolume,
  sharedSources.photonPersistentDisk,
  sharedSources.portworxVolume,
  sharedSources.azureDisk,
  sharedSources.scaleIO,
  {
    field: 'local',
    check: (source: { readonly path?: string }, path, errors) => {
      if (!source.path) errors.push(required(`${path}.path`))
      else checkNoBacksteps(source.path, `${path}.path`, errors)
    },
  },
  sharedSources.storageos,
  { field: 'csi', check: checkCsi },
]

function checkSources(spec: PersistentVolumeSpec, errors: FieldError[]): void {
  let count = 0
  for (const source of sources) {
    const value = spec[source.field]
    if (value === undefined) continue
    if (count > 0) {
      errors.push(forbidden(`spec.${source.shownAs ?? source.field}`, 'may not specify more than 1 volume type'))
      continue
    }
    count++
    source.check(value as never, `spec.${source.path ?? source.field}`, errors)
    if (source.field === 'local' && spec.nodeAffinity === undefined)
      errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
  }
  if (count === 0) errors.push(required('spec', 'must specify a volume type'))
}

const secretFields = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

function checkCsi(csi: CSIPersistentVolumeSource, path: string, errors: FieldError[]): void {
  checkDriverName(csi.driver, `${path}.driver`, errors)
  if (!csi.volumeHandle) errors.push(required(`${path}.volumeHandle`))
  for (const field of secretFields) {
    const reference = csi[field]
    if (reference !== undefined) checkSecret(reference, `${path}.${field}`, errors)
  }
}

function checkSecret({ name, namespace }: SecretReference, path: string, errors: FieldError[]): void {
  if (!name) errors.push(required(`${path}.name`))
  else for (const text of dnsSubdomain(name)) errors.push(invalid(`${path}.name`, name, text))
  if (!namespace) errors.push(required(`${path}.namespace`))
  else for (const text of dnsLabel(namespace)) errors.push(invalid(`${path}.namespace`, namespace, text))
}

export function validateVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): readonly FieldError[] {
  const errors = [...validateVolume(volume)]
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
  if (before.nodeAffinity !== undefined && !isEqual(spec.nodeAffinity, before.nodeAffinity))
    errors.push(
      invalid('nodeAffinity', spec.nodeAffinity ?? null, `${immutableText}, except for updating from beta label to GA`),
    )
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
