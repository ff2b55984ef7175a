// Deployment, ReplicaSet, StatefulSet, DaemonSet and Job: first whether the loop has read the spec, then what it counts, then
// the children that it waits for, down to the first pod that is stuck.

import type { DaemonSet, Deployment, Event, Job, ReplicaSet, ReplicationController, StatefulSet } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import { conditionOf, describeCondition, describeObject, eventEvidence, type Finding } from './finding.ts'
import { explainDeletion, explainGeneration } from './generic.ts'
import { explainPod, type PodObservation } from './pod.ts'

export interface WorkloadObservation<T> {
  readonly object: T
  readonly events: readonly Event[]
  readonly pods: readonly PodObservation[]
  /** Deployments only: the ReplicaSets with their own Events. */
  readonly replicaSets?: readonly { readonly set: ReplicaSet; readonly events: readonly Event[] }[]
}

const rank = { stuck: 0, progressing: 1, converged: 2 } as const

/** Findings of the pods that are not where they should be, stuck ones first; at most `limit`. */
function troubledPods(pods: readonly PodObservation[], limit = 3): readonly Finding[] {
  return pods
    .map(explainPod)
    .filter(({ state }) => state !== 'converged')
    .sort((a, b) => rank[a.state] - rank[b.state])
    .slice(0, limit)
}

const early = (object: unknown): Finding | undefined =>
  explainDeletion(object as AnyObject) ?? explainGeneration(object as AnyObject)

/** A loop that cannot create pods: admission, quota or validation refused them. */
type Creator = ReplicaSet | ReplicationController | DaemonSet | Job

function creationRefused(object: Creator, events: readonly Event[], loop: string): Finding | undefined {
  const failure = conditionOf(object.status?.conditions, 'ReplicaFailure')
  const evidence = eventEvidence(events, ['FailedCreate'])
  if (failure?.status !== 'True' && (evidence.length === 0 || hasCondition(object))) return undefined
  const webhook = /failed calling webhook "([^"]+)"/.exec(`${failure?.message ?? ''} ${evidence.join(' ')}`)?.[1]
  return {
    state: 'stuck',
    loop,
    object: describeObject(object),
    gap: `it wants more pods, and the API server refuses to create them${webhook === undefined ? '' : `: the admission webhook ${webhook} does not answer`}`,
    evidence: [...(failure === undefined ? [] : [describeCondition(failure)]), ...evidence],
    ...(webhook === undefined
      ? {}
      : {
          advice: `The webhook stops its own recovery if its pods are among those refused: exclude its namespace, or delete the webhook configuration that names ${webhook}.`,
        }),
  }
}

/** Says by a condition that it cannot create pods, and takes that back. */
const hasCondition = ({ kind }: Creator): boolean => kind === 'ReplicaSet' || kind === 'ReplicationController'

export function explainReplicaSet({
  object,
  events,
  pods,
}: WorkloadObservation<ReplicaSet | ReplicationController>): readonly Finding[] {
  const loop = `${object.kind.toLowerCase()} controller`
  const first = early(object) ?? creationRefused(object, events, loop)
  return first === undefined ? counted(object, pods, { ...replicasOf(object), loop }) : [first]
}

export function explainStatefulSet({ object, pods }: WorkloadObservation<StatefulSet>): readonly Finding[] {
  const first = early(object)
  return first === undefined
    ? counted(object, pods, { ...replicasOf(object), loop: 'statefulset controller' })
    : [first]
}

export function explainDaemonSet({ object, events, pods }: WorkloadObservation<DaemonSet>): readonly Finding[] {
  const loop = 'daemonset controller'
  const first = early(object) ?? creationRefused(object, events, loop)
  if (first !== undefined) return [first]
  const { desiredNumberScheduled: want = 0, numberAvailable: available = 0 } = object.status ?? {}
  const { updatedNumberScheduled: updated = 0 } = object.status ?? {}
  const text = `status: ${want} nodes shall run it, ${updated} of the newest template, ${available} available`
  return counted(object, pods, { want, ready: Math.min(available, updated), present: want, loop, text })
}

interface Counts {
  readonly want: number
  readonly ready: number
  readonly present: number
  readonly loop: string
  /** Where they stand. */
  readonly text: string
}

function replicasOf({ spec, status }: ReplicaSet | ReplicationController | StatefulSet): Omit<Counts, 'loop'> {
  const want = spec.replicas ?? 1
  const { replicas: present = 0, readyReplicas: ready = 0 } = status ?? {}
  return { want, ready, present, text: `spec.replicas is ${want}, status.replicas ${present}, readyReplicas ${ready}` }
}

/** How many pods are ready, and the ones that are not. */
function counted(
  workload: KubeObject,
  pods: readonly PodObservation[],
  { want, ready, present, loop, text }: Counts,
): readonly Finding[] {
  const object = describeObject(workload)
  if (ready >= want && present === want)
    return [{ state: 'converged', loop: 'none', object, gap: `all ${want} pods are ready`, evidence: [text] }]
  const below = troubledPods(pods)
  return [
    {
      state: below.some(({ state }) => state === 'stuck') ? 'stuck' : 'progressing',
      loop: below.length > 0 ? 'the pods below' : `the ${loop}`,
      object,
      gap: `${ready} of ${want} pods are ready`,
      evidence: [text],
    },
    ...below,
  ]
}

const newest = (sets: NonNullable<WorkloadObservation<Deployment>['replicaSets']>) =>
  [...sets].sort((a, b) => revisionOf(b.set) - revisionOf(a.set))[0]

const revisionOf = (set: ReplicaSet): number =>
  Number(set.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0)

export function explainDeployment({
  object,
  pods,
  replicaSets = [],
}: WorkloadObservation<Deployment>): readonly Finding[] {
  const first = early(object)
  if (first !== undefined) return [first]
  const status = object.status ?? {}
  const want = object.spec.replicas ?? 1
  const evidence = [
    `spec.replicas is ${want}, status: ${status.replicas ?? 0} replicas, ${status.updatedReplicas ?? 0} updated, ${status.readyReplicas ?? 0} ready, ${status.availableReplicas ?? 0} available`,
    `metadata.generation ${object.metadata.generation} equals status.observedGeneration: the loop has read the newest spec`,
  ]
  if (object.spec.paused === true)
    return [
      {
        state: 'stuck',
        loop: 'deployment controller',
        object: describeObject(object),
        gap: 'it is paused: changes of the template are not rolled out',
        evidence: ['spec.paused is true'],
        advice: `kubectl rollout resume deployment/${object.metadata.name ?? ''}`,
      },
    ]
  const done = status.updatedReplicas === want && status.replicas === want && status.availableReplicas === want
  if (done || (want === 0 && (status.replicas ?? 0) === 0))
    return [
      {
        state: 'converged',
        loop: 'none',
        object: describeObject(object),
        gap: `all ${want} replicas are updated and available`,
        evidence,
      },
    ]
  const set = newest(replicaSets)
  const refused = set === undefined ? undefined : creationRefused(set.set, set.events, 'replicaset controller')
  const below = refused === undefined ? troubledPods(pods) : [refused]
  const late = conditionOf(status.conditions, 'Progressing')
  const stuck = late?.reason === 'ProgressDeadlineExceeded' || below.some(({ state }) => state === 'stuck')
  return [
    {
      state: stuck ? 'stuck' : 'progressing',
      loop: below.length > 0 ? 'the loops below' : 'deployment controller',
      object: describeObject(object),
      gap: `${status.availableReplicas ?? 0} of ${want} replicas are available, ${status.updatedReplicas ?? 0} of the newest template`,
      evidence: [...evidence, ...(late === undefined ? [] : [describeCondition(late)])],
    },
    ...below,
  ]
}

export function explainJob({ object, events, pods }: WorkloadObservation<Job>): readonly Finding[] {
  const failed = conditionOf(object.status?.conditions, 'Failed')
  const complete = conditionOf(object.status?.conditions, 'Complete')
  const counts = `${object.status?.succeeded ?? 0} succeeded, ${object.status?.failed ?? 0} failed, ${object.status?.active ?? 0} active of ${object.spec.completions ?? 1}`
  if (complete?.status === 'True')
    return [
      { state: 'converged', loop: 'none', object: describeObject(object), gap: 'it is complete', evidence: [counts] },
    ]
  if (failed?.status === 'True')
    return [
      {
        state: 'stuck',
        loop: 'none: a failed Job is not tried again',
        object: describeObject(object),
        gap: `it has failed: ${failed.message ?? failed.reason ?? ''}`,
        evidence: [describeCondition(failed), counts],
      },
    ]
  const first = explainDeletion(object as unknown as AnyObject)
  if (first !== undefined) return [first]
  if (object.spec.suspend === true)
    return [
      {
        state: 'stuck',
        loop: 'whoever suspended it',
        object: describeObject(object),
        gap: 'it is suspended',
        evidence: ['spec.suspend is true'],
      },
    ]
  const refused = creationRefused(object, events, 'job controller')
  if (refused !== undefined) return [refused]
  return [
    {
      state: 'progressing',
      loop: 'job controller',
      object: describeObject(object),
      gap: `it waits for its pods: ${counts}`,
      evidence: eventEvidence(events, ['SuccessfulCreate', 'BackoffLimitExceeded']),
    },
    ...troubledPods(pods),
  ]
}
