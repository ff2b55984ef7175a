// The claims of a StatefulSet's pods: made with the pod, and owned as the retention policy says. Also the Events of both.
// Reads: PersistentVolumeClaims.  Writes: PersistentVolumeClaims (create, owners).

import { isAlreadyExists } from '#api'
import { PersistentVolumeClaim, type Pod, type StatefulSet } from '#kinds'
import { objectKey } from '#objects'
import { isTerminating, type Kit, recordEvent } from '#reconcile'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { claimsOf, hasOtherController, isLeftover, isWanted, ordinalOf, podNameOf, retainedClaim } from './identity.ts'

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

export const tellUpdated = (kit: Kit, set: StatefulSet, { metadata }: Pod): void =>
  tell(kit, set, [
    'Normal',
    'SuccessfulUpdate',
    `update Pod ${metadata.name} in StatefulSet ${set.metadata.name} successful`,
  ])

export async function keepClaims(kit: Kit, set: StatefulSet, pods: readonly Pod[]): Promise<void> {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return
  for (const pod of pods) {
    let isChanged = false
    for (const wanted of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
      const claim = cachedClaim(kit, wanted)
      if (claim === undefined) continue
      if (hasOtherController(claim, set, pod)) {
        const message = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
        tell(kit, set, ['Warning', 'ConflictingController', message])
        continue
      }
      const retained = retainedClaim(claim, set, pod)
      if (retained === claim) continue
      await kit.client.update(PersistentVolumeClaim, retained)
      isChanged = true
    }
    // As in Kubernetes, where the owners of its claims count as part of a pod that stays once it has been started.
    if (isChanged && isWanted(set, pod) && pod.status?.phase === 'Running') tellUpdated(kit, set, pod)
  }
}
