// Rolls out the pod template of a Deployment through its ReplicaSets, one step per reconcile.
// Reads: Deployments, their ReplicaSets and Pods.  Writes: ReplicaSets (create, update, delete, owner), Deployment status
// and revision annotation, and where the annotation of the old rollback API asks for it, its template.

import { isAlreadyExists, isNotFound } from '#api'
import { Deployment, Pod, ReplicaSet } from '#kinds'
import { type LabelSelector, matchesLabels, objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex, refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { controllerOf, isPodFinished } from '../pods.ts'
import { reasons, statusWith } from './conditions.ts'
import { type Change, type Decision, decideRollout } from './decide.ts'
import type { Rollback } from './history.ts'
import { progressDeadlineMs } from './limits.ts'
import { isSameTemplate } from './replica-sets.ts'

const component = 'deployment-controller'
const orphanSets = orphanIndex(ReplicaSet)

export const deploymentController = defineController({
  name: 'deployment',
  reconciles: Deployment,
  watches: [
    watching(Deployment, (deployment) => [objectKey(deployment)]),
    watching(ReplicaSet, deploymentsOfSet),
    watching(Pod, deploymentOfPod),
  ],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const deployment = kit.cache.get(Deployment, key)
  if (deployment === undefined) return done()
  if (selectsAll(deployment.spec.selector)) return refuse(kit, deployment)
  const sets = await claimSets(kit, deployment)
  const oldPodsRun = (old: readonly ReplicaSet[]): boolean =>
    old.some((set) => kit.cache.ownedBy(Pod, set.metadata.uid ?? '').some((pod) => !isPodFinished(pod)))
  const now = kit.world.clock.now()
  const decision = decideRollout({ deployment, sets, oldPodsRun, now })
  await act(kit, deployment, decision)
  const { recheckAt } = decision
  return recheckAt === undefined || recheckAt <= now ? done() : requeueAfter(recheckAt - now)
}

async function act(kit: Kit, deployment: Deployment, decision: Decision): Promise<void> {
  if (decision.create !== undefined && !(await create(kit, deployment, decision.create))) return
  const written = new Map<string | undefined, ReplicaSet>()
  for (const { set, event } of decision.update) {
    const { uid } = set.metadata
    written.set(uid, await kit.client.update(ReplicaSet, after(set, written.get(uid))))
    if (event !== undefined) scaled(kit, deployment, event)
  }
  for (const set of decision.remove) await remove(kit, set)
  if (decision.rollback !== undefined) return rollBack(kit, deployment, decision.rollback)
  if (decision.deployment !== deployment) await kit.client.updateStatus(Deployment, decision.deployment)
}

/** The set as it can be written where it has just been written already. */
function after(set: ReplicaSet, written: ReplicaSet | undefined): ReplicaSet {
  const { resourceVersion } = written?.metadata ?? {}
  return resourceVersion === undefined ? set : { ...set, metadata: { ...set.metadata, resourceVersion } }
}

/** Told when it is done; that there is nothing to go back to, at once. */
async function rollBack(kit: Kit, object: Deployment, { deployment, event }: Rollback): Promise<void> {
  if (event.type === 'Warning') recordEvent(kit, { object, component, ...event })
  await kit.client.update(Deployment, deployment)
  if (event.type === 'Normal') recordEvent(kit, { object, component, ...event })
}

/** Answers false when the namespace is being deleted: then there is nothing more to do. */
async function create(kit: Kit, deployment: Deployment, { set, event }: Change): Promise<boolean> {
  try {
    await kit.client.create(ReplicaSet, set)
    if (event !== undefined) scaled(kit, deployment, event)
    return true
  } catch (error) {
    if (isNamespaceTerminating(error)) return false
    if (isAlreadyExists(error)) return resolveCollision(kit, deployment, set)
    await reportFailure(kit, deployment, `Failed to create new replica set "${set.metadata.name}": ${messageOf(error)}`)
    throw error
  }
}

/** The name is taken: by our own ReplicaSet that the cache did not show yet, or by another whose hash collides. */
async function resolveCollision(kit: Kit, deployment: Deployment, set: ReplicaSet): Promise<boolean> {
  const existing = await kit.client.get(ReplicaSet, refOf(set))
  const isOurs = controllerOf(existing)?.uid === deployment.metadata.uid
  if (isOurs && isSameTemplate(existing.spec.template ?? {}, deployment.spec.template)) return true
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
  await kit.client.updateStatus(Deployment, { ...deployment, status: { ...deployment.status, collisionCount } })
  throw new Error(`the name ${set.metadata.name} is taken by another ReplicaSet: trying another hash`)
}

async function reportFailure(kit: Kit, deployment: Deployment, message: string): Promise<void> {
  recordEvent(kit, { object: deployment, component, type: 'Warning', reason: reasons.createFailed, message })
  if (progressDeadlineMs(deployment) === undefined) return
  const text = { type: 'Progressing', status: 'False', reason: reasons.createFailed, message } as const
  const status = statusWith(deployment.status ?? {}, text, kit.world.clock.now())
  if (status !== deployment.status) await kit.client.updateStatus(Deployment, { ...deployment, status })
}

async function remove(kit: Kit, set: ReplicaSet): Promise<void> {
  try {
    await kit.client.delete(ReplicaSet, refOf(set), { propagationPolicy: 'Background' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const scaled = (kit: Kit, deployment: Deployment, message: string): void =>
  recordEvent(kit, { object: deployment, component, type: 'Normal', reason: 'ScalingReplicaSet', message })

async function refuse(kit: Kit, deployment: Deployment): Promise<Outcome> {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.'
  recordEvent(kit, { object: deployment, component, type: 'Warning', reason: 'SelectingAll', message })
  const observedGeneration = deployment.metadata.generation ?? 0
  if ((deployment.status?.observedGeneration ?? 0) < observedGeneration)
    await kit.client.updateStatus(Deployment, { ...deployment, status: { ...deployment.status, observedGeneration } })
  return done()
}

const selectsAll = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

function claimSets(kit: Kit, deployment: Deployment): Promise<readonly ReplicaSet[]> {
  const owned = kit.cache.ownedBy(ReplicaSet, deployment.metadata.uid ?? '')
  const orphans = kit.cache.by(orphanSets, deployment.metadata.namespace ?? '')
  const claimant: Claimant<ReplicaSet> = {
    kind: Deployment,
    object: deployment,
    child: ReplicaSet,
    matches: (labels) => matchesLabels(deployment.spec.selector, labels),
  }
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

function* deploymentsOfSet(set: ReplicaSet, old: ReplicaSet | undefined, cache: Cache): Iterable<string> {
  const owner = ownerKey(set)
  const before = old === undefined ? undefined : ownerKey(old)
  if (owner !== undefined) yield owner
  if (before !== undefined && before !== owner) yield before
  if (controllerOf(set) !== undefined) return
  for (const deployment of cache.list(Deployment, set.metadata.namespace))
    if (matchesLabels(deployment.spec.selector, set.metadata.labels ?? {})) yield objectKey(deployment)
}

/** Only Recreate looks at pods: it waits for the last one to go. */
function deploymentOfPod(pod: Pod, _old: Pod | undefined, cache: Cache): readonly string[] {
  const owner = controllerOf(pod)
  if (owner?.kind !== 'ReplicaSet') return none
  const set = cache.get(ReplicaSet, `${pod.metadata.namespace}/${owner.name}`)
  const key = set === undefined ? undefined : ownerKey(set)
  const deployment = key === undefined ? undefined : cache.get(Deployment, key)
  return key !== undefined && deployment?.spec.strategy?.type === 'Recreate' ? [key] : none
}

const none: readonly string[] = []

function ownerKey(set: ReplicaSet): string | undefined {
  const owner = controllerOf(set)
  return owner?.kind === 'Deployment' ? `${set.metadata.namespace}/${owner.name}` : undefined
}
