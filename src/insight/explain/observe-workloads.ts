// What is read of a workload, its pods and what these wait for, before the pure files beside this one decide.

import {
  type CronJob,
  type DaemonSet,
  type Deployment,
  Job,
  MutatingWebhookConfiguration,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  type ReplicationController,
  Service,
  type StatefulSet,
  ValidatingWebhookConfiguration,
} from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import type { Around } from './around.ts'
import { explainClaim } from './claim.ts'
import { newestEvent } from './events.ts'
import { describeObject, type Finding, isReady } from './finding.ts'
import { explainNode } from './node.ts'
import { chainOfPod, claimsOf, type PodObservation } from './pod.ts'
import { webhookIn } from './refusal.ts'
import { namespaceOf } from './surroundings.ts'
import type { DeploymentObservation, WorkloadObservation } from './workload.ts'

// A workload may have thousands of pods; the Events of the first that are not Ready are what the answer needs.
const podsShown = 20

const readyLast = (a: Pod, b: Pod): number => Number(isReady(a.status)) - Number(isReady(b.status))

export const observePods = (around: Around, pods: readonly Pod[]): Promise<PodObservation[]> => {
  const open = pods.filter((pod) => !isReady(pod.status) || pod.metadata.deletionTimestamp !== undefined)
  return Promise.all(
    open
      .toSorted(readyLast)
      .slice(0, podsShown)
      .map((pod) => observePod(around, pod)),
  )
}

export async function observePod(around: Around, pod: Pod): Promise<PodObservation> {
  const { placements } = around
  return {
    pod,
    events: await around.eventsOf(pod),
    ...(placements === undefined ? {} : { schedulers: placements.schedulers }),
    waitsFor: await waitedFor(around, pod),
  }
}

async function waitedFor(around: Around, pod: Pod): Promise<readonly (readonly Finding[])[]> {
  const { nodeName = '' } = pod.spec
  if (nodeName !== '') {
    if (isReady(pod.status) && pod.metadata.deletionTimestamp === undefined) return []
    const node = await around.get(Node, { name: nodeName })
    return node === undefined || isReady(node.status) ? [] : [[explainNode(node)]]
  }
  if (pod.metadata.deletionTimestamp !== undefined) return []
  return Promise.all(claimsOf(pod).map((name) => claimChain(around, namespaceOf(pod), name)))
}

async function claimChain(around: Around, namespace: string, name: string): Promise<readonly Finding[]> {
  const object = await around.get(PersistentVolumeClaim, { namespace, name })
  if (object !== undefined) return [explainClaim({ object, events: await around.eventsOf(object), users: [name] })]
  return [
    {
      state: 'stuck',
      loop: 'whoever makes this claim',
      object: `PersistentVolumeClaim ${namespace}/${name}`,
      gap: 'it does not exist',
      evidence: [],
      advice: 'Create the claim, or correct its name in spec.volumes.',
    },
  ]
}

/** A pod, what it waits for, and how it was placed. */
export async function explainPodObject(around: Around, pod: Pod): Promise<readonly Finding[]> {
  const [finding, ...rest] = chainOfPod(await observePod(around, pod))
  if (finding === undefined) return []
  const placement = await around.placements?.of(objectKey(pod))
  // One that speaks of another pod of that name has nothing to say.
  const isOfThis = placement?.node === undefined || placement.node === pod.spec.nodeName
  return [placement === undefined || !isOfThis ? finding : { ...finding, placement }, ...rest]
}

type Owner = ReplicaSet | ReplicationController | StatefulSet | DaemonSet | Job

export async function observeOwned<T extends Owner>(around: Around, object: T): Promise<WorkloadObservation<T>> {
  const pods = await around.ownedBy(Pod, object)
  const events = await around.eventsOf(object)
  // A Job has a word to say on pods that have failed.
  const failed =
    object.kind === 'Job'
      ? pods.filter(({ status }) => status?.phase === 'Failed').map((pod) => ({ pod, events: [] }))
      : []
  const open = pods.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded')
  return {
    object,
    events,
    pods: [...(await observePods(around, open)), ...failed],
    behind: await behind(around, object, events),
  }
}

export async function observeDeployment(around: Around, object: Deployment): Promise<DeploymentObservation> {
  const sets = await around.ownedBy(ReplicaSet, object)
  const pods = (await Promise.all(sets.map((set) => around.ownedBy(Pod, set)))).flat()
  const [set] = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))
  const events = set === undefined ? [] : await around.eventsOf(set)
  return {
    object,
    events: await around.eventsOf(object),
    pods: await observePods(around, pods),
    ...(set === undefined ? {} : { newest: { set, events } }),
    behind:
      object.metadata.deletionTimestamp !== undefined || set === undefined
        ? await dependents(around, object)
        : await behind(around, set, events),
  }
}

const revisionOf = (set: ReplicaSet): number =>
  Number(set.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0)

/** What stands behind a deletion that waits for dependents, or behind a refusal. */
async function behind(
  around: Around,
  object: Owner,
  events: WorkloadObservation<Owner>['events'],
): Promise<readonly (readonly Finding[])[]> {
  if (object.metadata.deletionTimestamp !== undefined) return dependents(around, object)
  const { conditions = [] } = (object.status ?? {}) as {
    readonly conditions?: readonly { readonly message?: string }[]
  }
  const words = [...conditions, newestEvent(events, ['FailedCreate']) ?? {}]
    .map(({ message = '' }) => message)
    .join(' ')
  const webhook = webhookIn(words)
  return webhook === undefined ? [] : webhookChain(around, webhook)
}

const foreground = 'foregroundDeletion'

async function dependents(around: Around, owner: KubeObject): Promise<readonly (readonly Finding[])[]> {
  if (owner.metadata.finalizers?.includes(foreground) !== true) return []
  const owned = await Promise.all(
    [ReplicaSet, Job, Pod].map(async (kind) => ({ kind, objects: await around.ownedBy<KubeObject>(kind, owner) })),
  )
  const blocking = owned.flatMap(({ kind, objects }) => objects.map((object) => ({ kind, object }))).slice(0, podsShown)
  return Promise.all(
    blocking.map(({ kind, object: { metadata } }) =>
      around.chain(kind, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }),
    ),
  )
}

/** The configuration that names a webhook, and the Service that shall answer for it. */
async function webhookChain(around: Around, webhook: string): Promise<readonly (readonly Finding[])[]> {
  const configurations = [
    ...(await around.list(MutatingWebhookConfiguration)),
    ...(await around.list(ValidatingWebhookConfiguration)),
  ]
  for (const configuration of configurations) {
    const found = configuration.webhooks?.find(({ name }) => name === webhook)
    if (found === undefined) continue
    const { service, url } = found.clientConfig
    const { name = '' } = configuration.metadata
    const below =
      service === undefined ? [] : await around.chain(Service, { namespace: service.namespace, name: service.name })
    const head: Finding = {
      state: 'stuck',
      loop: service === undefined ? `the server at ${url}` : `whoever runs ${service.namespace}/${service.name}`,
      object: describeObject(configuration),
      gap: `its webhook ${webhook} does not answer, and failurePolicy ${found.failurePolicy ?? 'Fail'} refuses what it cannot judge`,
      evidence: [`webhooks[${webhook}].timeoutSeconds is ${found.timeoutSeconds ?? 10}`],
      advice: `kubectl delete ${configuration.kind?.toLowerCase()} ${name} lets everything through again.`,
    }
    return [[head, ...below.map((finding) => ({ ...finding, depth: (finding.depth ?? 0) + 1 }))]]
  }
  return []
}

const madeAt = ({ metadata }: Job): string => metadata.creationTimestamp ?? ''

/** The newest Job of a CronJob. */
export async function newestJob(around: Around, object: CronJob): Promise<readonly (readonly Finding[])[]> {
  const jobs = (await around.ownedBy(Job, object)).toSorted((a, b) => madeAt(b).localeCompare(madeAt(a)))
  const [job] = jobs
  return job === undefined
    ? []
    : [await around.chain(Job, { namespace: namespaceOf(job), name: job.metadata.name ?? '' })]
}
