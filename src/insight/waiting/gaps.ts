// Which objects something still waits for, told by each object alone, so that every one of a large cluster can be asked.
// What belongs to a controller is left to its owner: the Deployment is named, not its pods. Pure.

import {
  APIService,
  Application,
  ApplicationSet,
  CertificateSigningRequest,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  Job,
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
  TrafficProbe,
} from '#kinds'
import { type AnyObject, type KubeObject, parseTime } from '#objects'
import type { Cache, Index } from '#reconcile'
import { conditionOf, isReady } from '../explain/finding.ts'
import { isBehind, troubledConditions } from '../explain/generic.ts'

export interface Seen {
  /** World time in milliseconds. */
  readonly now: number
  /** Holds the watched kinds: asked only for what one look answers. */
  readonly cache: Cache
}

export interface Watched {
  readonly kind: Kind
  readonly hasGap: (object: KubeObject, seen: Seen) => boolean
}

const watched = <T extends KubeObject>(kind: Kind<T>, hasGap: (object: T, seen: Seen) => boolean): Watched => ({
  kind,
  hasGap: (object, seen) => isEnding(object) || isBehind(object) || hasGap(object as T, seen),
})

/** What its owner waits for is told there. */
const isEnding = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && object.kind !== 'Pod' && !isOwned(object)

const isOwned = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false

const isTroubled = (object: KubeObject): boolean => troubledConditions(object as AnyObject).length > 0

const never = (): boolean => false

const counts = (wanted: number, ...are: readonly (number | undefined)[]): boolean =>
  are.every((count = 0) => count === wanted)

/** In the order in which they are shown: what others stand on comes first. */
export const watchedKinds: readonly Watched[] = [
  watched(Node, isTroubled),
  watched(Namespace, never),
  watched(CustomResourceDefinition, isTroubled),
  watched(APIService, isTroubled),
  watched(CertificateSigningRequest, ({ status = {} }) => (status.certificate ?? '') === ''),
  watched(Application, ({ status = {} }) => {
    const { sync, health, operationState: operation, conditions = [] } = status
    return (
      sync?.status !== 'Synced' ||
      operation?.phase === 'Running' ||
      health?.status !== 'Healthy' ||
      conditions.some(({ type }) => type === 'RepositoryWarning')
    )
  }),
  watched(ApplicationSet, isTroubled),
  watched(PersistentVolume, ({ status }) => status?.phase === 'Failed'),
  watched(PersistentVolumeClaim, ({ status }) => status?.phase !== 'Bound' || (status.conditions ?? []).length > 0),
  watched(Deployment, ({ spec, status = {} }) => {
    const { replicas = 1 } = spec
    return !counts(replicas, status.replicas, status.updatedReplicas, status.availableReplicas)
  }),
  watched(StatefulSet, ({ spec, status }) => {
    const { replicas = 1 } = spec
    return (
      !counts(replicas, status?.replicas, status?.readyReplicas) || status?.currentRevision !== status?.updateRevision
    )
  }),
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
  watched(CronJob, never),
  watched(
    Job,
    (job, { cache }) =>
      conditionOf(job.status?.conditions, 'Complete')?.status !== 'True' && !isAtWork(job) && !isMadeGood(job, cache),
  ),
  watched(HorizontalPodAutoscaler, isTroubled),
  watched(EndpointSlice, never),
  watched(
    Service,
    (service, { cache }) => lacksAddress(service) || (selects(service) && lacksEndpoints(service, cache)),
  ),
  watched(IngressClass, never),
  watched(Ingress, ({ status }) => (status?.loadBalancer?.ingress ?? []).length === 0),
  watched(ConfigMap, never),
  watched(Secret, never),
  watched(ServiceAccount, never),
  watched(TrafficProbe, ({ status }) => conditionOf(status?.conditions, 'Succeeding')?.status === 'False'),
  watched(Pod, (pod, { now }) => isOverdue(pod, now) || (!isOwned(pod) && isUnready(pod))),
]

const isUnready = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && !isReady(status)

/** All its pods run, and none has failed: it needs time, and nothing else. */
const isAtWork = ({ status }: Job): boolean => {
  const { active = 0, ready = 0, failed = 0 } = status ?? {}
  return active > 0 && ready === active && failed === 0
}

/** A later run of the same CronJob has succeeded: nobody waits for this one any more. */
function isMadeGood({ metadata, status }: Job, cache: Cache): boolean {
  const owner = metadata.ownerReferences?.find(({ kind, controller }) => kind === CronJob.kind && controller === true)
  const failed = conditionOf(status?.conditions, 'Failed')?.lastTransitionTime
  if (owner === undefined || failed === undefined) return false
  const { lastSuccessfulTime } = cache.get(CronJob, `${metadata.namespace}/${owner.name}`)?.status ?? {}
  return (parseTime(lastSuccessfulTime) ?? 0) > (parseTime(failed) ?? 0)
}

const slicesByService: Index<EndpointSlice> = {
  name: 'waiting-service',
  kind: EndpointSlice,
  values: ({ metadata }) => {
    const service = metadata.labels?.['kubernetes.io/service-name']
    return service === undefined ? [] : [`${metadata.namespace}/${service}`]
  },
}

const selects = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0

const lacksAddress = ({ spec, status }: Service): boolean =>
  spec?.type === 'LoadBalancer' && (status?.loadBalancer?.ingress ?? []).length === 0

/** No pod stands behind it, or none that knows a port by its name. */
function lacksEndpoints({ spec, metadata }: Service, cache: Cache): boolean {
  const slices = cache.by(slicesByService, `${metadata.namespace}/${metadata.name}`)
  if (!slices.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false))) return true
  return (spec?.ports ?? []).some(
    ({ name = '', targetPort }) =>
      typeof targetPort === 'string' && !slices.some(({ ports }) => ports?.some((port) => (port.name ?? '') === name)),
  )
}

/** It should have ended by now. */
const isOverdue = ({ metadata }: Pod, now: number): boolean =>
  (parseTime(metadata.deletionTimestamp) ?? Number.POSITIVE_INFINITY) < now
