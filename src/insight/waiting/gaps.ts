// Which objects something still waits for, told by each object alone, so that every one of a large cluster can be asked.
// What belongs to a controller is left to its owner: the Deployment is named, not its pods. Pure.

import {
  Application,
  ApplicationSet,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  type Kind,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '#kinds'
import { type AnyObject, type KubeObject, parseTime } from '#objects'
import { conditionOf, isReady } from '../explain/finding.ts'
import { isBehind, troubledConditions } from '../explain/generic.ts'

export interface Watched {
  readonly kind: Kind
  readonly hasGap: (object: KubeObject, now: number) => boolean
}

const watched = <T extends KubeObject>(kind: Kind<T>, hasGap: (object: T, now: number) => boolean): Watched => ({
  kind,
  hasGap: (object, now) => isEnding(object) || isBehind(object) || hasGap(object as T, now),
})

const isEnding = ({ metadata, kind }: KubeObject): boolean => metadata.deletionTimestamp !== undefined && kind !== 'Pod'

const isOwned = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false

const isTroubled = (object: KubeObject): boolean => troubledConditions(object as AnyObject).length > 0

const counts = (wanted: number, ...are: readonly (number | undefined)[]): boolean =>
  are.every((count = 0) => count === wanted)

/** In the order in which they are shown: what others stand on comes first. */
export const watchedKinds: readonly Watched[] = [
  watched(Node, isTroubled),
  watched(Namespace, () => false),
  watched(CustomResourceDefinition, isTroubled),
  watched(
    Application,
    ({ status = {} }) => status.sync?.status !== 'Synced' || status.operationState?.phase === 'Running',
  ),
  watched(ApplicationSet, isTroubled),
  watched(PersistentVolumeClaim, ({ status }) => status?.phase !== 'Bound'),
  watched(Deployment, ({ spec, status = {} }) => {
    const { replicas = 1, paused = false } = spec
    return paused || !counts(replicas, status.replicas, status.updatedReplicas, status.availableReplicas)
  }),
  watched(StatefulSet, ({ spec, status }) => !counts(spec.replicas ?? 1, status?.replicas, status?.readyReplicas)),
  watched(DaemonSet, ({ status }) => {
    const wanted = status?.desiredNumberScheduled ?? 0
    return !counts(wanted, status?.updatedNumberScheduled, status?.numberAvailable)
  }),
  watched(
    ReplicaSet,
    (set) => !isOwned(set) && !counts(set.spec.replicas ?? 1, set.status?.replicas, set.status?.readyReplicas),
  ),
  watched(
    ReplicationController,
    ({ spec, status }) => !counts(spec?.replicas ?? 1, status?.replicas, status?.readyReplicas),
  ),
  watched(Job, ({ status }) => conditionOf(status?.conditions, 'Complete')?.status !== 'True'),
  watched(HorizontalPodAutoscaler, isTroubled),
  watched(Pod, (pod, now) => isOverdue(pod, now) || (!isOwned(pod) && isUnready(pod))),
]

const isUnready = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && !isReady(status)

/** It should have ended by now. */
const isOverdue = ({ metadata }: Pod, now: number): boolean =>
  (parseTime(metadata.deletionTimestamp) ?? Number.POSITIVE_INFINITY) < now
