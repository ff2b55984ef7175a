// Where a pod's claims let it run: claims must exist and be bound, or be bindable on the chosen node: there is a volume
// that can be reached from it, or one can be made there and the driver has the room.

import {
  CSIDriver,
  CSIStorageCapacity,
  claimKeys,
  claimNameOf,
  matchesNodeSelector,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  selectedNodeAnnotation,
  storageClassNameOf,
} from '#kinds'
import { compareQuantity, isEqual, matchesLabels, type QuantityText } from '#objects'
import type { Cache, Index } from '#reconcile'
import { isBound, isDelayed, requestOf, volumesFor } from '../claims.ts'
import { type FilterPlugin, hint, type NodeFilter } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { type Refusal, refuseForGood } from '../refusal.ts'
import type { NodeState } from '../view.ts'

const unbound = refuseForGood('pod has unbound immediate PersistentVolumeClaims')

/** In this order, where a node has several. */
const reasons = {
  elsewhere: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noSpace: 'node(s) did not have enough free storage',
  lost: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const

const noProvisioner = 'kubernetes.io/no-provisioner'

const usesClaim = (pod: PodFacts, { metadata }: PersistentVolumeClaim): boolean =>
  claimKeys(pod.spec, pod.namespace, pod.pod.metadata.name ?? '').includes(`${metadata.namespace}/${metadata.name}`)

const largestOf = (capacity: CSIStorageCapacity | undefined): QuantityText | undefined =>
  capacity?.maximumVolumeSize ?? capacity?.capacity

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
    hint('csiDriver', (_pod, { object, old }) => old?.spec.storageCapacity === true && !object.spec.storageCapacity),
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
  const bound = claims.filter(isBound)
  const open = claims.filter((claim) => !isBound(claim))
  if (!open.every((claim) => isDelayed(claim, objects))) return unbound
  const volumes = bound.map(({ spec }) => objects.get(PersistentVolume, spec?.volumeName ?? ''))
  const isLost = volumes.some((volume) => volume === undefined)
  const tied = volumes.filter((volume) => volume?.spec?.nodeAffinity?.required !== undefined)
  if (!isLost && tied.length === 0 && open.length === 0) return undefined
  const wishes = open.map((claim) => ({ claim, volumes: volumesFor(claim, objects) }))
  return (node) => {
    const found: string[] = []
    // A volume that is missing ends the look at the bound ones.
    if (!isLost && !tied.every((volume) => volume !== undefined && reaches(volume, node))) found.push(reasons.elsewhere)
    const trouble = troubleWith(wishes, node, objects)
    if (trouble !== undefined) found.push(reasons[trouble])
    if (isLost) found.push(reasons.lost)
    return found.length === 0 ? undefined : refuseForGood(...found)
  }
}

export function reaches(volume: PersistentVolume, { node }: NodeState): boolean {
  const required = volume.spec?.nodeAffinity?.required
  return required === undefined || (node !== undefined && matchesNodeSelector(required, node))
}

interface OpenClaim {
  readonly claim: PersistentVolumeClaim
  /** Those that would do. */
  readonly volumes: readonly PersistentVolume[]
}

/** Claims that wait for their first pod: each needs a volume of its own that is reached from the node, or a new one. */
function troubleWith(open: readonly OpenClaim[], node: NodeState, objects: Cache): 'noVolume' | 'noSpace' | undefined {
  const taken = new Set<PersistentVolume>()
  for (const { claim, volumes } of open) {
    const chosen = claim.metadata.annotations?.[selectedNodeAnnotation]
    if (chosen !== undefined && chosen !== node.name) return 'noVolume'
    const volume = chosen === undefined ? volumeOn(node, volumes, taken) : undefined
    if (volume !== undefined) {
      taken.add(volume)
      continue
    }
    const trouble = troubleMaking(claim, node, objects)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

export const volumeOn = (
  node: NodeState,
  volumes: readonly PersistentVolume[],
  taken: ReadonlySet<PersistentVolume>,
): PersistentVolume | undefined => volumes.find((volume) => !taken.has(volume) && reaches(volume, node))

const capacitiesByClass: Index<CSIStorageCapacity> = {
  name: 'class',
  kind: CSIStorageCapacity,
  values: ({ storageClassName }) => [storageClassName],
}

function troubleMaking(claim: PersistentVolumeClaim, node: NodeState, objects: Cache) {
  const storageClass = objects.get(StorageClass, storageClassNameOf(claim))
  const { provisioner = noProvisioner, allowedTopologies = [] } = storageClass ?? {}
  if (provisioner === noProvisioner) return 'noVolume'
  const isAllowed =
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key] ?? '')),
    )
  if (!isAllowed) return 'noVolume'
  const size = requestOf(claim)
  if (size === undefined || objects.get(CSIDriver, provisioner)?.spec.storageCapacity !== true) return undefined
  const hasRoom = objects.by(capacitiesByClass, storageClassNameOf(claim)).some((capacity) => {
    const largest = largestOf(capacity)
    return (
      largest !== undefined &&
      compareQuantity(largest, size) >= 0 &&
      capacity.nodeTopology !== undefined &&
      matchesLabels(capacity.nodeTopology, node.labels)
    )
  })
  return hasRoom ? undefined : 'noSpace'
}
