// The claims of a StatefulSet's pods: made with the pod, and owned as the retention policy says. Also the Events of both.
// Reads: PersistentVolumeClaims.  Writes: PersistentVolumeClaims (create, owners).

import { isAlreadyExists } from '#api'
import { PersistentVolumeClaim, type Pod, type StatefulSet } from '#kinds'
import { objectKey } from '#objects'
import { isTerminating, type Kit, recordEvent } from '#reconcile'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { claimsOf, ordinalOf, podNameOf } from './identity.ts'
import { hasOtherController, isLeftover, retainedClaim } from './retention.ts'

const component = 'statefulset-controller'

export function tell(
  kit: Kit,
  set: StatefulSet,
  [type, reason, message]: readonly ['Normal' | 'Warning', string, string],
): void {
  recordEvent(kit, { object: set, component, type, reason, message })
}

const cachedClaim = (kit: Kit, claim: PersistentVolumeClaim): PersistentVolumeClaim | undefined =>
  kit.cache.get(PersistentVolumeClaim, objectKey(claim))

/** Whether claims of the pod's name are there that go with the pod that was scaled away: they are not for a new one. */
export const hasLeftovers = (kit: Kit, set: StatefulSet, ordinal: number): boolean =>
  claimsOf(set, ordinal).some((claim) => isLeftover(set, cachedClaim(kit, claim), podNameOf(set, ordinal)))

/** Tries all of them; throws one error for those that could not be made. */
export async function createClaims(kit: Kit, set: StatefulSet, ordinal: number): Promise<void> {
  const faults: string[] = []
  for (const claim of claimsOf(set, ordinal)) {
    const known = cachedClaim(kit, claim)
    if (known !== undefined && isTerminating(known)) faults.push(`pvc ${claim.metadata.name} is being deleted`)
    const fault = known === undefined ? await createClaim(kit, set, claim, podNameOf(set, ordinal)) : undefined
    if (fault !== undefined) faults.push(`failed to create PVC ${claim.metadata.name}: ${fault}`)
  }
  if (faults.length > 0) throw new Error(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
}

/** Answers why it failed. */
async function createClaim(
  kit: Kit,
  set: StatefulSet,
  claim: PersistentVolumeClaim,
  pod: string,
): Promise<string | undefined> {
  const [what, where] = [`create Claim ${claim.metadata.name}`, `Pod ${pod} in StatefulSet ${set.metadata.name}`]
  try {
    await kit.client.create(PersistentVolumeClaim, claim)
    tell(kit, set, ['Normal', 'SuccessfulCreate', `${what} ${where} success`])
    return undefined
  } catch (error) {
    if (isAlreadyExists(error)) return undefined
    if (isNamespaceTerminating(error)) throw error
    tell(kit, set, ['Warning', 'FailedCreate', `${what} for ${where} failed error: ${messageOf(error)}`])
    return messageOf(error)
  }
}

/** Whether the pod's claims have the owners that they should have. Those that are not there yet do not count. */
export const areKept = (kit: Kit, set: StatefulSet, pod: Pod): boolean =>
  claimsOf(set, ordinalOf(set, pod) ?? 0).every((wanted) => {
    const claim = cachedClaim(kit, wanted)
    return claim === undefined || retainedClaim(claim, set, pod) === claim
  })

/** Gives the pod's claims the owners that they should have. */
export async function keepClaims(kit: Kit, set: StatefulSet, pod: Pod): Promise<void> {
  for (const wanted of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
    const claim = cachedClaim(kit, wanted)
    if (claim === undefined) continue
    const { name } = claim.metadata
    if (hasOtherController(claim, set, pod)) {
      const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
      tell(kit, set, ['Warning', 'ConflictingController', message])
    }
    const retained = retainedClaim(claim, set, pod)
    if (retained !== claim) await updateClaim(kit, retained)
  }
}

async function updateClaim(kit: Kit, claim: PersistentVolumeClaim): Promise<void> {
  try {
    await kit.client.update(PersistentVolumeClaim, claim)
  } catch (error) {
    const { name } = claim.metadata
    throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`, { cause: error })
  }
}
