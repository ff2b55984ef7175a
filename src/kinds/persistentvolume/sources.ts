// Faults of where a PersistentVolume is stored. Most sources are checked as those of pods are; the others name secrets of
// any namespace.

import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, rangeText } from '../metadata/formats.ts'
import { checkNoBacksteps } from '../podspec/paths.ts'
import { checkDriverName, initiatorCheck, needs, type SourceCheck, sharedSources } from '../podspec/volume-sources.ts'

/** In the order in which Kubernetes looks at them. */
export const sources: readonly (SourceCheck & { readonly field: keyof PersistentVolumeSpec })[] = [
  sharedSources.hostPath,
  sharedSources.gcePersistentDisk,
  sharedSources.awsElasticBlockStore,
  { field: 'glusterfs', check: checkGlusterfs },
  sharedSources.flocker,
  sharedSources.nfs,
  sharedSources.rbd,
  sharedSources.quobyte,
  sharedSources.cephfs,
  { field: 'iscsi', check: checkIscsi },
  { field: 'cinder', check: withWholeSecret(sharedSources.cinder.check) },
  sharedSources.fc,
  sharedSources.flexVolume,
  { field: 'azureFile', check: checkAzureFile },
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
  { field: 'storageos', check: withWholeSecret(sharedSources.storageos.check) },
  { field: 'csi', check: checkCsi },
]

interface SpecPlace {
  readonly path: string
  readonly errors: FieldError[]
  /** Of the volume; an inline one has none. */
  readonly name: string
  readonly isBoundToNodes: boolean
}

export function checkSources(spec: PersistentVolumeSpec, { path, errors, name, isBoundToNodes }: SpecPlace): void {
  let count = 0
  for (const source of sources) {
    const value = spec[source.field]
    if (value === undefined) continue
    // A flexible volume is checked beside another one, too.
    if (count > 0 && source.field !== 'flexVolume') {
      errors.push(forbidden(`${path}.${source.shownAs ?? source.field}`, 'may not specify more than 1 volume type'))
      continue
    }
    count++
    if (source.field === 'iscsi') errors.push(...portalFaults(spec, name, path))
    source.check(value as never, `${path}.${source.path ?? source.field}`, errors)
    if (source.field === 'local' && !isBoundToNodes)
      errors.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'))
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'))
  if (isRoot.test(spec.hostPath?.path ?? '') && spec.persistentVolumeReclaimPolicy === 'Recycle')
    errors.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"))
}

/** Also in roundabout ways, such as `/./`. */
const isRoot = /^\/+(\.{1,2}\/+)*\.{0,2}$/

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

function portalFaults(spec: PersistentVolumeSpec, name: string, path: string): readonly FieldError[] {
  const { initiatorName, targetPortal = '' } = spec.iscsi ?? {}
  const text =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
  const isTooLong = initiatorName !== undefined && `${name}:${targetPortal}`.length > 64
  return isTooLong ? [invalid(`${path}.iscsi.targetportal`, targetPortal, text)] : []
}

const checkInitiator = initiatorCheck('must be valid format')

function checkIscsi(source: ISCSIPersistentVolumeSource, path: string, errors: FieldError[]): void {
  needs('targetPortal', 'iqn')(source, path, errors)
  const { iqn, lun = 0, secretRef, initiatorName } = source
  if (iqn) checkInitiator(iqn, `${path}.iqn`, errors)
  if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, rangeText(0, 255)))
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined)
    errors.push(required(`${path}.secretRef`))
  if (secretRef !== undefined && !secretRef.name) errors.push(required(`${path}.secretRef.name`))
  if (initiatorName !== undefined) checkInitiator(initiatorName, `${path}.initiatorname`, errors)
}

function checkGlusterfs(source: GlusterfsPersistentVolumeSource, path: string, errors: FieldError[]): void {
  needs('endpoints', 'path')(source, path, errors)
  const { endpointsNamespace: namespace } = source
  if (namespace === undefined) return
  const at = `${path}.endpointsNamespace`
  if (namespace === '')
    errors.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'))
  else for (const text of dnsLabel(namespace)) errors.push(invalid(at, namespace, text))
}

function checkAzureFile(source: AzureFilePersistentVolumeSource, path: string, errors: FieldError[]): void {
  needs('secretName', 'shareName')(source, path, errors)
  if (source.secretNamespace === '') errors.push(required(`${path}.secretNamespace`))
}

/** A secret, if one is named, has a name and a namespace. */
function withWholeSecret<T extends { readonly secretRef?: SecretReference }>(
  check: (source: T, path: string, errors: FieldError[]) => void,
) {
  return (source: T, path: string, errors: FieldError[]): void => {
    check(source, path, errors)
    if (source.secretRef !== undefined && !source.secretRef.namespace)
      errors.push(required(`${path}.secretRef.namespace`))
  }
}
