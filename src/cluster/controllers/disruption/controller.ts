// Keeps the status of PodDisruptionBudgets, by which the API server decides on evictions.
// Reads: PodDisruptionBudgets, Pods and their controllers.  Writes: PodDisruptionBudget status.

import {
  CustomResourceDefinition,
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '#kinds'
import { matchesLabels, objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { goSelector } from '../go-text.ts'
import { messageOf } from '../pod-control.ts'
import { isPodReady } from '../pods.ts'
import { podsMatching } from '../pods-by-label.ts'
import { decideBudget, failedStatus } from './decide.ts'
import { expectedScale, type ScalableObject, type Scale } from './scale.ts'

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
  reads: [CustomResourceDefinition],
  workers: 1,
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const budget = kit.cache.get(PodDisruptionBudget, key)
  if (budget === undefined) return done()
  const { selector } = budget.spec ?? {}
  const pods = selector === undefined ? [] : podsMatching(kit.cache, budget.metadata.namespace ?? '', selector)
  if (pods.length === 0)
    recordEvent(kit, { object: budget, component, type: 'Normal', reason: 'NoPods', message: 'No matching pods found' })
  for (const pod of pods) tellOverlap(kit, budget, pod)
  const now = kit.world.clock.now()
  let scale: Scale = { scale: 0, unmanaged: false }
  try {
    if (countsScale(budget)) scale = await expectedScale(kit, pods)
  } catch (error) {
    return refuse(kit, budget, messageOf(error))
  }
  const { status, overdue, recheckAt } = decideBudget({ budget, pods, scale: scale.scale, now })
  if (scale.unmanaged) warn(kit, budget)
  for (const pod of overdue) tellOverdue(kit, pod)
  if (status !== budget.status) await kit.client.updateStatus(PodDisruptionBudget, { ...budget, status })
  return recheckAt === undefined ? done() : requeueAfter(Math.max(0, recheckAt - now))
}

/** Percentages, and what may be missing, are of what there should be; a number of pods is just that. */
const countsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'

/** Of several budgets over one pod the first by name says so. */
function tellOverlap(kit: Kit, budget: PodDisruptionBudget, pod: Pod): void {
  const { namespace, name } = pod.metadata
  const budgets = kit.cache.list(PodDisruptionBudget, namespace)
  if (budgets.length < 2) return
  const names = budgets.filter((one) => selects(one, pod)).map(({ metadata }) => metadata.name ?? '')
  if (names.length < 2 || names.sort()[0] !== budget.metadata.name) return
  const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${budget.metadata.name}" arbitrarily.`
  recordEvent(kit, { object: pod, component, type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message })
}

/** The real loop names the namespace twice. */
function tellOverdue(kit: Kit, pod: Pod): void {
  const { namespace } = pod.metadata
  const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`
  recordEvent(kit, { object: pod, component, type: 'Warning', reason: 'NotDeleted', message })
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
