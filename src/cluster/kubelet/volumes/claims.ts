// Volumes by claims: what the kubelet finds when it follows a claim to its volume, whether that is attached to the node,
// and what keeps it from being mounted (desired_state_of_world_populator.go, operation_generator.go). Pure.

import {
  attachable,
  type CSIDriver,
  claimKeys,
  claimNameOf,
  matchesNodeSelector,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  uniqueVolumeName,
  type Volume,
} from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import type { HostFiles } from './host-files.ts'
import { storageFault, type TroubleOf } from './storage.ts'

export interface ClaimLookups {
  claim(key: string): PersistentVolumeClaim | undefined
  volume(name: string): PersistentVolume | undefined
  driver(name: string): CSIDriver | undefined
}

export interface Site {
  readonly node: Node | undefined
  readonly files: HostFiles
  /** Another pod on this node has mounted the volume of this claim. */
  readonly isMountedByOther: (claimKey: string) => boolean
  readonly troubleOf: TroubleOf
}

/** What becomes of a volume now. */
export type VolumeState =
  | { readonly type: 'ready' }
  /** Not attached yet: looked at again, without a word. */
  | { readonly type: 'waiting' }
  /** Cannot be mounted: text of the FailedMount event. */
  | { readonly type: 'fault'; readonly message: string }
  /** The kubelet does not even know what to mount. */
  | { readonly type: 'unknown'; readonly message: string }

export const ready: VolumeState = { type: 'ready' }
const waiting: VolumeState = { type: 'waiting' }
export const setUpFault = (volume: string, why: string): VolumeState => ({
  type: 'fault',
  message: `MountVolume.SetUp failed for volume ${goQuote(volume)} : ${why}`,
})

export const claimKeysOf = ({ metadata, spec }: Pod): readonly string[] =>
  claimKeys(spec, metadata.namespace ?? '', metadata.name ?? '')

/** Names, as a node's status has them, of what the pods' claims need attached. */
export function attachedNames(pods: Iterable<Pod>, lookups: ClaimLookups): readonly string[] {
  const names = new Set<string>()
  for (const pod of pods)
    for (const key of claimKeysOf(pod)) {
      const volume = lookups.volume(lookups.claim(key)?.spec?.volumeName ?? '')
      const one = volume === undefined ? undefined : attachable(volume, (name) => lookups.driver(name))
      if (one !== undefined) names.add(uniqueVolumeName(one))
    }
  return [...names].sort()
}

/** How a claim is used in a pod. */
export interface ClaimUse {
  readonly volume: Volume
  readonly pod: Pod
  readonly mounted: boolean
  readonly device: boolean
}

export function claimState(use: ClaimUse, lookups: ClaimLookups, site: Site): VolumeState {
  const { pod, volume } = use
  const { namespace = '' } = pod.metadata
  const claimName = claimNameOf(volume, pod.metadata.name ?? '') ?? ''
  const key = `${namespace}/${claimName}`
  const claim = lookups.claim(key)
  const unknown = (why: string): VolumeState => ({ type: 'unknown', message: `error processing PVC ${key}: ${why}` })
  if (claim === undefined)
    return unknown(`failed to fetch PVC from API server: persistentvolumeclaims ${goQuote(claimName)} not found`)
  if (claim.metadata.deletionTimestamp !== undefined) return unknown('PVC is being deleted')
  if (claim.status?.phase !== 'Bound') return unknown('PVC is not bound')
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === '') return unknown('PVC has empty pvc.Spec.VolumeName')
  if (volume.ephemeral !== undefined && !isOwnedBy(claim, pod))
    return {
      type: 'unknown',
      message: `PVC ${key} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    }
  const persistent = lookups.volume(volumeName)
  if (persistent === undefined)
    return unknown(
      `failed to fetch PV ${volumeName} from API server: persistentvolumes ${goQuote(volumeName)} not found`,
    )
  return volumeState(persistent, { use, key, lookups, site })
}

const isOwnedBy = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === pod.metadata.uid) === true

interface Around {
  readonly use: ClaimUse
  readonly key: string
  readonly lookups: ClaimLookups
  readonly site: Site
}

function volumeState(persistent: PersistentVolume, { use, key, lookups, site }: Around): VolumeState {
  const { metadata, spec = {} } = persistent
  const { name = '' } = metadata
  const mode = spec.volumeMode ?? 'Filesystem'
  const wrong =
    use.mounted && mode !== 'Filesystem' ? 'volumeMounts' : use.device && mode !== 'Block' ? 'volumeDevices' : undefined
  if (wrong !== undefined)
    return {
      type: 'unknown',
      message: `volume ${use.volume.name} has volumeMode ${mode}, but is specified in ${wrong}`,
    }
  if (!isAttached(persistent, lookups, site)) return waiting
  const fault = (step: string, why: string): VolumeState => ({
    type: 'fault',
    message: `MountVolume.${step} for volume ${goQuote(name)} : ${why}`,
  })
  const required = spec.nodeAffinity?.required
  if (required !== undefined && site.node !== undefined && !matchesNodeSelector(required, site.node))
    return fault('NodeAffinity check failed', 'no matching NodeSelectorTerms')
  if (spec.local !== undefined && site.files.typeOf(spec.local.path) === undefined)
    return fault('NewMounter initialization failed', `path ${goQuote(spec.local.path)} does not exist`)
  if (spec.accessModes?.length === 1 && spec.accessModes[0] === 'ReadWriteOncePod' && site.isMountedByOther(key))
    return setUpFault(name, 'volume uses the ReadWriteOncePod access mode and is already in use by another pod')
  const podUid = use.pod.metadata.uid ?? ''
  const trouble = storageFault(spec, { name, podUid, troubleOf: site.troubleOf }, true)
  if (trouble !== undefined) return { type: 'fault', message: trouble }
  const ofHost = spec.hostPath === undefined ? undefined : site.files.faultOf(spec.hostPath)
  return ofHost === undefined ? ready : setUpFault(name, ofHost)
}

/** Attached, as its node's status says; the kubelet has to have asked for it there, too. */
function isAttached(persistent: PersistentVolume, lookups: ClaimLookups, { node }: Site): boolean {
  const one = attachable(persistent, (name) => lookups.driver(name))
  if (one === undefined) return true
  const name = uniqueVolumeName(one)
  const { volumesInUse = [], volumesAttached = [] } = node?.status ?? {}
  return volumesInUse.includes(name) && volumesAttached.some((attached) => attached.name === name)
}

/** Whether a node has to see to claims of the pod. */
export const hasClaims = ({ spec }: Pod): boolean =>
  spec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) === true
