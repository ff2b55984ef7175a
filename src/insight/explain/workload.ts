// Deployment, ReplicaSet, StatefulSet and DaemonSet: first whether the loop has read the spec, then what it counts, then the
// children that it waits for, down to where the chain ends. Pure.

import type { DaemonSet, Deployment, Event, ReplicaSet, ReplicationController, StatefulSet } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import {
  below,
  conditionOf,
  describeCondition,
  describeObject,
  type Finding,
  isReady,
  sinceTime,
  withBelow,
} from './finding.ts'
import { explainGeneration } from './generic.ts'
import { chainOfPod, type PodObservation } from './pod.ts'
import { creationRefused } from './refusal.ts'

export interface WorkloadObservation<T> {
  readonly object: T
  readonly events: readonly Event[]
  readonly pods: readonly PodObservation[]
  /** Where it is refused by a webhook that does not answer, or is being deleted: what stands behind that. */
  readonly behind?: readonly (readonly Finding[])[]
}

export interface DeploymentObservation extends WorkloadObservation<Deployment> {
  /** Its newest ReplicaSet, with its own Events. */
  readonly newest?: { readonly set: ReplicaSet; readonly events: readonly Event[] }
}

/** Pods that ended for good have been replaced, or wait for that: their owner's count shows it. */
export const podChains = (pods: readonly PodObservation[]): readonly (readonly Finding[])[] =>
  pods.filter(({ pod }) => pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded').map(chainOfPod)

export const early = (object: KubeObject): Finding | undefined =>
  explainDeletion(object as AnyObject) ?? explainGeneration(object as AnyObject)

interface Counts {
  readonly want: number
  readonly ready: number
  readonly present: number
  readonly loop: string
  /** Where they stand. */
  readonly text: string
  /** What besides counts keeps it back. */
  readonly notes?: readonly string[]
}

/** How many pods are ready, and the ones that are not. */
function counted<T extends KubeObject>(
  { object, pods }: WorkloadObservation<T>,
  { want, ready, present, loop, text, notes = [] }: Counts,
): readonly Finding[] {
  const common = { object: describeObject(object), evidence: [text, ...notes] }
  if (ready >= want && present === want)
    return [{ ...common, state: 'converged', loop: 'none', gap: `all ${want} pods are ready` }]
  const gap =
    ready >= want && present > want
      ? `${present - want} of ${present} pods are to end`
      : `${ready} of ${want} pods are ready`
  return withBelow({ ...common, state: 'progressing', loop: `the ${loop}`, gap }, podChains(pods))
}

function replicasOf({ spec, status }: ReplicaSet | ReplicationController | StatefulSet): Omit<Counts, 'loop'> {
  const want = spec.replicas ?? 1
  const { replicas: present = 0, readyReplicas: ready = 0 } = status ?? {}
  return { want, ready, present, text: `spec.replicas is ${want}, status.replicas ${present}, readyReplicas ${ready}` }
}

export function explainReplicaSet(
  observation: WorkloadObservation<ReplicaSet | ReplicationController>,
): readonly Finding[] {
  const { object, events, behind = [] } = observation
  const loop = `${object.kind.toLowerCase()} controller`
  const first = early(object) ?? creationRefused({ object, events, loop })
  if (first !== undefined) return [first, ...below(behind)]
  return counted(observation, { ...replicasOf(object), loop })
}

/** Pods that keep the old template because nobody may replace them but a person. */
function leftToPeople(object: StatefulSet | DaemonSet, old: number, all: number): Finding {
  const { namespace = 'default' } = object.metadata
  const labels = Object.entries(object.spec.selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  return {
    state: 'stuck',
    loop: 'you: the update strategy is OnDelete',
    object: describeObject(object),
    gap: `${old} of ${all} pods have the old template, and get the new one when somebody deletes them`,
    evidence: ['spec.updateStrategy.type is OnDelete'],
    advice: `kubectl delete pod -n ${namespace} ${labels.length === 0 ? 'NAME' : `-l ${labels.join(',')}`} (all at once), or one by one by name`,
  }
}

export function explainStatefulSet(observation: WorkloadObservation<StatefulSet>): readonly Finding[] {
  const { object, events, pods, behind = [] } = observation
  const loop = 'statefulset controller'
  const { spec, status } = object
  const counts = replicasOf(object)
  const refused = counts.present < counts.want ? creationRefused({ object, events, loop }) : undefined
  const first = early(object) ?? refused
  if (first !== undefined) return [first, ...below(behind)]
  const { updateStrategy: { type, rollingUpdate } = {}, podManagementPolicy } = spec
  const partition = rollingUpdate?.partition ?? 0
  const isUpdating = status?.updateRevision !== undefined && status.updateRevision !== status.currentRevision
  const updated = isUpdating ? (status.updatedReplicas ?? 0) : counts.want
  const toUpdate = Math.max(0, counts.want - partition)
  const isReadyNow = counts.ready >= counts.want && counts.present === counts.want
  if (isReadyNow && type === 'OnDelete' && updated < counts.want)
    return [leftToPeople(object, counts.want - updated, counts.want)]
  const notes = [
    ...(isUpdating ? [`status.updatedReplicas is ${updated}`] : []),
    ...(partition > 0 ? [`spec.updateStrategy.rollingUpdate.partition is ${partition}: ordinals below it stay`] : []),
    ...(isReadyNow || podManagementPolicy === 'Parallel' ? [] : orderNotes(pods)),
  ]
  if (isReadyNow && type !== 'OnDelete' && updated < toUpdate)
    return withBelow(
      {
        state: 'progressing',
        loop: `the ${loop}`,
        object: describeObject(object),
        gap: `${updated} of ${toUpdate} pods have the newest template`,
        evidence: [counts.text, ...notes],
      },
      podChains(pods),
    )
  return counted(observation, { ...counts, loop, notes })
}

function orderNotes(pods: readonly PodObservation[]): readonly string[] {
  const ordinal = ({ pod }: PodObservation): number => Number(/-(\d+)$/.exec(pod.metadata.name ?? '')?.[1] ?? 0)
  const [first] = pods.filter(({ pod }) => !isReady(pod.status)).sort((a, b) => ordinal(a) - ordinal(b))
  return first === undefined
    ? []
    : [`one pod after the other: those after ${first.pod.metadata.name} wait until it is Ready`]
}

export function explainDaemonSet(observation: WorkloadObservation<DaemonSet>): readonly Finding[] {
  const { object, events, behind = [] } = observation
  const loop = 'daemonset controller'
  const { desiredNumberScheduled: want = 0, numberAvailable: available = 0 } = object.status ?? {}
  const { updatedNumberScheduled: updated = 0, currentNumberScheduled: current = 0 } = object.status ?? {}
  const refused = current < want ? creationRefused({ object, events, loop }) : undefined
  const first = early(object) ?? refused
  if (first !== undefined) return [first, ...below(behind)]
  if (available >= want && updated < want && object.spec.updateStrategy?.type === 'OnDelete')
    return [leftToPeople(object, want - updated, want)]
  const text = `status: ${want} nodes shall run it; the newest template is on ${updated}, and ${available} are available`
  const findings = counted(observation, { want, ready: Math.min(available, updated), present: want, loop, text })
  const [finding] = findings
  if (want > 0 || finding === undefined) return findings
  return [{ ...finding, gap: 'no node shall run it: none fits its nodeSelector, affinity and tolerations' }]
}

export function explainDeployment(observation: DeploymentObservation): readonly Finding[] {
  const { object, pods, newest, behind = [] } = observation
  const first = early(object)
  if (first !== undefined) return [first, ...below(behind)]
  const status = object.status ?? {}
  const { replicas: want = 1, paused = false } = object.spec
  const { replicas: present = 0, updatedReplicas: updated = 0, availableReplicas: available = 0 } = status
  const progress = conditionOf(status.conditions, 'Progressing')
  const availability = conditionOf(status.conditions, 'Available')
  const late = progress?.reason === 'ProgressDeadlineExceeded'
  const common = {
    object: describeObject(object),
    evidence: [
      `spec.replicas is ${want}, status: ${present} replicas, ${updated} updated, ${status.readyReplicas ?? 0} ready, ${available} available`,
      `metadata.generation ${object.metadata.generation} equals status.observedGeneration: the loop has read the newest spec`,
      ...(paused ? ['spec.paused is true'] : []),
    ],
  }
  if (paused && updated !== want)
    return [
      {
        ...common,
        state: 'stuck',
        loop: 'you: it is paused',
        gap: `it is paused: ${updated} of ${want} replicas have the newest template, and no more get it`,
        ...sinceTime(progress?.lastTransitionTime),
        advice: `kubectl rollout resume -n ${object.metadata.namespace ?? 'default'} deployment/${object.metadata.name ?? ''}`,
      },
    ]
  if ((updated === want && present === want && available === want) || (want === 0 && present === 0))
    return [{ ...common, state: 'converged', loop: 'none', gap: `all ${want} replicas are updated and available` }]
  const refused =
    newest === undefined ? undefined : creationRefused({ ...newest, object: newest.set, loop: 'replicaset controller' })
  return withBelow(
    {
      ...common,
      state: late ? 'stuck' : 'progressing',
      loop: 'deployment controller',
      gap: rolloutGap({ want, present, updated, available }),
      ...sinceTime(
        availability?.status === 'False'
          ? availability.lastTransitionTime
          : late
            ? progress.lastTransitionTime
            : undefined,
      ),
      evidence: [...common.evidence, ...(progress === undefined ? [] : [describeCondition(progress)])],
    },
    refused === undefined ? podChains(pods) : [[refused, ...below(behind)]],
  )
}

interface Replicas {
  readonly want: number
  readonly present: number
  readonly updated: number
  readonly available: number
}

/** Old replicas keep a rollout available: then what is missing is the new ones. */
function rolloutGap({ want, present, updated, available }: Replicas): string {
  const old = present - updated
  const ofAll = `${available} of ${want} replicas are available`
  if (old <= 0) return ofAll
  const still = old === 1 ? '1 old one is still there' : `${old} old ones are still there`
  if (updated >= want) return `${ofAll}, and ${still}`
  return `${updated} of ${want} replicas have the newest template so far, and ${still}; ${available} are available in all`
}
