// A play: the cast is applied, errands are run one after the other while mischief is done, then the cast is applied again
// and whatever else is left is put right. In the end nothing may show what happened in between.

import { ApiError } from '#api'
import {
  DaemonSet,
  Deployment,
  Ingress,
  Job,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  Service,
  StatefulSet,
} from '#kinds'
import type { KubeObject } from '#objects'
import type { Random } from '#world'
import type { TestMachine } from '../support/machine.ts'
import { cast, images, stage } from './cast.ts'
import { drawErrand, isForgotten, putRight, sweepOrphans } from './errands.ts'
import type { Mischief } from './mischief.ts'

const settleLimitMs = 3_600_000
const lookEveryMs = 2000
/** Apps whose pods can go to any node. */
const movable: ReadonlySet<string> = new Set(['web', 'api', 'old'])
const deployments = cast.filter(({ kind }) => kind === Deployment).length

/** Applies the cast as `kubectl apply --server-side --force-conflicts` does, again until nothing stands in the way. */
async function applyCast(test: TestMachine): Promise<void> {
  for (const { kind, object } of cast) {
    let lastError: unknown
    await test
      .until(
        async () => {
          try {
            const live = await test.find(kind, refOf(object))
            if (live?.metadata.deletionTimestamp !== undefined) return false
            await test.client.apply(kind, object, { fieldManager: 'kubectl', force: true })
            return true
          } catch (error) {
            if (!(error instanceof ApiError)) throw error
            lastError = error
            return false
          }
        },
        { limitMs: settleLimitMs, everyMs: lookEveryMs },
      )
      .catch((error: unknown) => {
        throw new Error(`${object.kind} ${object.metadata.name} cannot be applied: ${lastError ?? error}`)
      })
  }
}

const refOf = ({ metadata: { name = '', namespace } }: KubeObject) =>
  namespace === undefined ? { name } : { namespace, name }

export async function begin(test: TestMachine): Promise<void> {
  await test.until(async () => (await test.client.list(Node)).items.length === 3)
  await applyCast(test)
}

/** Some errands, with whatever time between them. `isBroken` ends the play early. */
export async function runErrands(
  test: TestMachine,
  random: Random,
  mischief: Mischief,
  isBroken: () => boolean,
): Promise<void> {
  const count = 4 + random.int(16)
  // Some plays begin in the middle of the first rollout, others when everything is there.
  await test.world.advance(random.int(2) === 0 ? random.int(5000) : 60_000)
  for (let nth = 1; nth <= count && !isBroken(); nth += 1) {
    const { what, run } = drawErrand(random)
    const pauseMs = random.int(3) === 0 ? random.int(60_000) : random.int(5000)
    if (mischief.does(`errand ${nth}: ${what}`)) await run(test).catch(refused)
    await test.world.advance(pauseMs)
  }
}

/** What the server refuses (no such object, a quota, a budget) is no fault. */
function refused(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

export async function end(test: TestMachine): Promise<void> {
  await putRight(test)
  await applyCast(test)
  await test
    .until(async () => (await unsettled(test)) === undefined, { limitMs: settleLimitMs, everyMs: lookEveryMs })
    .catch(async (error) => {
      throw new Error(`never settled: ${(await unsettled(test)) ?? String(error)}`)
    })
}

/** The first thing that is not as the cast says; once all is, orphans are swept and looked for again. */
async function unsettled(test: TestMachine): Promise<string | undefined> {
  const { client } = test
  const inStage = { namespace: stage }
  const left = await leftOver(test)
  if (left !== undefined) return left
  for (const { metadata, spec, status } of (await client.list(Deployment, inStage)).items) {
    const { replicas } = spec
    if (status?.collisionCount !== undefined) {
      // A ReplicaSet of its earlier life was still there, so that its own has another name: it is made once more.
      await client.delete(Deployment, { ...inStage, name: metadata.name ?? '' }, { propagationPolicy: 'Foreground' })
      return `deployment ${metadata.name} has met its past`
    }
    const isDone =
      status?.observedGeneration === metadata.generation &&
      (status?.replicas ?? 0) === replicas &&
      status?.updatedReplicas === replicas &&
      status?.availableReplicas === replicas
    if (!isDone) return `deployment ${metadata.name}: ${JSON.stringify(status)}`
  }
  for (const { metadata, spec, status } of (await client.list(StatefulSet, inStage)).items) {
    const isDone =
      status?.observedGeneration === metadata.generation &&
      status?.replicas === spec.replicas &&
      status?.availableReplicas === spec.replicas &&
      status?.currentRevision === status?.updateRevision
    if (!isDone) return `statefulset ${metadata.name}: ${JSON.stringify(status)}`
  }
  for (const { metadata, status } of (await client.list(DaemonSet, inStage)).items) {
    const isDone =
      status?.observedGeneration === metadata.generation &&
      status?.desiredNumberScheduled === 3 &&
      status?.updatedNumberScheduled === 3 &&
      status?.numberAvailable === 3
    if (!isDone) return `daemonset ${metadata.name}: ${JSON.stringify(status)}`
  }
  return undefined
}

/** A daemon's pod has no other node to go to: where others have filled it meanwhile, people have to move one away. */
async function makeRoom({ client }: TestMachine, pods: readonly Pod[]): Promise<void> {
  const isStuck = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') === true
  for (const { spec } of pods.filter((pod) => pod.metadata.labels?.['app'] === 'edge' && isStuck(pod))) {
    const affinity = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    const node = affinity?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0]
    const inTheWay = pods.find((pod) => pod.spec.nodeName === node && movable.has(pod.metadata.labels?.['app'] ?? ''))
    const { name = '' } = inTheWay?.metadata ?? {}
    if (inTheWay !== undefined) await client.delete(Pod, { namespace: stage, name }).catch(() => undefined)
  }
}

async function leftOver(test: TestMachine): Promise<string | undefined> {
  const { client } = test
  if ((await client.list(Deployment, { namespace: stage })).items.length < deployments) await applyCast(test)
  const pods = (await client.list(Pod, { namespace: stage })).items
  const jobs = (await client.list(Job)).items
  const isOrphaned = pods.some(isForgotten)
  if (isOrphaned || jobs.length > 0) await sweepOrphans(test)
  for (const { metadata } of (await client.list(PersistentVolumeClaim, { namespace: stage })).items) {
    if (metadata.deletionTimestamp === undefined) continue
    // Its pod holds it: only when that goes can both be made anew.
    const name = (metadata.name ?? '').replace('data-', '')
    await client.delete(Pod, { namespace: stage, name }).catch(() => undefined)
    return `claim ${metadata.name} is being deleted`
  }
  // A StatefulSet waits for ever for a pod that cannot start: people have to take it away (kubernetes issue 67250).
  for (const { metadata, spec } of pods)
    if (metadata.labels?.['app'] === 'db' && spec.containers[0]?.image !== images[0])
      await client.delete(Pod, { namespace: stage, name: metadata.name ?? '' }).catch(() => undefined)
  await makeRoom(test, pods)
  if (jobs.length > 0) return `job ${jobs[0]?.metadata.name} is left`
  if (isOrphaned) return 'an orphan is left'
  if (pods.length !== 21) return `${pods.length} pods, not 21: ${pods.map(({ metadata }) => metadata.name).join(', ')}`
  // Pressure is over some minutes after what caused it.
  const tainted = (await client.list(Node)).items.find(({ spec }) => (spec?.taints ?? []).length > 0)
  if (tainted !== undefined) return `${tainted.metadata.name} is tainted`
  if ((await test.find(Namespace, { name: 'side' })) !== undefined) return 'namespace side is left'
  const api = await test.find(Service, { namespace: stage, name: 'api' })
  if (api?.status?.loadBalancer?.ingress?.[0] === undefined) return 'service api has no address'
  const door = await test.find(Ingress, { namespace: stage, name: 'door' })
  if (door?.status?.loadBalancer?.ingress?.[0] === undefined) return 'ingress door has no address'
  return undefined
}
