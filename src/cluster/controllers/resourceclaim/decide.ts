// What becomes of a ResourceClaim as its consumers come and go. Pure. Follows pkg/controller/resourceclaim.

import type { Pod, ResourceV1ResourceClaim as ResourceClaim } from '#kinds'

export const finalizer = 'resource.kubernetes.io/delete-protection'
/** On a claim that was made of a template: which of the pod's claims it is. */
export const podClaimName = 'resource.kubernetes.io/pod-claim-name'

const longestBase = 57

/** `<pod>-<claim>-`, both parts shortened alike where that is too long. */
export function generateNameFor(pod: string, claim: string): string {
  const whole = `${pod}-${claim}-`
  if (whole.length <= longestBase) return whole
  const share = (text: string): string => text.slice(0, Math.floor((text.length * longestBase) / whole.length))
  return `${share(pod)}-${share(claim)}`
}

/** None of its containers runs or ever will. */
export const isDone = ({ metadata, spec, status }: Pod): boolean =>
  status?.phase === 'Succeeded' ||
  status?.phase === 'Failed' ||
  (metadata.deletionTimestamp !== undefined && !spec.nodeName)

export interface ClaimDecision {
  /** The status to write first. */
  readonly status?: NonNullable<ResourceClaim['status']>
  readonly dropsFinalizer: boolean
  /** Made for a pod that needs it no more. */
  readonly isUnused: boolean
}

/** `podOf`: the pod of that name, if there is one. */
export function decideClaim(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): ClaimDecision {
  const { metadata, status } = claim
  const consumers = status?.reservedFor ?? []
  const valid = consumers.filter(({ resource, name, uid }) => {
    if (resource !== 'pods') return true
    const pod = podOf(name)
    return pod !== undefined && pod.metadata.uid === uid && !isDone(pod)
  })
  const isProtected = metadata.finalizers?.includes(finalizer) === true
  const isFree = valid.length === 0
  const hasLost = valid.length < consumers.length
  const isLeaving = metadata.deletionTimestamp !== undefined && isFree
  // With its last consumer a claim loses its devices, so that the next one may get others.
  const isReleased = isProtected && isFree && (hasLost || isLeaving)
  const { allocation, reservedFor: _before, ...rest } = status ?? {}
  const changes = hasLost || (isReleased && allocation !== undefined)
  const kept = {
    ...rest,
    ...(allocation === undefined || isReleased ? {} : { allocation }),
    ...(isFree ? {} : { reservedFor: valid }),
  }
  return {
    ...(changes ? { status: kept } : {}),
    dropsFinalizer: isReleased,
    isUnused: isFree && isOfDonePod(claim, podOf),
  }
}

function isOfDonePod({ metadata }: ResourceClaim, podOf: (name: string) => Pod | undefined): boolean {
  const owner = metadata.ownerReferences?.find(({ kind, controller }) => kind === 'Pod' && controller === true)
  const pod = owner === undefined ? undefined : podOf(owner.name)
  // Of a pod that is gone the garbage collector takes care.
  return pod !== undefined && (pod.metadata.uid !== owner?.uid || isDone(pod))
}
