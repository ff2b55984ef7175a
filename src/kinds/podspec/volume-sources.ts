// Faults of the volume sources that both pods and PersistentVolumes know, as data: field, path and check of each.

import { type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts'
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain, rangeText } from '../metadata/formats.ts'
import { checkDescending, checkNoBacksteps } from './paths.ts'

export interface SourceCheck {
  /** Path of the source in faults of its own fields, where it is not the name of the field. */
  readonly path?: string
  /** Name of the field in the fault of a second source, where it is not the name of the field. */
  readonly shownAs?: string
  readonly check: (source: never, path: string, errors: FieldError[]) => void
}

/** A source of which only some fields must be there. */
export const needs =
  (...fields: readonly string[]) =>
  (source: object, path: string, errors: FieldError[]): void => {
    for (const field of fields) {
      const value = (source as Readonly<Record<string, unknown>>)[field]
      if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
        errors.push(required(`${path}.${field}`))
    }
  }

const needsSecretName =
  (...fields: readonly string[]) =>
  (source: { readonly secretRef?: { readonly name?: string } }, path: string, errors: FieldError[]): void => {
    needs(...fields)(source, path, errors)
    if (source.secretRef !== undefined && !source.secretRef.name) errors.push(required(`${path}.secretRef.name`))
  }

const hostPathTypes: readonly string[] = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

function checkHostPath(source: HostPathVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.path) {
    errors.push(required(`${path}.path`))
    return
  }
  checkNoBacksteps(source.path, `${path}.path`, errors)
  if (source.type !== undefined && !hostPathTypes.includes(source.type))
    errors.push(notSupported(`${path}.type`, source.type, hostPathTypes))
}

function checkGitRepo(source: GitRepoVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.repository) errors.push(required(`${path}.repository`))
  checkDescending(source.directory ?? '', `${path}.directory`, errors)
}

function checkDisk(field: 'pdName' | 'volumeID') {
  return (
    source: GCEPersistentDiskVolumeSource & AWSElasticBlockStoreVolumeSource,
    path: string,
    errors: FieldError[],
  ): void => {
    if (!source[field]) errors.push(required(`${path}.${field}`))
    const partition = source.partition ?? 0
    if (partition < 0 || partition > 255) errors.push(invalid(`${path}.partition`, partition, rangeText(1, 255)))
  }
}

function checkNfs(source: NFSVolumeSource, path: string, errors: FieldError[]): void {
  needs('server', 'path')(source, path, errors)
  if (!source.path?.startsWith('/')) errors.push(invalid(`${path}.path`, source.path ?? '', 'must be an absolute path'))
}

const initiatorFormats: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
}

/** What is said of a format that nobody knows differs between pods and volumes. */
export const initiatorCheck =
  (unknown: string) =>
  (name: string, path: string, errors: FieldError[]): void => {
    const format = initiatorFormats[name.slice(0, 3)]
    if (format === undefined) errors.push(invalid(path, name, unknown))
    else if (!format.test(name)) errors.push(invalid(path, name, 'must be valid format'))
  }

const checkInitiator = initiatorCheck('must be valid format starting with iqn, eui, or naa')

function checkIscsi(source: ISCSIVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.targetPortal) errors.push(required(`${path}.targetPortal`))
  if (!source.iqn) errors.push(required(`${path}.iqn`))
  else checkInitiator(source.iqn, `${path}.iqn`, errors)
  if (source.lun < 0 || source.lun > 255) errors.push(invalid(`${path}.lun`, source.lun, rangeText(0, 255)))
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined)
    errors.push(required(`${path}.secretRef`))
  if (source.initiatorName !== undefined) checkInitiator(source.initiatorName, `${path}.initiatorname`, errors)
}

function checkFlocker(source: FlockerVolumeSource, path: string, errors: FieldError[]): void {
  const { datasetName = '', datasetUUID = '' } = source
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  if (datasetName.includes('/')) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"))
}

const hostPortText = 'must be a host:port pair or multiple pairs separated by commas'

function checkQuobyte(source: QuobyteVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.registry) errors.push(required(`${path}.registry`, hostPortText))
  else if ((source.tenant ?? '').length >= 65)
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'))
  else {
    for (const pair of source.registry.split(','))
      if (!/^([^:[\]]*|\[[^\]]*\]):[^:]*$/.test(pair))
        errors.push(invalid(`${path}.registry`, source.registry, hostPortText))
  }
  if (!source.volume) errors.push(required(`${path}.volume`))
}

function checkFc(source: FCVolumeSource, path: string, errors: FieldError[]): void {
  const { targetWWNs = [], wwids = [], lun } = source
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'))
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'))
  if (targetWWNs.length === 0) return
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, rangeText(0, 255)))
}

function checkFlex(source: FlexVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.driver) errors.push(required(`${path}.driver`))
  for (const key of Object.keys(source.options ?? {}).sort()) {
    const namespace = `.${(key.split('/').length > 1 ? (key.split('/')[0] ?? '') : key).toLowerCase()}`
    if (namespace.endsWith('.kubernetes.io') || namespace.endsWith('.k8s.io'))
      errors.push(invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'))
  }
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'
const diskKinds: readonly string[] = ['Dedicated', 'Managed', 'Shared']
const cachingModes: readonly string[] = ['None', 'ReadOnly', 'ReadWrite']

function checkAzureDisk(source: AzureDiskVolumeSource, path: string, errors: FieldError[]): void {
  needs('diskName', 'diskURI')(source, path, errors)
  const { cachingMode, kind, diskURI = '' } = source
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode))
    errors.push(notSupported(`${path}.cachingMode`, cachingMode, cachingModes))
  if (kind !== undefined && !diskKinds.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, diskKinds))
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(notSupported(`${path}.diskURI`, diskURI, [managedDisk]))
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupported(`${path}.diskURI`, diskURI, [blobDisk]))
}

function checkStorageOs(source: StorageOSVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.volumeName) errors.push(required(`${path}.volumeName`))
  else
    for (const text of dnsLabel(source.volumeName)) errors.push(invalid(`${path}.volumeName`, source.volumeName, text))
  if (source.volumeNamespace)
    for (const text of dnsLabel(source.volumeNamespace))
      errors.push(invalid(`${path}.volumeNamespace`, source.volumeNamespace, text))
  if (source.secretRef !== undefined && !source.secretRef.name) errors.push(required(`${path}.secretRef.name`))
}

export function checkDriverName(name: string | undefined, path: string, errors: FieldError[]): void {
  const driver = name ?? ''
  if (driver === '') errors.push(required(path))
  if (driver.length > 63) errors.push(tooLong(path, 63))
  for (const text of dnsSubdomain(driver.toLowerCase())) errors.push(invalid(path, driver, text))
}

function checkInlineCsi(source: CSIVolumeSource, path: string, errors: FieldError[]): void {
  checkDriverName(source.driver, `${path}.driver`, errors)
  const secret = source.nodePublishSecretRef
  if (secret === undefined) return
  if (!secret.name) errors.push(required(`${path}.nodePublishSecretRef.name`))
  else for (const text of dnsSubdomain(secret.name)) errors.push(invalid(`${path}.name`, secret.name, text))
}

export const sharedSources = {
  hostPath: { field: 'hostPath', check: checkHostPath },
  gcePersistentDisk: { field: 'gcePersistentDisk', path: 'persistentDisk', check: checkDisk('pdName') },
  awsElasticBlockStore: { field: 'awsElasticBlockStore', check: checkDisk('volumeID') },
  nfs: { field: 'nfs', check: checkNfs },
  iscsi: { field: 'iscsi', check: checkIscsi },
  glusterfs: { field: 'glusterfs', check: needs('endpoints', 'path') },
  flocker: { field: 'flocker', check: checkFlocker },
  rbd: { field: 'rbd', check: needs('monitors', 'image') },
  cinder: { field: 'cinder', check: needsSecretName('volumeID') },
  cephfs: { field: 'cephfs', shownAs: 'cephFS', check: needs('monitors') },
  quobyte: { field: 'quobyte', check: checkQuobyte },
  fc: { field: 'fc', check: checkFc },
  flexVolume: { field: 'flexVolume', check: checkFlex },
  azureFile: { field: 'azureFile', check: needs('secretName', 'shareName') },
  vsphereVolume: { field: 'vsphereVolume', check: needs('volumePath') },
  photonPersistentDisk: { field: 'photonPersistentDisk', check: needs('pdID') },
  portworxVolume: { field: 'portworxVolume', check: needs('volumeID') },
  azureDisk: { field: 'azureDisk', check: checkAzureDisk },
  storageos: { field: 'storageos', check: checkStorageOs },
  scaleIO: { field: 'scaleIO', check: needs('gateway', 'system', 'volumeName') },
  checkGitRepo,
  checkInlineCsi,
} as const
