// Binds the volumes of a pod to its claims before the pod itself is bound: writes what was chosen, then looks once a second
// whether the claims are bound. (BindPodVolumes of pkg/scheduler/framework/plugins/volumebinding)

import {
  boundByControllerAnnotation,
  isMadeFor,
  PersistentVolume,
  PersistentVolumeClaim,
  referenceToClaim,
  selectedNodeAnnotation,
} from '#kinds'
import { objectKey } from '#objects'
import type { Cache, Kit } from '#reconcile'
import { isBound } from './claims.ts'
import type { NodeState } from './node-state.ts'
import { reaches, type VolumeChoice } from './volume-choice.ts'

/** What was written, by key, and its revision: what the cache has may be older. */
interface Written {
  readonly key: string
  readonly revision: number
}

export interface WrittenVolumes {
  readonly bindings: readonly { readonly claim: string; readonly volume: Written }[]
  readonly provisions: readonly Written[]
}

const revisionOf = ({ metadata }: PersistentVolume | PersistentVolumeClaim): number => Number(metadata.resourceVersion)

const written = (object: PersistentVolume | PersistentVolumeClaim): Written => ({
  key: objectKey(object),
  revision: revisionOf(object),
})

/** Each claim gets a volume that is there, or is told the node on which one shall be made. */
export async function writeVolumes(kit: Kit, choice: VolumeChoice, nodeName: string): Promise<WrittenVolumes> {
  const bindings: WrittenVolumes['bindings'][number][] = []
  const provisions: Written[] = []
  for (const { claim, volume } of choice.bindings) {
    const mine = volumeFor(claim, volume)
    const now = mine === volume ? volume : await kit.client.update(PersistentVolume, mine)
    bindings.push({ claim: objectKey(claim), volume: written(now) })
  }
  for (const claim of choice.provisions) {
    const isTold = claim.metadata.annotations?.[selectedNodeAnnotation] === nodeName
    provisions.push(written(isTold ? claim : await kit.client.update(PersistentVolumeClaim, told(claim, nodeName))))
  }
  return { bindings, provisions }
}

const told = (claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [selectedNodeAnnotation]: nodeName } },
})

/** One that a person made for the claim is not marked as the controller's. */
function volumeFor(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolume {
  const { metadata, spec } = volume
  const isMade = isMadeFor(volume, claim)
  if (isMade && spec?.claimRef?.uid === claim.metadata.uid) return volume
  const annotations = isMade ? {} : { [boundByControllerAnnotation]: 'yes' }
  return {
    ...volume,
    metadata: isMade ? metadata : { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    spec: { ...(spec as NonNullable<typeof spec>), claimRef: referenceToClaim(claim) },
  }
}

interface Where {
  readonly node: NodeState
  readonly objects: Cache
}

/** Whether all claims are bound, or why that will not come about. */
export function checkVolumes({ bindings, provisions }: WrittenVolumes, { node, objects }: Where): boolean | string {
  for (const { claim: claimKey, volume: mine } of bindings) {
    const volume = objects.get(PersistentVolume, mine.key)
    const claim = objects.get(PersistentVolumeClaim, claimKey)
    if (volume === undefined) return `failed to check binding: ${notFound('PersistentVolume', mine.key)}`
    if (claim === undefined) return `failed to check binding: ${notFound('PersistentVolumeClaim', claimKey)}`
    if (revisionOf(volume) < mine.revision) return false
    if (!reaches(volume, node)) return unreached(volume, node)
    if (!volume.spec?.claimRef?.uid) return `ClaimRef got reset for pv "${mine.key}"`
    if (!isBound(claim)) return false
  }
  for (const mine of provisions) {
    const claim = objects.get(PersistentVolumeClaim, mine.key)
    if (claim === undefined) return `failed to check provisioning pvc: ${notFound('PersistentVolumeClaim', mine.key)}`
    if (revisionOf(claim) < mine.revision) return false
    const { annotations, name } = claim.metadata
    if (annotations === undefined) return `selectedNode annotation reset for PVC "${name}"`
    // A provisioner that fails takes its node back: another one may do.
    if (annotations[selectedNodeAnnotation] !== node.name) return `provisioning failed for PVC "${name}"`
    const volumeName = claim.spec?.volumeName ?? ''
    const volume = volumeName === '' ? undefined : objects.get(PersistentVolume, volumeName)
    if (volumeName !== '' && volume === undefined) return false
    if (volume !== undefined && !reaches(volume, node)) return unreached(volume, node)
    if (!isBound(claim)) return false
  }
  return true
}

const notFound = (kind: string, key: string): string => `could not find v1.${kind} "${key}"`

const unreached = ({ metadata }: PersistentVolume, { name }: NodeState): string =>
  `pv "${metadata.name}" node affinity doesn't match node "${name}": no matching NodeSelectorTerms`
