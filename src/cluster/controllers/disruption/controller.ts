// Keeps the status of PodDisruptionBudgets, by which the API server decides on evictions.
// Reads: PodDisruptionBudgets, Pods and their controllers.  Writes: PodDisruptionBudget status.

import { Deployment, type Kind, Pod, PodDisruptionBudget, ReplicaSet, ReplicationController, StatefulSet } from '#kinds'
import { matchesLabels, objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { goSelector } from '../go-text.ts'
import { controllerOf, isPodReady } from '../pods.ts'
import { podsMatching } from '../pods-by-label.ts'
import { decideBudget, failedStatus } from './decide.ts'

const component = 'controllermanager'

export const disruptionController = defineController({
  name: 'disruption',
  reconciles: PodDisruptionBudget,
  watches: [
    watching(PodDisruptionBudget, (budget) => [objectKey(budget)]),
    watching(Pod, budgetsOfPod),
    ...[Deployment, ReplicaSet, StatefulSet, ReplicationController].map((kind) =>
      watching<ScalableObject>(kind, budgetsOfOwner),
    ),
  ],
  workers: 1,
  reconcile,
})

interface ScalableObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Pod['metadata']
  readonly spec: { readonly replicas?: number }
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const budget = kit.cache.get(PodDisruptionBudget, key)
  if (budget === undefined) return done()
  const { selector } = budget.spec ?? {}
  const pods = selector === undefined ? [] : podsMatching(kit.cache, budget.metadata.namespace ?? '', selector)
  if (pods.length === 0)
    recordEvent(kit, { object: budget, component, type: 'Normal', reason: 'NoPods', message: 'No matching pods found' })
  const now = kit.world.clock.now()
  const countsScale = pods.length > 0 && typeof (budget.spec?.minAvailable ?? '') !== 'number'
  const fault = countsScale ? scaleFault(pods) : undefined
  if (fault !== undefined) return refuse(kit, budget, fault)
  const { scale, unmanaged } = scaleOf(kit.cache, pods)
  const { status, recheckAt } = decideBudget({ budget, pods, scale, now })
  if (unmanaged && typeof budget.spec?.minAvailable !== 'number') warn(kit, budget)
  if (status !== budget.status) await kit.client.updateStatus(PodDisruptionBudget, { ...budget, status })
  return recheckAt === undefined ? done() : requeueAfter(Math.max(0, recheckAt - now))
}

/** Controllers whose size nobody sets: how many pods there should be cannot be asked of them. */
const withoutScale: Readonly<Record<string, string>> = {
  'apps/v1/DaemonSet': 'daemonsets.apps',
  'batch/v1/Job': 'jobs.batch',
}

function scaleFault(pods: readonly Pod[]): string | undefined {
  for (const pod of pods) {
    const { apiVersion, kind } = controllerOf(pod) ?? {}
    const resource = withoutScale[`${apiVersion}/${kind}`]
    if (resource !== undefined) return `${resource} does not implement the scale subresource`
  }
  return undefined
}

/** As long as it is not known how many pods there should be, none may be evicted. */
async function refuse(kit: Kit, budget: PodDisruptionBudget, fault: string): Promise<Outcome> {
  recordEvent(kit, {
    object: budget,
    component,
    type: 'Warning',
    reason: 'CalculateExpectedPodCountFailed',
    message: `Failed to calculate the number of expected pods: ${fault}`,
  })
  const status = failedStatus(budget, fault, kit.world.clock.now())
  if (status !== budget.status) await kit.client.updateStatus(PodDisruptionBudget, { ...budget, status })
  return done()
}

function warn(kit: Kit, budget: PodDisruptionBudget): void {
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget.spec?.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  recordEvent(kit, { object: budget, component, type: 'Warning', reason: 'UnmanagedPods', message })
}

/** An empty selector selects all pods of the namespace; none at all selects no pod. */
const selects = (budget: PodDisruptionBudget, pod: Pod): boolean =>
  budget.spec?.selector !== undefined && matchesLabels(budget.spec.selector, pod.metadata.labels ?? {})

function scaleOf(cache: Cache, pods: readonly Pod[]): { readonly scale: number; readonly unmanaged: boolean } {
  const scales = new Map<string, number>()
  let unmanaged = false
  for (const pod of pods) {
    const owner = scalableOwner(cache, pod)
    if (owner === undefined) unmanaged = true
    else scales.set(owner.metadata.uid ?? '', owner.spec.replicas ?? 1)
  }
  return { scale: [...scales.values()].reduce((total, replicas) => total + replicas, 0), unmanaged }
}

/** The topmost controller whose size says how many pods there should be. */
function scalableOwner(cache: Cache, pod: Pod): ScalableObject | undefined {
  const reference = controllerOf(pod)
  const kind = scalableKinds.find((one) => one.kind === reference?.kind)
  const owner = kind === undefined ? undefined : cache.get(kind, `${pod.metadata.namespace}/${reference?.name}`)
  if (owner === undefined || owner.metadata.uid !== reference?.uid) return undefined
  const above = controllerOf(owner)
  if (above?.kind !== 'Deployment') return owner
  const deployment = cache.get(Deployment, `${pod.metadata.namespace}/${above.name}`)
  return deployment?.metadata.uid === above.uid ? deployment : owner
}

const scalableKinds: readonly Kind<ScalableObject>[] = [ReplicaSet, StatefulSet, ReplicationController]

function budgetsOfPod(pod: Pod, old: Pod | undefined, cache: Cache): readonly string[] {
  const budgets = cache.list(PodDisruptionBudget, pod.metadata.namespace)
  if (budgets.length === 0) return none
  const same =
    old !== undefined &&
    old.metadata.labels === pod.metadata.labels &&
    isPodReady(old) === isPodReady(pod) &&
    old.metadata.deletionTimestamp === pod.metadata.deletionTimestamp &&
    old.metadata.ownerReferences === pod.metadata.ownerReferences
  if (same) return none
  return budgets.filter((budget) => selects(budget, pod) || (old !== undefined && selects(budget, old))).map(objectKey)
}

const none: readonly string[] = []

function budgetsOfOwner(owner: ScalableObject, old: ScalableObject | undefined, cache: Cache): Iterable<string> {
  if (old !== undefined && old.spec.replicas === owner.spec.replicas) return []
  return cache.list(PodDisruptionBudget, owner.metadata.namespace).map(objectKey)
}
