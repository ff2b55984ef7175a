// Where a pod's claims let it run: claims must exist and be bound, or be bindable on the chosen node: there is a volume
// that can be reached from it, or one can be made there and the driver has the room.

import { claimKeys, claimNameOf, PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { compareQuantity, isEqual } from '#objects'
import type { Cache } from '#reconcile'
import { isBound, isDelayed } from '../claims.ts'
import { type FilterPlugin, hint, type NodeFilter } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { type Refusal, refuseForGood } from '../refusal.ts'
import { chooseVolumes, largestOf, openClaims, reaches } from '../volume-choice.ts'

const unbound = refuseForGood('pod has unbound immediate PersistentVolumeClaims')

/** In this order, where a node has several. */
const reasons = {
  elsewhere: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noSpace: 'node(s) did not have enough free storage',
  lost: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const

const usesClaim = (pod: PodFacts, { metadata }: PersistentVolumeClaim): boolean =>
  claimKeys(pod.spec, pod.namespace, pod.pod.metadata.name ?? '').includes(`${metadata.namespace}/${metadata.name}`)

export const volumeBinding: FilterPlugin = {
  name: 'VolumeBinding',
  helpedBy: [
    hint('claim', (pod, { object }) => usesClaim(pod, object)),
    hint('volume'),
    hint(
      'storageClass',
      (_pod, { object, old }) => old === undefined || !isEqual(object.allowedTopologies, old.allowedTopologies),
    ),
    hint('nodeAdded'),
    hint('nodeLabels'),
    hint('csiNode', (_pod, { old }) => old === undefined),
    // (Only volumes in the pod itself are asked about, though those of its claims are meant.)
    hint(
      'csiDriver',
      ({ spec }, { object, old }) =>
        old?.spec.storageCapacity === true &&
        object.spec.storageCapacity !== true &&
        spec.volumes?.some(({ csi }) => csi?.driver === object.metadata.name) === true,
    ),
    hint('storageCapacity', (_pod, { object, old }) => {
      const [now, before] = [largestOf(object), largestOf(old)]
      return old === undefined || (now !== undefined && (before === undefined || compareQuantity(now, before) > 0))
    }),
  ],
  prepareFilter(pod, { objects }) {
    const claims: PersistentVolumeClaim[] = []
    for (const volume of pod.spec.volumes ?? []) {
      const name = claimNameOf(volume, pod.pod.metadata.name ?? '')
      if (name === undefined) continue
      const claim = objects.get(PersistentVolumeClaim, `${pod.namespace}/${name}`)
      const fault = faultOf(claim, name, { pod, isEphemeral: volume.ephemeral !== undefined })
      if (fault !== undefined) return refuseForGood(fault)
      if (claim !== undefined) claims.push(claim)
    }
    return claims.length === 0 ? undefined : filterFor(claims, objects)
  },
}

interface Use {
  readonly pod: PodFacts
  readonly isEphemeral: boolean
}

/** Why a pod with this claim can go nowhere. */
function faultOf(claim: PersistentVolumeClaim | undefined, name: string, { pod, isEphemeral }: Use) {
  if (claim === undefined)
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`
  const { metadata, spec, status } = claim
  if (status?.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ''}"`
  if (metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`
  const { uid, name: podName, namespace } = pod.pod.metadata
  const isOwned = metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true
  if (isEphemeral && !isOwned)
    return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`
  return undefined
}

function filterFor(claims: readonly PersistentVolumeClaim[], objects: Cache): NodeFilter | Refusal | undefined {
  const delayed = claims.filter((claim) => !isBound(claim))
  if (!delayed.every((claim) => isDelayed(claim, objects))) return unbound
  const bound = claims.filter(isBound).map(({ spec }) => objects.get(PersistentVolume, spec?.volumeName ?? ''))
  const isTied = bound.some((volume) => volume === undefined || volume.spec?.nodeAffinity?.required !== undefined)
  if (!isTied && delayed.length === 0) return undefined
  const open = openClaims(delayed, objects)
  return (node) => {
    // The first that does not do ends the look at the bound ones: it is missing, or elsewhere.
    const fault = bound.findIndex((volume) => volume === undefined || !reaches(volume, node))
    const isLost = fault >= 0 && bound[fault] === undefined
    const choice = open.length === 0 ? undefined : chooseVolumes(open, node, objects)
    const found = [
      ...(fault < 0 || isLost ? [] : [reasons.elsewhere]),
      ...(typeof choice === 'string' ? [reasons[choice]] : []),
      ...(isLost ? [reasons.lost] : []),
    ]
    return found.length === 0 ? undefined : refuseForGood(...found)
  }
}
