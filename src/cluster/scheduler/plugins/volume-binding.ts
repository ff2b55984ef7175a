// Where a pod's claims let it run: claims must exist and be bound (or be bindable from the chosen node), and volumes may
// be tied to nodes.

import { matchesNodeSelector, PersistentVolume, PersistentVolumeClaim, StorageClass, type Volume } from '#kinds'
import type { Cache } from '#reconcile'
import { type FilterPlugin, type NodeFilter, type Refusal, refuseForGood } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import type { NodeState } from '../view.ts'

const unbound = refuseForGood('pod has unbound immediate PersistentVolumeClaims')
const elsewhere = refuseForGood('node(s) had volume node affinity conflict')
const lost = refuseForGood('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')
const noVolume = refuseForGood("node(s) didn't find available persistent volumes to bind")

const noProvisioner = 'kubernetes.io/no-provisioner'
export const selectedNode = 'volume.kubernetes.io/selected-node'
const bindCompleted = 'pv.kubernetes.io/bind-completed'

export const volumeBinding: FilterPlugin = {
  name: 'VolumeBinding',
  helpedBy: ['volume', 'node'],
  prepareFilter(pod, { objects }) {
    const volumes = (pod.spec.volumes ?? []).filter(
      (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined,
    )
    if (volumes.length === 0) return undefined
    const claims: PersistentVolumeClaim[] = []
    for (const volume of volumes) {
      const claim = claimOf(pod, volume, objects)
      if ('reasons' in claim) return claim
      claims.push(claim)
    }
    return filterFor(claims, objects)
  },
}

function claimOf(pod: PodFacts, volume: Volume, objects: Cache): PersistentVolumeClaim | Refusal {
  const name = volume.persistentVolumeClaim?.claimName ?? `${pod.pod.metadata.name}-${volume.name}`
  const claim = objects.get(PersistentVolumeClaim, `${pod.namespace}/${name}`)
  if (claim === undefined) {
    return volume.ephemeral === undefined
      ? refuseForGood(`persistentvolumeclaim "${name}" not found`)
      : refuseForGood(`waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`)
  }
  if (claim.status?.phase === 'Lost')
    return refuseForGood(
      `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`,
    )
  if (claim.metadata.deletionTimestamp !== undefined)
    return refuseForGood(`persistentvolumeclaim "${name}" is being deleted`)
  return claim
}

const isBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? '') !== '' && metadata.annotations?.[bindCompleted] !== undefined

function filterFor(claims: readonly PersistentVolumeClaim[], objects: Cache): NodeFilter | Refusal | undefined {
  const bound: PersistentVolume[] = []
  const open: PersistentVolumeClaim[] = []
  let missing = false
  for (const claim of claims) {
    if (isBound(claim)) {
      const volume = objects.get(PersistentVolume, claim.spec?.volumeName ?? '')
      if (volume === undefined) missing = true
      else bound.push(volume)
    } else {
      const storageClass = objects.get(StorageClass, claim.spec?.storageClassName ?? '')
      if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer') return unbound
      open.push(claim)
    }
  }
  if (missing) return () => lost
  const tied = bound.filter((volume) => volume.spec?.nodeAffinity?.required !== undefined)
  if (tied.length === 0 && open.length === 0) return undefined
  return (node) => {
    if (!tied.every((volume) => reaches(volume, node))) return elsewhere
    return open.every((claim) => isBindable(claim, node, objects)) ? undefined : noVolume
  }
}

function reaches(volume: PersistentVolume, { node }: NodeState): boolean {
  const required = volume.spec?.nodeAffinity?.required
  return required === undefined || (node !== undefined && matchesNodeSelector(required, node))
}

/** A claim that waits for its first pod: a volume is free there, or one can be made; nowhere else once a node is chosen. */
function isBindable(claim: PersistentVolumeClaim, node: NodeState, objects: Cache): boolean {
  const chosen = claim.metadata.annotations?.[selectedNode]
  if (chosen !== undefined && chosen !== node.name) return false
  const className = claim.spec?.storageClassName ?? ''
  const provisioner = objects.get(StorageClass, className)?.provisioner ?? noProvisioner
  if (provisioner !== noProvisioner) return true
  return objects
    .list(PersistentVolume)
    .some(
      (volume) =>
        volume.spec?.storageClassName === className &&
        volume.spec.claimRef === undefined &&
        (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode)) &&
        reaches(volume, node),
    )
}

/** The pod's claims that are bound only once a node has been chosen for it. */
export function claimsToBind(pod: PodFacts, objects: Cache): readonly PersistentVolumeClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) return []
    const claim = claimOf(pod, volume, objects)
    return 'reasons' in claim || isBound(claim) ? [] : [claim]
  })
}
