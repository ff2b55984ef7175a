// `explain KIND/NAME`: reads what is around an object and says which loop has the next step and what gap it sees.
// Observes through the client, decides in the pure files beside this one, writes nothing.

import type { Client, ObjectRef } from '#client'
import {
  Application,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Event,
  Job,
  type Kind,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  TrafficProbe,
} from '#kinds'
import { type AnyObject, type KubeObject, objectKey } from '#objects'
import { explainApplication } from './application.ts'
import { explainClaim } from './claim.ts'
import { type Finding, isReady } from './finding.ts'
import { explainGeneric } from './generic.ts'
import type { Placements } from './placement.ts'
import { explainPod, type PodObservation } from './pod.ts'
import { explainProbe } from './probe.ts'
import { explainService } from './service.ts'
import { withRules } from './simulation.ts'
import { explainDaemonSet, explainDeployment, explainJob, explainReplicaSet, explainStatefulSet } from './workload.ts'

const uidOf = (object: KubeObject): string => object.metadata.uid ?? ''

const eventsOf = async (client: Client, object: KubeObject): Promise<readonly Event[]> =>
  (
    await client.list(Event, {
      ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
      fieldSelector: `involvedObject.uid=${uidOf(object)}`,
    })
  ).items

const isOwnedBy = (owner: KubeObject) => (object: KubeObject) =>
  (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === uidOf(owner))

const withEvents = (client: Client, pods: readonly Pod[]): Promise<PodObservation[]> =>
  Promise.all(pods.map(async (pod) => ({ pod, events: await eventsOf(client, pod) })))

const namespaceOf = (object: KubeObject): { readonly namespace: string } => ({
  namespace: object.metadata.namespace ?? 'default',
})

// A workload may have thousands of pods; the Events of the first that are not Ready are what the answer needs.
const podsShown = 20
const readyLast = (a: Pod, b: Pod): number => Number(isReady(a.status)) - Number(isReady(b.status))

const observePods = async (client: Client, pods: readonly Pod[]): Promise<PodObservation[]> =>
  withEvents(client, [...pods].sort(readyLast).slice(0, podsShown))

async function explainDeploymentObject(client: Client, object: Deployment): Promise<readonly Finding[]> {
  const sets = (await client.list(ReplicaSet, namespaceOf(object))).items.filter(isOwnedBy(object))
  const pods = (await client.list(Pod, namespaceOf(object))).items.filter((pod) =>
    sets.some((set) => isOwnedBy(set)(pod)),
  )
  return explainDeployment({
    object,
    events: await eventsOf(client, object),
    pods: await observePods(client, pods),
    replicaSets: await Promise.all(sets.map(async (set) => ({ set, events: await eventsOf(client, set) }))),
  })
}

async function observeOwned<T extends KubeObject>(client: Client, object: T) {
  const pods = (await client.list(Pod, namespaceOf(object))).items.filter(isOwnedBy(object))
  return { object, events: await eventsOf(client, object), pods: await observePods(client, pods) }
}

async function explainServiceObject(client: Client, service: Service): Promise<readonly Finding[]> {
  const selector = Object.entries(service.spec.selector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  const pods =
    selector === '' ? [] : (await client.list(Pod, { ...namespaceOf(service), labelSelector: selector })).items
  const slices = await client.list(EndpointSlice, {
    ...namespaceOf(service),
    labelSelector: `kubernetes.io/service-name=${service.metadata.name ?? ''}`,
  })
  return explainService({ service, slices: slices.items, pods: await observePods(client, pods) })
}

async function explainPodObject(client: Client, pod: Pod, placements: Placements | undefined): Promise<Finding> {
  const schedulers = placements === undefined ? {} : { schedulers: placements.schedulers }
  const finding = explainPod({ pod, events: await eventsOf(client, pod), ...schedulers })
  const placement = await placements?.of(objectKey(pod))
  // One that speaks of another pod of that name has nothing to say.
  const isOfThis = placement?.node === undefined || placement.node === pod.spec.nodeName
  return placement === undefined || !isOfThis ? finding : { ...finding, placement }
}

/**
 * Findings from the object itself down to the loop that has the next step. Throws ApiError when it does not exist.
 * `placements`: what the scheduler remembers of pods, where that can be asked.
 */
export async function explain(client: Client, kind: Kind, place: Place): Promise<readonly Finding[]> {
  const findings = await findingsOf(client, kind, place)
  return Promise.all(findings.map((finding) => withRules(client, finding)))
}

type Place = ObjectRef & { readonly placements?: Placements }

interface Explainer {
  readonly kind: Kind
  readonly explain: (client: Client, object: KubeObject) => readonly Finding[] | Promise<readonly Finding[]>
}

const explainer = <T extends KubeObject>(
  kind: Kind<T>,
  explain: (client: Client, object: T) => readonly Finding[] | Promise<readonly Finding[]>,
): Explainer => ({ kind, explain: (client, object) => explain(client, object as T) })

/** Kinds with rules of their own. */
const explainers: readonly Explainer[] = [
  explainer(Deployment, explainDeploymentObject),
  explainer(ReplicaSet, async (client, set) => explainReplicaSet(await observeOwned(client, set))),
  explainer(ReplicationController, async (client, set) => explainReplicaSet(await observeOwned(client, set))),
  explainer(StatefulSet, async (client, set) => explainStatefulSet(await observeOwned(client, set))),
  explainer(DaemonSet, async (client, set) => explainDaemonSet(await observeOwned(client, set))),
  explainer(Job, async (client, job) => explainJob(await observeOwned(client, job))),
  explainer(Service, explainServiceObject),
  explainer(PersistentVolumeClaim, async (client, object) => [
    explainClaim({ object, events: await eventsOf(client, object) }),
  ]),
  explainer(TrafficProbe, (_client, probe) => [explainProbe(probe)]),
  explainer(Application, (_client, app) => explainApplication(app as unknown as AnyObject)),
]

async function findingsOf(client: Client, kind: Kind, { placements, ...ref }: Place): Promise<readonly Finding[]> {
  const object = await client.get(kind, ref)
  const isThis = (other: Kind): boolean => kind.group === other.group && kind.kind === other.kind
  if (isThis(Pod)) return [await explainPodObject(client, object as Pod, placements)]
  const own = explainers.find((each) => isThis(each.kind))
  return own === undefined ? [explainGeneric(object as AnyObject)] : own.explain(client, object)
}
