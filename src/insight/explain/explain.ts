// `explain KIND/NAME`: reads what is around an object and says which loop has the next step and what gap it sees.
// Observes through the client, decides in the pure files beside this one, writes nothing.

import { ApiError, isNotFound } from '#api'
import { type Client, findKindNamed, type ObjectRef } from '#client'
import {
  APIService,
  Application,
  CertificateSigningRequest,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Fault,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  type Kind,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  TrafficProbe,
} from '#kinds'
import { type AnyObject, type KubeObject, matchesLabels, objectKey } from '#objects'
import type { Around } from './around.ts'
import { explainAutoscaler } from './autoscaler.ts'
import type { Changes } from './changed.ts'
import { explainClaim } from './claim.ts'
import { explainDefinition, explainNamespace } from './definition.ts'
import type { Finding } from './finding.ts'
import { explainGeneric } from './generic.ts'
import { missingFrom, type PartOf, partOf, withGit } from './in-git.ts'
import { explainCronJob, explainJob } from './job.ts'
import { type LoopState, withFaults, withLoop } from './loops.ts'
import { explainNode } from './node.ts'
import { explainApplicationObject } from './observe-application.ts'
import { explainApiServiceObject, explainIngressObject, explainServiceObject } from './observe-network.ts'
import { explainPodObject, newestJob, observeDeployment, observeOwned, observePods } from './observe-workloads.ts'
import type { Placements } from './placement.ts'
import { claimsOf } from './pod.ts'
import { explainProbe } from './probe.ts'
import { explainBudget, explainSigningRequest } from './request.ts'
import { withRules } from './simulation.ts'
import { keyOf, namespaceOf, type Surroundings, surroundingsOf } from './surroundings.ts'
import { explainDaemonSet, explainDeployment, explainReplicaSet, explainStatefulSet } from './workload.ts'

export interface Place extends ObjectRef {
  /** What the scheduler remembers of pods, where that can be asked. */
  readonly placements?: Placements
  /** What the loops of the control plane say of themselves, where that can be asked. */
  readonly loops?: () => Promise<readonly LoopState[]> | readonly LoopState[]
  /** Who changed what git says otherwise, where that can be asked. */
  readonly changes?: Changes
}

/** Findings from the object itself down to where the chain ends. Throws ApiError when it does not exist. */
export async function explain(
  client: Client,
  kind: Kind,
  { placements, loops, changes, ...ref }: Place,
): Promise<readonly Finding[]> {
  const around = surroundingsOf(client, placements)
  const inGit = changes === undefined ? ref : { ...ref, changes }
  const [object, part] = await Promise.all([found(client, kind, ref), partOf(around, kind, inGit)])
  const states = (await loops?.()) ?? []
  const findings =
    object instanceof ApiError
      ? await explainMissing(around, object, part)
      : withGit(await explainObject(around, { kind, object, loops: states }), object, part)
  return Promise.all(findings.map((finding) => withRules(client, finding)))
}

/** The object, or the error that says that it does not exist. */
const found = (client: Client, kind: Kind, ref: ObjectRef): Promise<KubeObject | ApiError> =>
  client.get(kind, ref).catch((error: unknown) => {
    if (error instanceof ApiError && isNotFound(error)) return error
    throw error
  })

/** An object that no Application has in git is a wrong name. */
async function explainMissing(
  around: Surroundings,
  error: ApiError,
  part: PartOf | undefined,
): Promise<readonly Finding[]> {
  if (part === undefined) throw error
  return missingFrom(part, await findingsOf(aroundOf(around, []), Application, part.app))
}

export interface Explained {
  readonly kind: Kind
  readonly object: KubeObject
  readonly loops: readonly LoopState[]
}

export async function explainObject(
  surroundings: Surroundings,
  { kind, object, loops }: Explained,
): Promise<readonly Finding[]> {
  const findings = await findingsOf(aroundOf(surroundings, [pathKey(kind, objectKey(object))]), kind, object)
  const faults = findings.every(({ state }) => state === 'converged') ? [] : await surroundings.list(Fault)
  return findings.map((finding) => withFaults(withLoop(finding, loops), faults))
}

const pathKey = (kind: Kind, key: string): string => `${kind.group}/${kind.kind} ${key}`

/** Longer chains of other objects are cut. */
const stepsMax = 6

function aroundOf(surroundings: Surroundings, path: readonly string[]): Around {
  return {
    ...surroundings,
    async chain(kind, ref) {
      const key = pathKey(kind, keyOf(ref))
      if (path.includes(key) || path.length > stepsMax) return []
      const object = await surroundings.get(kind, ref)
      return object === undefined ? [] : findingsOf(aroundOf(surroundings, [...path, key]), kind, object)
    },
    kindOfResource: (resource) => findKindNamed(surroundings.client, resource),
    async kindNamed(group, name) {
      const known = explainers.find(({ kind }) => kind.group === group && kind.kind === name)
      return (
        known?.kind ?? findKindNamed(surroundings.client, `${name.toLowerCase()}${group === '' ? '' : `.${group}`}`)
      )
    },
  }
}

type Explain<T> = (around: Around, object: T) => readonly Finding[] | Promise<readonly Finding[]>

interface Explainer {
  readonly kind: Kind
  readonly explain: Explain<KubeObject>
}

const explainer = <T extends KubeObject>(kind: Kind<T>, explain: Explain<T>): Explainer => ({
  kind,
  explain: (around, object) => explain(around, object as T),
})

/** Kinds with rules of their own. */
const explainers: readonly Explainer[] = [
  explainer(Pod, explainPodObject),
  explainer(Deployment, async (around, object) => explainDeployment(await observeDeployment(around, object))),
  explainer(ReplicaSet, async (around, set) => explainReplicaSet(await observeOwned(around, set))),
  explainer(ReplicationController, async (around, set) => explainReplicaSet(await observeOwned(around, set))),
  explainer(StatefulSet, async (around, set) => explainStatefulSet(await observeOwned(around, set))),
  explainer(DaemonSet, async (around, set) => explainDaemonSet(await observeOwned(around, set))),
  explainer(Job, async (around, job) => explainJob(await observeOwned(around, job))),
  explainer(CronJob, async (around, object) =>
    explainCronJob({ object, events: await around.eventsOf(object), jobs: await newestJob(around, object) }),
  ),
  explainer(Service, explainServiceObject),
  explainer(Ingress, explainIngressObject),
  explainer(APIService, explainApiServiceObject),
  explainer(PersistentVolumeClaim, explainClaimObject),
  explainer(HorizontalPodAutoscaler, (_around, object) => explainAutoscaler(object)),
  explainer(PodDisruptionBudget, async (around, object) =>
    explainBudget(
      object,
      await observePods(
        around,
        (await around.list(Pod, namespaceOf(object))).filter(({ metadata }) =>
          matchesLabels(object.spec?.selector, metadata.labels),
        ),
      ),
    ),
  ),
  explainer(CertificateSigningRequest, (_around, object) => [explainSigningRequest(object)]),
  explainer(CustomResourceDefinition, explainDefinition),
  explainer(Namespace, explainNamespace),
  explainer(Node, (_around, node) => [explainNode(node)]),
  explainer(TrafficProbe, (_around, probe) => [explainProbe(probe)]),
  explainer(Application, explainApplicationObject),
]

async function explainClaimObject(around: Around, object: PersistentVolumeClaim): Promise<readonly Finding[]> {
  const { name = '' } = object.metadata
  const pods = (await around.list(Pod, namespaceOf(object))).filter(
    (pod) => claimsOf(pod).includes(name) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
  )
  const users = pods.map(({ metadata }) => metadata.name ?? '')
  return [explainClaim({ object, events: await around.eventsOf(object), users })]
}

async function findingsOf(around: Around, kind: Kind, object: KubeObject): Promise<readonly Finding[]> {
  const own = explainers.find((each) => kind.group === each.kind.group && kind.kind === each.kind.kind)
  return own === undefined ? [explainGeneric(object as AnyObject)] : own.explain(around, object)
}
