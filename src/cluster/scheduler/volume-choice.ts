// Which volumes the claims of a pod get on a node, where they wait for their first pod: volumes that are there, the smallest
// claim first, or new ones. Rules of pkg/scheduler/framework/plugins/volumebinding (FindPodVolumes).

import {
  CSIDriver,
  CSIStorageCapacity,
  matchesNodeSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  StorageClass,
  selectedNodeAnnotation,
  storageClassNameOf,
} from '#kinds'
import { compareQuantity, matchesLabels, type QuantityText } from '#objects'
import type { Cache, Index } from '#reconcile'
import { requestOf, volumesFor } from './claims.ts'
import type { NodeState } from './node-state.ts'

/** A claim without a volume, and the volumes that would do. */
export interface OpenClaim {
  readonly claim: PersistentVolumeClaim
  readonly volumes: readonly PersistentVolume[]
}

export interface VolumeChoice {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[]
  /** Claims for which a volume is made on the node. */
  readonly provisions: readonly PersistentVolumeClaim[]
}

/** No volume is reached from the node, and none can be made there; there is no room for a new one. */
export type VolumeTrouble = 'noVolume' | 'noSpace'

/** Claims in the order in which they choose. */
export const openClaims = (claims: readonly PersistentVolumeClaim[], objects: Cache): readonly OpenClaim[] =>
  [...claims]
    .sort((a, b) => compareQuantity(requestOf(a) ?? 0, requestOf(b) ?? 0))
    .map((claim) => ({ claim, volumes: volumesFor(claim, objects) }))

const selectedNodeOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  metadata.annotations?.[selectedNodeAnnotation]

export function chooseVolumes(
  open: readonly OpenClaim[],
  node: NodeState,
  objects: Cache,
): VolumeChoice | VolumeTrouble {
  const bindings: VolumeChoice['bindings'][number][] = []
  const promised: PersistentVolumeClaim[] = []
  const others: PersistentVolumeClaim[] = []
  const taken = new Set<PersistentVolume>()
  for (const { claim } of open) {
    const selected = selectedNodeOf(claim)
    if (selected !== undefined && selected !== node.name) return 'noVolume'
  }
  for (const { claim, volumes } of open) {
    const isPromised = selectedNodeOf(claim) !== undefined
    const volume = isPromised ? undefined : volumes.find((one) => !taken.has(one) && reaches(one, node))
    if (volume !== undefined) {
      taken.add(volume)
      bindings.push({ claim, volume })
    } else (isPromised ? promised : others).push(claim)
  }
  const provisions = [...promised, ...others]
  for (const claim of provisions) {
    const trouble = troubleMaking(claim, node, objects)
    if (trouble !== undefined) return trouble
  }
  return { bindings, provisions }
}

export function reaches(volume: PersistentVolume, { node }: NodeState): boolean {
  const required = volume.spec?.nodeAffinity?.required
  return required === undefined || (node !== undefined && matchesNodeSelector(required, node))
}

const noProvisioner = 'kubernetes.io/no-provisioner'

const capacitiesByClass: Index<CSIStorageCapacity> = {
  name: 'class',
  kind: CSIStorageCapacity,
  values: ({ storageClassName }) => [storageClassName],
}

export const largestOf = (capacity: CSIStorageCapacity | undefined): QuantityText | undefined =>
  capacity?.maximumVolumeSize ?? capacity?.capacity

function troubleMaking(claim: PersistentVolumeClaim, node: NodeState, objects: Cache): VolumeTrouble | undefined {
  const storageClass = objects.get(StorageClass, storageClassNameOf(claim))
  const { provisioner = noProvisioner, allowedTopologies = [] } = storageClass ?? {}
  if (provisioner === noProvisioner) return 'noVolume'
  // A term that asks for nothing allows nothing.
  const isAllowed =
    allowedTopologies.length === 0 ||
    allowedTopologies.some(
      ({ matchLabelExpressions: terms = [] }) =>
        terms.length > 0 && terms.every(({ key, values }) => values.includes(node.labels[key] ?? '')),
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
