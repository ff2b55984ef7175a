// To whom the claims of a StatefulSet's pods belong: to the set, with which they are deleted, to the pod that is scaled
// away, or to nobody. Pure. Follows isClaimOwnerUpToDate of Kubernetes' stateful set utilities.

import { apiVersionOf, type Kind, type PersistentVolumeClaim, Pod, StatefulSet } from '#kinds'
import type { KubeObject, OwnerReference } from '#objects'
import { controllerReference } from '../claims.ts'
import { ordinalOf, replicasOf, startOf } from './identity.ts'

interface Owner {
  readonly kind: Kind
  readonly object: KubeObject
}

const ownersOf = (set: StatefulSet, pod: Pod): readonly Owner[] => [
  { kind: StatefulSet, object: set },
  { kind: Pod, object: pod },
]

const referencesOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] => metadata.ownerReferences ?? []

/** About an object of this name, whichever it was. */
const isNamed = ({ apiVersion, kind, name }: OwnerReference, owner: Owner): boolean =>
  kind === owner.kind.kind && apiVersion === apiVersionOf(owner.kind) && name === owner.object.metadata.name

const isMine = ({ uid }: OwnerReference, { object }: Owner): boolean => uid === object.metadata.uid

/** Belongs to a set or pod of the same name that was there before. */
const isStale = (claim: PersistentVolumeClaim, owner: Owner): boolean => {
  const named = referencesOf(claim).find((reference) => isNamed(reference, owner))
  return named !== undefined && !isMine(named, owner)
}

/** The claim of a pod that was scaled away, which goes with that pod. */
export const isLeftover = (set: StatefulSet, claim: PersistentVolumeClaim | undefined, podName: string): boolean =>
  set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete' &&
  claim !== undefined &&
  referencesOf(claim).some(({ kind, apiVersion, name }) => kind === 'Pod' && apiVersion === 'v1' && name === podName)

interface Policy {
  readonly whenDeleted: string
  readonly whenScaled: string
}

const policyOf = ({ spec }: StatefulSet): Policy => ({
  whenDeleted: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted ?? 'Retain',
  whenScaled: spec.persistentVolumeClaimRetentionPolicy?.whenScaled ?? 'Retain',
})

/** Somebody else's claim: what becomes of it is not for the set to say. A set that keeps its claims does not mind. */
export function hasOtherController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return referencesOf(claim).some((reference) => {
    const owner = ownersOf(set, pod).find((one) => isNamed(reference, one))
    return owner === undefined ? reference.controller === true : !isMine(reference, owner)
  })
}

function isWanted(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(set, pod) ?? 0
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set)
}

function wantedOwner(set: StatefulSet, pod: Pod): Owner | undefined {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenScaled === 'Delete' && !isWanted(set, pod)) return { kind: Pod, object: pod }
  return whenDeleted === 'Delete' ? { kind: StatefulSet, object: set } : undefined
}

/**
 * The claim with the owners that the retention policy asks for; the same claim when nothing changes. Claims of sets and
 * pods that were there before are left to the garbage collector.
 */
export function retainedClaim(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): PersistentVolumeClaim {
  const owners = ownersOf(set, pod)
  if (owners.some((owner) => isStale(claim, owner))) return claim
  const references = referencesOf(claim)
  const mine = references.filter((reference) => owners.some((owner) => isMine(reference, owner)))
  const wanted = hasOtherController(claim, set, pod) ? undefined : wantedOwner(set, pod)
  const [first] = mine
  const isRight =
    wanted === undefined
      ? first === undefined
      : mine.length === 1 && first?.controller === true && isMine(first, wanted)
  if (isRight) return claim
  const others = references.filter((reference) => !mine.includes(reference))
  const ownerReferences = wanted === undefined ? others : [...others, controllerReference(wanted.kind, wanted.object)]
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } }
}
