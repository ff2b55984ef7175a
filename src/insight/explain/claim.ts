// Why a claim has no volume: nobody uses it yet, none fits, or it cannot be made. Pure.

import type { Event, PersistentVolumeClaim } from '#kinds'
import type { AnyObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import { eventEvidence, newestEvent } from './events.ts'
import { conditionOf, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'

export interface ClaimObservation {
  readonly object: PersistentVolumeClaim
  readonly events: readonly Event[]
  /** Pods that use it, where it is known. */
  readonly users?: readonly string[]
}

export function explainClaim(observation: ClaimObservation): Finding {
  const { object, users = [] } = observation
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined && users.length > 0)
    return {
      ...deletion,
      state: 'stuck',
      gap: `it is being deleted, and goes when no pod uses it any more: ${users.join(', ')}`,
      advice: 'Delete these pods, or scale their owner down.',
    }
  if (deletion !== undefined) return deletion
  const { phase = 'Pending' } = object.status ?? {}
  const common = { object: describeObject(object), evidence: [`status.phase is ${phase}`] }
  if (phase === 'Bound') return bound(observation)
  if (phase === 'Lost')
    return {
      ...common,
      state: 'stuck',
      loop: 'none: its data is gone',
      gap: `the volume ${object.spec.volumeName ?? ''} that it had is gone`,
    }
  return { object: describeObject(object), ...sinceTime(object.metadata.creationTimestamp), ...pending(observation) }
}

/** A volume that shall grow is not larger before its driver, and mostly its node, have done their part. */
function bound({ object, events }: ClaimObservation): Finding {
  const { spec, status } = object
  const common = { object: describeObject(object), evidence: [`status.phase is ${status?.phase}`] }
  const [wanted, has] = [spec.resources?.requests?.['storage'], status?.capacity?.['storage']]
  const steps = (status?.conditions ?? []).filter(({ status: is }) => is === 'True')
  const failed = eventEvidence(events, ['VolumeResizeFailed', 'ExternalExpanding'])
  const step = conditionOf(steps, 'FileSystemResizePending') ?? conditionOf(steps, 'Resizing') ?? steps[0]
  if (step === undefined)
    return { ...common, state: 'converged', loop: 'none', gap: `it has the volume ${spec.volumeName ?? ''}` }
  const isPodsTurn = step.type === 'FileSystemResizePending'
  return {
    ...common,
    state: failed.length > 0 ? 'stuck' : 'progressing',
    loop: isPodsTurn ? 'kubelet of the pod that uses it' : 'volumeexpand controller',
    gap: `its volume has ${has ?? 'no size yet'} and shall have ${wanted ?? 'another'}`,
    ...sinceTime(step.lastTransitionTime),
    evidence: [...common.evidence, describeCondition(step), ...failed],
    ...(isPodsTurn ? { advice: 'The file system grows when a pod mounts it: start one that uses the claim.' } : {}),
  }
}

const failures = ['ProvisioningFailed', 'FailedBinding', 'VolumeMismatch']
const waits = ['WaitForFirstConsumer', 'WaitForPodScheduled']
const works = ['ExternalProvisioning', 'Provisioning']

function pending({ object, events, users = [] }: ClaimObservation): Omit<Finding, 'object'> {
  const { storageClassName: className } = object.spec
  const evidence = [
    `status.phase is ${object.status?.phase ?? 'Pending'}`,
    `spec.storageClassName is ${className === undefined ? 'not set' : className === '' ? '"" (no class)' : className}`,
    ...eventEvidence(events, [...failures, ...waits, ...works]),
  ]
  const last = newestEvent(events, [...failures, ...waits, ...works])
  const reason = last?.reason ?? ''
  if (failures.includes(reason))
    return {
      state: 'stuck',
      loop: 'persistentvolume controller',
      gap: `it has no volume: none that is there fits, and none can be made: ${last?.message ?? ''}`,
      evidence,
      advice:
        className === undefined || className === ''
          ? 'Create a PersistentVolume that fits, or name a StorageClass (kubectl get storageclass).'
          : 'Create a PersistentVolume that fits, or name a StorageClass whose provisioner runs here (kubectl get storageclass).',
    }
  if (waits.includes(reason))
    return users.length === 0
      ? { state: 'converged', loop: 'none', gap: 'no pod uses it yet; it gets its volume with the first one', evidence }
      : {
          state: 'progressing',
          loop: 'scheduler (of the first pod that uses it)',
          gap: `it gets its volume when a pod that uses it gets a node: ${users.join(', ')}`,
          evidence,
        }
  const isOutside = reason === 'ExternalProvisioning'
  return {
    state: 'progressing',
    loop: isOutside ? 'the provisioner of its StorageClass' : 'persistentvolume controller',
    gap: isOutside ? (last?.message ?? 'its volume is being made') : 'its volume is being found or made',
    evidence,
  }
}
