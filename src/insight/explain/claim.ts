// Why a claim has no volume: nobody uses it yet, none fits, or it cannot be made.

import type { Event, PersistentVolumeClaim } from '#kinds'
import type { AnyObject } from '#objects'
import { describeObject, eventEvidence, type Finding } from './finding.ts'
import { explainDeletion } from './generic.ts'

export interface ClaimObservation {
  readonly object: PersistentVolumeClaim
  readonly events: readonly Event[]
}

export function explainClaim({ object, events }: ClaimObservation): Finding {
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined) return deletion
  const { phase = 'Pending' } = object.status ?? {}
  const common = { object: describeObject(object), evidence: [`status.phase is ${phase}`] }
  if (phase === 'Bound')
    return { ...common, state: 'converged', loop: 'none', gap: `it has the volume ${object.spec.volumeName ?? ''}` }
  if (phase === 'Lost')
    return {
      ...common,
      state: 'stuck',
      loop: 'none: its data is gone',
      gap: `the volume ${object.spec.volumeName ?? ''} that it had is gone`,
    }
  const className = object.spec.storageClassName
  const failed = eventEvidence(events, ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch'])
  if (failed.length > 0)
    return {
      ...common,
      state: 'stuck',
      loop: 'persistentvolume controller',
      gap: 'it has no volume: none that is there fits, and none can be made',
      evidence: [...common.evidence, `spec.storageClassName is ${className ?? 'not set'}`, ...failed],
      advice: 'Create a PersistentVolume that fits, or name a StorageClass whose provisioner runs here.',
    }
  const waits = eventEvidence(events, ['WaitForFirstConsumer', 'WaitForPodScheduled'])
  return {
    ...common,
    state: 'progressing',
    loop: waits.length > 0 ? 'scheduler (of the first pod that uses it)' : 'persistentvolume controller',
    gap:
      waits.length > 0 ? 'it gets its volume when a pod that uses it gets a node' : 'its volume is being found or made',
    evidence: [...common.evidence, ...waits, ...eventEvidence(events, ['ExternalProvisioning', 'Provisioning'])],
  }
}
