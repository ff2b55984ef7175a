// What can be said of any object: a deletion that waits for finalizers, a generation that its loop has not seen, and
// conditions that report trouble.

import type { AnyObject, KubeObject } from '#objects'
import { describeCondition, describeObject, type Finding } from './finding.ts'

interface Status {
  readonly observedGeneration?: number
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly reason?: string
    readonly message?: string
  }[]
}

const statusOf = (object: AnyObject): Status => (object.status ?? {}) as Status

/** The loop that writes this kind's status: `deployment controller`. */
const loopOf = (object: AnyObject): string =>
  object.kind === 'Node' ? `kubelet on ${object.metadata.name ?? ''}` : `${object.kind.toLowerCase()} controller`

/** A deletion in progress; undefined when the object is not being deleted. */
export function explainDeletion(object: AnyObject): Finding | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata
  if (deletionTimestamp === undefined) return undefined
  if (object.kind === 'Namespace') return emptyingNamespace(object)
  const waitsFor = finalizers.includes('foregroundDeletion')
    ? 'garbage collector (its dependents go first)'
    : `the owners of its finalizers: ${finalizers.join(', ')}`
  return {
    state: finalizers.length === 0 ? 'progressing' : 'stuck',
    loop: waitsFor,
    object: describeObject(object),
    gap: 'it is being deleted and goes when its finalizers are gone',
    evidence: [
      `metadata.deletionTimestamp is ${deletionTimestamp}`,
      `metadata.finalizers: ${finalizers.join(', ') || 'none'}`,
    ],
  }
}

/** A namespace goes when all that is in it has gone: its conditions say what has not. */
function emptyingNamespace(object: AnyObject): Finding {
  const remains = (statusOf(object).conditions ?? []).filter(({ status }) => status === 'True')
  const held = remains.some(({ type }) => type === 'NamespaceFinalizersRemaining')
  return {
    state: held ? 'stuck' : 'progressing',
    loop: held ? 'the owners of the finalizers in it' : 'namespace controller',
    object: describeObject(object),
    gap: 'it is being deleted and goes when everything in it is gone',
    evidence: remains.map(describeCondition),
    ...(held ? { advice: 'Bring back whoever set these finalizers, or take them off the objects by hand.' } : {}),
  }
}

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
export function troubledConditions(object: AnyObject): readonly string[] {
  return (statusOf(object).conditions ?? [])
    .filter(({ type, status }) =>
      badWhenTrue.includes(type) ? status === 'True' : goodWhenTrue.includes(type) && status !== 'True',
    )
    .map(describeCondition)
}

/** The verdict for a kind that has no rules of its own. */
export function explainGeneric(object: AnyObject): Finding {
  const first = explainDeletion(object) ?? explainGeneration(object)
  if (first !== undefined) return first
  const trouble = troubledConditions(object)
  return {
    state: trouble.length > 0 ? 'stuck' : 'converged',
    loop: trouble.length > 0 ? loopOf(object) : 'none',
    object: describeObject(object),
    gap: trouble.length > 0 ? 'its loop reports that it cannot converge' : 'nothing is waiting for it',
    evidence: trouble,
  }
}
