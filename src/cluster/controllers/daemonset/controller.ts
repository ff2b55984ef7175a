// Runs one pod on every node that a DaemonSet wants.
// Reads: DaemonSets, their Pods and ControllerRevisions, Nodes.  Writes: Pods, ControllerRevisions, DaemonSet status.

import { ControllerRevision, DaemonSet, type DaemonSetStatus, Node, Pod } from '#kinds'
import { isEqual, type LabelSelector, matchesLabels, objectKey } from '#objects'
import {
  type Cache,
  done,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex } from '../claims.ts'
import { defineController } from '../define.ts'
import { hashOf } from '../hash.ts'
import { Tries } from '../notes.ts'
import { ownersOfPod } from '../owners-of-pod.ts'
import {
  type Attempts,
  createPod,
  deletePods,
  expectedPods,
  isNamespaceTerminating,
  type PodOwner,
  slowStart,
} from '../pod-control.ts'
import { applyRevision, claimRevisions, decideRevision, removeRevisions } from '../revisions.ts'
import { type Decision, decideDaemons, statusMeanwhile } from './decide.ts'
import { hashLabel, nodeNameOf, podFor } from './placement.ts'
import type { Removal } from './update.ts'

const component = 'daemonset-controller'
const orphanPods = orphanIndex(Pod)
/** Failed pods are replaced more and more slowly, by set, its generation, and node. */
const replacements = new Tries()

const replacementKey = ({ metadata, status }: DaemonSet, pod: Pod): string =>
  `${metadata.uid} ${status?.observedGeneration ?? 0} ${nodeNameOf(pod)}`

export const daemonSetController = defineController({
  name: 'daemonset',
  account: 'daemon-set-controller',
  reconciles: DaemonSet,
  watches: [
    watching(DaemonSet, (set) => [objectKey(set)]),
    watching(
      Pod,
      ownersOfPod({ kind: DaemonSet, selects: ({ spec }, labels) => matchesLabels(spec.selector, labels) }),
    ),
    watching(Node, setsOfNode),
  ],
  reads: [ControllerRevision],
  workers: 2,
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const set = kit.cache.get(DaemonSet, key)
  if (set === undefined) return done()
  if (selectsAll(set.spec.selector)) {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
    recordEvent(kit, { object: set, component, type: 'Warning', reason: 'SelectingAll', message })
    return done()
  }
  if (isTerminating(set)) return done()
  const waitUntil = expectedPods.waitUntil(kit, set)
  const known = await claimRevisions(kit, DaemonSet, set)
  const revision = await currentRevision(kit, set, known)
  if (revision === undefined) return done()
  const hash = revision.metadata.labels?.[hashLabel] ?? ''
  const pods = await claimPods(kit, set)
  const now = kit.world.clock.now()
  const seen = { set, nodes: kit.cache.list(Node), pods, hash, now }
  if (waitUntil !== undefined) {
    await writeStatus(kit, set, statusMeanwhile(seen))
    return requeueAfter(waitUntil - now)
  }
  const held = heldBack(kit, set, pods)
  const decision = decideDaemons({ ...seen, held })
  const { remove, nextAt } = allowed(kit, set, decision.remove)
  const attempts = await act(kit, set, { decision: { ...decision, remove }, hash })
  await writeStatus(kit, set, decision.status)
  if (attempts.error !== undefined) throw attempts.error
  await forget(kit, set, { known, pods, hash })
  const times = [decision.recheckAt, nextAt, ...held.values()].filter((at) => at !== undefined)
  return times.length === 0 ? done() : requeueAfter(Math.min(...times) - now)
}

async function writeStatus(kit: Kit, set: DaemonSet, status: DaemonSetStatus): Promise<void> {
  if (status !== set.status) await kit.client.updateStatus(DaemonSet, { ...set, status })
}

/** Failed pods that are not replaced yet, and until when; an update of the set may replace them all the same. */
function heldBack(kit: Kit, set: DaemonSet, pods: readonly Pod[]): ReadonlyMap<Pod, number> {
  const held = new Map<Pod, number>()
  for (const pod of pods) {
    if (pod.status?.phase !== 'Failed' || isTerminating(pod)) continue
    const at = replacements.waitsUntil(kit.world, replacementKey(set, pod))
    if (at !== undefined) held.set(pod, at)
  }
  return held
}

interface Allowed {
  readonly remove: readonly Removal[]
  /** World time at which a failed pod that has to wait may go. */
  readonly nextAt?: number
}

function allowed(kit: Kit, set: DaemonSet, removals: readonly Removal[]): Allowed {
  const now = kit.world.clock.now()
  const judged = removals.map((removal) => ({
    removal,
    at: removal.why === 'failed' ? replacements.take(kit.world, replacementKey(set, removal.pod)) : now,
  }))
  const later = judged.map(({ at }) => at).filter((at) => at > now)
  const remove = judged.filter(({ at }) => at <= now).map(({ removal }) => removal)
  return later.length === 0 ? { remove } : { remove, nextAt: Math.min(...later) }
}

const selectsAll = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0

async function currentRevision(
  kit: Kit,
  set: DaemonSet,
  known: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const collisions = set.status?.collisionCount
  const hash = hashOf(set.spec.template, collisions)
  try {
    const owner = { kind: DaemonSet, object: set, template: set.spec.template, hash, hashLabel }
    const revision = await applyRevision(kit, decideRevision(owner, known))
    if (revision !== undefined) return revision
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined
    throw error
  }
  const counts = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
  await kit.client.updateStatus(DaemonSet, {
    ...set,
    status: { ...counts, ...set.status, collisionCount: (collisions ?? 0) + 1 },
  })
  return undefined
}

async function act(
  kit: Kit,
  set: DaemonSet,
  { decision, hash }: { readonly decision: Decision; readonly hash: string },
): Promise<Attempts> {
  const owner: PodOwner = { kind: DaemonSet, object: set, component }
  for (const removal of decision.remove) announce(kit, set, removal)
  const created = await slowStart(decision.create.length, (i) =>
    createPod(kit, owner, podFor(set, decision.create[i] ?? '', hash)),
  )
  const deleted = await deletePods(
    kit,
    owner,
    decision.remove.map(({ pod }) => pod),
  )
  return created.error !== undefined ? created : deleted
}

function announce(kit: Kit, set: DaemonSet, { pod, why }: Removal): void {
  if (why === 'surplus') return
  const where = `${objectKey(pod)} on node ${nodeNameOf(pod)}`
  if (why === 'failed') {
    const message = `Found failed daemon pod ${where}, will try to kill it`
    recordEvent(kit, { object: set, component, type: 'Warning', reason: 'FailedDaemonPod', message })
  } else {
    const message = `Found succeeded daemon pod ${where}, will try to delete it`
    recordEvent(kit, { object: set, component, type: 'Normal', reason: 'SucceededDaemonPod', message })
  }
}

interface History {
  readonly known: readonly ControllerRevision[]
  readonly pods: readonly Pod[]
  readonly hash: string
}

/** Revisions of the past that no pod is of go, the oldest first, down to the limit for all of the past. */
async function forget(kit: Kit, set: DaemonSet, { known, pods, hash }: History): Promise<void> {
  const past = known.filter(({ metadata }) => metadata.labels?.[hashLabel] !== hash)
  const live = new Set(pods.map((pod) => pod.metadata.labels?.[hashLabel]))
  const dead = past.filter(({ metadata }) => !live.has(metadata.labels?.[hashLabel]))
  const surplus = Math.max(0, past.length - (set.spec.revisionHistoryLimit ?? 10))
  await removeRevisions(kit, [...dead].sort((a, b) => a.revision - b.revision).slice(0, surplus))
}

function claimPods(kit: Kit, set: DaemonSet): Promise<readonly Pod[]> {
  const claimant: Claimant<Pod> = {
    kind: DaemonSet,
    object: set,
    child: Pod,
    matches: (labels) => matchesLabels(set.spec.selector, labels),
  }
  const owned = kit.cache.ownedBy(Pod, set.metadata.uid ?? '')
  const orphans = kit.cache.by(orphanPods, set.metadata.namespace ?? '')
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

/** Heartbeats do not matter: only what decides where pods may run. When a node goes, its pods will tell. */
function setsOfNode(node: Node, old: Node | undefined, cache: Cache): Iterable<string> {
  if (old === undefined && cache.get(Node, objectKey(node)) === undefined) return []
  const same = old !== undefined && isEqual(old.metadata.labels, node.metadata.labels) && isEqual(old.spec, node.spec)
  return same ? [] : cache.list(DaemonSet).map(objectKey)
}
