// Faults of the volumes of a pod. Each volume names exactly one source; rarely used sources stand in volume-sources.ts,
// because PersistentVolumes have them too.

import type { ObjectMeta } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  SecretVolumeSource,
  Volume,
} from '../generated/types.ts'
import { dnsLabel, dnsSubdomain } from '../metadata/formats.ts'
import { checkClaimTemplate } from '../persistentvolumeclaim/spec.ts'
import { checkDownwardFile } from './downward.ts'
import { checkFileMode, checkKeyToPath } from './paths.ts'
import { checkProjected } from './projected.ts'
import { type SourceCheck, sharedSources } from './volume-sources.ts'

export interface VolumeScope {
  /** Absent in templates, whose pods have no name yet. */
  readonly podMeta?: ObjectMeta
}

/** Checks all volumes; the result maps the names of sound volumes to them. */
export function checkVolumes(
  volumes: readonly Volume[],
  scope: VolumeScope,
  target: { readonly path: string; readonly errors: FieldError[] },
): ReadonlyMap<string, Volume> {
  const { path, errors } = target
  const known = new Map<string, Volume>()
  const podName = scope.podMeta?.name ?? ''
  const created = new Set(
    podName === '' ? [] : volumes.filter((v) => v.ephemeral !== undefined).map((v) => `${podName}-${v.name}`),
  )
  volumes.forEach((volume, i) => {
    const at = `${path}[${i}]`
    const before = errors.length
    checkSource(volume, { at, podName, errors })
    if (!volume.name) errors.push(required(`${at}.name`))
    else for (const text of dnsLabel(volume.name)) errors.push(invalid(`${at}.name`, volume.name, text))
    if (known.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name))
    if (errors.length === before) known.set(volume.name, volume)
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && created.has(claim))
      errors.push(
        invalid(
          `${at}.persistentVolumeClaim.claimName`,
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      )
  })
  return known
}

interface SourceTarget {
  readonly at: string
  readonly podName: string
  readonly errors: FieldError[]
}

function checkSource(volume: Volume, target: SourceTarget): void {
  const { at, errors } = target
  let count = 0
  for (const source of sources) {
    const value = volume[source.field]
    if (value === undefined || value === null) continue
    if (count > 0) {
      errors.push(forbidden(`${at}.${source.shownAs ?? source.field}`, 'may not specify more than 1 volume type'))
    } else {
      count++
      source.check(value as never, `${at}.${source.path ?? source.field}`, errors)
      if (source.field === 'ephemeral') checkClaimName(volume.name, target)
    }
    if (source.field === 'iscsi') checkInitiatorLength(volume, at, errors)
  }
  if (count === 0) errors.push(required(at, 'must specify a volume type'))
}

function checkClaimName(volumeName: string, { at, podName, errors }: SourceTarget): void {
  if (podName === '' || !volumeName) return
  const claim = `${podName}-${volumeName}`
  for (const text of dnsSubdomain(claim))
    errors.push(invalid(`${at}.name`, volumeName, `PVC name ${JSON.stringify(claim)}: ${text}`))
}

function checkInitiatorLength(volume: Volume, at: string, errors: FieldError[]): void {
  const { iscsi } = volume
  if (iscsi?.initiatorName !== undefined && `${volume.name}:${iscsi.targetPortal}`.length > 64)
    errors.push(
      invalid(
        `${at}.name`,
        volume.name,
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      ),
    )
}

/** In the order in which Kubernetes looks at them: the first one is checked, further ones are refused. */
const sources: readonly (SourceCheck & { readonly field: keyof Volume })[] = [
  { field: 'emptyDir', check: checkEmptyDir },
  sharedSources.hostPath,
  { field: 'gitRepo', check: sharedSources.checkGitRepo },
  sharedSources.gcePersistentDisk,
  sharedSources.awsElasticBlockStore,
  { field: 'secret', check: checkSecret },
  sharedSources.nfs,
  sharedSources.iscsi,
  sharedSources.glusterfs,
  sharedSources.flocker,
  {
    field: 'persistentVolumeClaim',
    check: (source: { claimName?: string }, path, errors) => {
      if (!source.claimName) errors.push(required(`${path}.claimName`))
    },
  },
  sharedSources.rbd,
  sharedSources.cinder,
  sharedSources.cephfs,
  sharedSources.quobyte,
  {
    field: 'downwardAPI',
    shownAs: 'downwarAPI',
    check: (source: DownwardAPIVolumeSource, path, errors) => {
      checkFileMode(source.defaultMode, `${path}.defaultMode`, errors)
      for (const file of source.items ?? []) checkDownwardFile(file, path, errors)
    },
  },
  sharedSources.fc,
  sharedSources.flexVolume,
  { field: 'configMap', check: checkConfigMap },
  sharedSources.azureFile,
  sharedSources.vsphereVolume,
  sharedSources.photonPersistentDisk,
  sharedSources.portworxVolume,
  sharedSources.azureDisk,
  sharedSources.storageos,
  { field: 'projected', check: checkProjected },
  sharedSources.scaleIO,
  { field: 'csi', check: sharedSources.checkInlineCsi },
  {
    field: 'ephemeral',
    check: (source: EphemeralVolumeSource, path, errors) => {
      if (source.volumeClaimTemplate === undefined) errors.push(required(`${path}.volumeClaimTemplate`))
      else checkClaimTemplate(source.volumeClaimTemplate, `${path}.volumeClaimTemplate`, errors)
    },
  },
]

function checkEmptyDir(source: { sizeLimit?: string | number }, path: string, errors: FieldError[]): void {
  if (String(source.sizeLimit ?? '').startsWith('-'))
    errors.push(forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
}

function checkSecret(source: SecretVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.secretName) errors.push(required(`${path}.secretName`))
  checkFileMode(source.defaultMode, `${path}.defaultMode`, errors)
  checkItems(source.items, path, errors)
}

function checkConfigMap(source: ConfigMapVolumeSource, path: string, errors: FieldError[]): void {
  if (!source.name) errors.push(required(`${path}.name`))
  checkFileMode(source.defaultMode, `${path}.defaultMode`, errors)
  checkItems(source.items, path, errors)
}

export function checkItems(items: readonly KeyToPath[] | undefined, path: string, errors: FieldError[]): void {
  items?.forEach((item, i) => {
    checkKeyToPath(item, `${path}.items[${i}]`, errors)
  })
}
