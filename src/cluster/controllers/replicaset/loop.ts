// Keeps the number of active pods of a set equal to spec.replicas. Knows nothing of rollouts: a Deployment changes
// replicas, this loop only counts. One loop serves both kinds of set, ReplicaSet and ReplicationController.
// Reads: the set, its Pods and the orphans of its namespace.  Writes: Pods (create, delete, owner), the set's status.

import { type Kind, Pod } from '#kinds'
import { objectKey } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, requeueAfter, watching } from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex } from '../claims.ts'
import { defineController } from '../define.ts'
import { ownersOfPod } from '../owners-of-pod.ts'
import {
  type Attempts,
  createPod,
  deletePods,
  expectedPods,
  messageOf,
  type PodOwner,
  podFromTemplate,
  slowStart,
} from '../pod-control.ts'
import { controllerOf, isPodActive } from '../pods.ts'
import { decideReplicas, decideStatus, nextAvailability, type ReplicaOwner } from './decide.ts'

export interface SetKind<T extends ReplicaOwner> {
  readonly name: string
  readonly account: string
  readonly kind: Kind<T>
  readonly component: string
  readonly matcher: (set: T) => (labels: Readonly<Record<string, string>>) => boolean
}

const orphanPods = orphanIndex(Pod)

export function replicaLoop<T extends ReplicaOwner>(setKind: SetKind<T>): LoopDefinition {
  return defineController({
    name: setKind.name,
    account: setKind.account,
    reconciles: setKind.kind,
    watches: [
      watching(setKind.kind, (set) => [keyOf(set)]),
      watching(Pod, ownersOfPod({ kind: setKind.kind, selects: (set, labels) => setKind.matcher(set)(labels) })),
    ],
    reconcile: (key, kit) => reconcileSet(setKind, key, kit),
  })
}

async function reconcileSet<T extends ReplicaOwner>(setKind: SetKind<T>, key: string, kit: Kit): Promise<Outcome> {
  const set = kit.cache.get(setKind.kind, key)
  if (set === undefined) return done()
  const waitUntil = expectedPods.waitUntil(kit, set)
  const pods = await claimPods(setKind, set, kit)
  // As long as pods that were made do not show, the status tells what does.
  const attempts = waitUntil === undefined ? await manageReplicas(setKind, { set, pods, kit }) : { succeeded: 0 }
  await writeStatus(setKind, { set, pods, kit }, attempts)
  if (attempts.error !== undefined) throw attempts.error
  const now = kit.world.clock.now()
  const next = Math.min(
    waitUntil ?? Number.POSITIVE_INFINITY,
    nextAvailability(set, pods, now) ?? Number.POSITIVE_INFINITY,
  )
  return next === Number.POSITIVE_INFINITY ? done() : requeueAfter(next - now)
}

interface Observed<T> {
  readonly set: T
  readonly pods: readonly Pod[]
  readonly kit: Kit
}

async function claimPods<T extends ReplicaOwner>(setKind: SetKind<T>, set: T, kit: Kit): Promise<readonly Pod[]> {
  const owned = kit.cache.ownedBy(Pod, set.metadata.uid ?? '').filter(isPodActive)
  const orphans = kit.cache.by(orphanPods, set.metadata.namespace ?? '').filter(isPodActive)
  const claimant: Claimant<Pod> = { kind: setKind.kind, object: set, child: Pod, matches: setKind.matcher(set) }
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

async function manageReplicas<T extends ReplicaOwner>(
  setKind: SetKind<T>,
  { set, pods, kit }: Observed<T>,
): Promise<Attempts> {
  const related = (): readonly Pod[] => relatedPods(setKind, set, kit)
  const decision = decideReplicas({ set, pods, related, now: kit.world.clock.now() })
  if (decision.type === 'enough') return { succeeded: 0 }
  const owner: PodOwner = { kind: setKind.kind, object: set, component: setKind.component }
  if (decision.type === 'delete') return deletePods(kit, owner, decision.pods)
  const pod = podFromTemplate(owner, set.spec.template ?? {})
  return slowStart(decision.count, () => createPod(kit, owner, pod))
}

async function writeStatus<T extends ReplicaOwner>(
  setKind: SetKind<T>,
  { set, pods, kit }: Observed<T>,
  attempts: Attempts,
): Promise<void> {
  const failure = attempts.error === undefined ? {} : { failure: messageOf(attempts.error) }
  const status = decideStatus({ set, pods, now: kit.world.clock.now(), ...failure })
  if (status !== set.status) await kit.client.updateStatus(setKind.kind, { ...set, status })
}

/** Active pods of all sets that the same Deployment controls: a set without one does not look at the nodes. */
function relatedPods<T extends ReplicaOwner>(setKind: SetKind<T>, set: T, kit: Kit): readonly Pod[] {
  const controller = controllerOf(set)
  if (controller === undefined) return []
  const sets = kit.cache.ownedBy(setKind.kind, controller.uid)
  return sets.flatMap((sibling) => kit.cache.ownedBy(Pod, sibling.metadata.uid ?? '').filter(isPodActive))
}

const keyOf = objectKey
