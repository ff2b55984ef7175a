// What can be said of any object: a deletion that waits for finalizers, a generation that its loop has not seen, and
// conditions that report trouble. Pure.

import type { AnyObject, KubeObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import { type ConditionLike, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'

interface Status {
  readonly observedGeneration?: number
  readonly conditions?: readonly ConditionLike[]
}

const statusOf = (object: AnyObject): Status => (object.status ?? {}) as Status

/** The loop that writes this kind's status: `deployment controller`. */
const loopOf = (object: AnyObject): string =>
  object.kind === 'Node' ? `kubelet on ${object.metadata.name ?? ''}` : `${object.kind.toLowerCase()} controller`

/** Its loop has not read the newest spec. */
export function isBehind({ metadata, ...object }: KubeObject): boolean {
  const observed = (object as { readonly status?: Status }).status?.observedGeneration
  return observed !== undefined && metadata.generation !== undefined && observed < metadata.generation
}

/** A spec that its loop has not read yet; undefined when it has, or when the kind does not say. */
export function explainGeneration(object: AnyObject): Finding | undefined {
  const observed = statusOf(object).observedGeneration
  const { generation } = object.metadata
  if (observed === undefined || generation === undefined || observed >= generation) return undefined
  return {
    state: 'progressing',
    loop: loopOf(object),
    object: describeObject(object),
    gap: `the loop is ${generation - observed} generation${generation - observed === 1 ? '' : 's'} behind: it has not read the newest spec yet`,
    evidence: [`metadata.generation is ${generation}, status.observedGeneration is ${observed}`],
    advice:
      'If this lasts, look at the loop (dashboard, Loops: its queue, back-off and last error), not at the objects that it makes.',
  }
}

const badWhenTrue = [
  'ReplicaFailure',
  'Failed',
  'Stalled',
  'FailureTarget',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
  'ErrorOccurred',
]
const goodWhenTrue = [
  'Ready',
  'Available',
  'Established',
  'NamesAccepted',
  'Healthy',
  'Complete',
  'Progressing',
  'AbleToScale',
  'ScalingActive',
]

/** The conditions that report trouble. */
export const troubledConditions = (object: AnyObject): readonly ConditionLike[] =>
  (statusOf(object).conditions ?? []).filter(({ type, status }) =>
    badWhenTrue.includes(type) ? status === 'True' : goodWhenTrue.includes(type) && status !== 'True',
  )

/** The verdict for a kind that has no rules of its own. */
export function explainGeneric(object: AnyObject): Finding {
  const first = explainDeletion(object) ?? explainGeneration(object)
  if (first !== undefined) return first
  const trouble = troubledConditions(object)
  const [worst] = trouble
  const common = { object: describeObject(object), evidence: trouble.map(describeCondition) }
  if (worst === undefined) return { ...common, state: 'converged', loop: 'none', gap: 'nothing is waiting for it' }
  return {
    ...common,
    state: 'stuck',
    loop: loopOf(object),
    gap: `its loop reports ${worst.type}=${worst.status}: ${worst.message || worst.reason || 'it does not say why'}`,
    ...sinceTime(worst.lastTransitionTime),
  }
}
