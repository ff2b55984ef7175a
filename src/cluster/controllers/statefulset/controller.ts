// Keeps the pods of a StatefulSet: each with its own name and claims, in order.
// Reads: StatefulSets, their Pods, ControllerRevisions and PersistentVolumeClaims.
// Writes: Pods, PersistentVolumeClaims, ControllerRevisions, StatefulSet status.

import { isAlreadyExists, isConflict, isNotFound } from '#api'
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '#kinds'
import { matchesLabels, objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex, refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { hashOf } from '../hash.ts'
import { ownersOfPod } from '../owners-of-pod.ts'
import { isNamespaceTerminating, messageOf, slowStart } from '../pod-control.ts'
import {
  applyRevision,
  claimRevisions,
  dataOf,
  decideRevision,
  removeRevisions,
  surplusRevisions,
  templateOf,
} from '../revisions.ts'
import { areKept, createClaims, hasLeftovers, keepClaims, tell } from './claims.ts'
import { decideSet, type SetStep } from './decide.ts'
import {
  hasClaims,
  hasIdentity,
  newPod,
  ordinalOf,
  type PodRevision,
  podNameOf,
  revisionOf,
  withIdentity,
} from './identity.ts'

const orphanPods = orphanIndex(Pod)

export const statefulSetController = defineController({
  name: 'statefulset',
  account: 'statefulset-controller',
  reconciles: StatefulSet,
  watches: [
    watching(StatefulSet, (set) => [objectKey(set)]),
    watching(
      Pod,
      ownersOfPod({ kind: StatefulSet, selects: ({ spec }, labels) => matchesLabels(spec.selector, labels) }),
    ),
    watching(PersistentVolumeClaim, setsOfClaim),
  ],
  reads: [ControllerRevision],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const set = kit.cache.get(StatefulSet, key)
  if (set === undefined) return done()
  const pods = await claimPods(kit, set)
  const known = await claimRevisions(kit, StatefulSet, set)
  const update = await updateRevision(kit, set, known)
  if (update === undefined) return done()
  const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update
  const now = kit.world.clock.now()
  const currentRevision = current.metadata.name ?? ''
  const decision = decideSet({
    set,
    pods,
    currentRevision,
    updateRevision: update.metadata.name ?? '',
    areKept: (pod) => areKept(kit, set, pod),
    now,
  })
  const failure = await actAll(kit, set, { steps: decision.steps, revisions: [current, update] })
  if (decision.status !== set.status) await kit.client.updateStatus(StatefulSet, { ...set, status: decision.status })
  const live = new Set([
    current.metadata.name ?? '',
    update.metadata.name ?? '',
    ...pods.flatMap((pod) => revisionOf(pod) ?? []),
  ])
  await removeRevisions(kit, surplusRevisions(known, live, set.spec.revisionHistoryLimit ?? 10))
  if (failure !== undefined) throw failure
  return decision.recheckAt === undefined ? done() : requeueAfter(decision.recheckAt - now)
}

async function updateRevision(
  kit: Kit,
  set: StatefulSet,
  known: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const collisions = set.status?.collisionCount ?? 0
  const hash = hashOf(dataOf(set.spec.template), collisions)
  const owner = {
    kind: StatefulSet,
    object: set,
    template: set.spec.template,
    hash,
    hashLabel: 'controller.kubernetes.io/hash',
  }
  try {
    const revision = await applyRevision(kit, decideRevision(owner, known))
    if (revision !== undefined) return revision
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined
    throw error
  }
  await kit.client.updateStatus(StatefulSet, {
    ...set,
    status: { replicas: 0, ...set.status, collisionCount: collisions + 1 },
  })
  return undefined
}

interface Acting {
  readonly steps: readonly SetStep[]
  readonly revisions: readonly ControllerRevision[]
}

/** Goes as far as it can, in parallel sets by more and more pods at a time; answers what went wrong. */
async function actAll(kit: Kit, set: StatefulSet, { steps, revisions }: Acting): Promise<unknown> {
  const isParallel = set.spec.podManagementPolicy === 'Parallel'
  const stages = isParallel ? inStages(steps) : steps.map((step) => [step])
  for (const stage of stages) {
    const { error } = await slowStart(stage.length, (i) => {
      const step = stage[i]
      return step === undefined ? Promise.resolve() : act(kit, set, step, revisions)
    })
    if (error !== undefined) return error
  }
  return undefined
}

/** What is too many goes, and what is old is replaced, only when the pods that the set is to have were seen to. */
function inStages(steps: readonly SetStep[]): readonly (readonly SetStep[])[] {
  const stageOf = (step: SetStep): number =>
    step.type === 'keep' ? 1 : step.type !== 'delete' || step.why === 'finished' ? 0 : step.why === 'condemned' ? 2 : 3
  return [0, 1, 2, 3].map((stage) => steps.filter((step) => stageOf(step) === stage))
}

async function act(kit: Kit, set: StatefulSet, step: SetStep, revisions: readonly ControllerRevision[]): Promise<void> {
  if (step.type === 'repair') return repair(kit, set, step.pod)
  if (step.type === 'delete') return remove(kit, set, step.pod)
  if (step.type === 'claims') return complete(kit, set, step.pod)
  if (step.type === 'keep') return keepClaims(kit, set, step.pod)
  const revision = revisions.find(({ metadata }) => metadata.name === step.revision)
  if (revision === undefined) return
  await create(kit, set, step.ordinal, { name: step.revision, template: podTemplate(set, revision) })
}

/** Pods of the set's own template share it, rather than the copy that the revision keeps. */
const podTemplate = (set: StatefulSet, revision: ControllerRevision): PodRevision['template'] =>
  revision.data === (dataOf(set.spec.template) as unknown) ? set.spec.template : templateOf(revision)

async function create(kit: Kit, set: StatefulSet, ordinal: number, revision: PodRevision): Promise<void> {
  const name = podNameOf(set, ordinal)
  if (hasLeftovers(kit, set, ordinal)) return
  const of = `Pod ${name} in StatefulSet ${set.metadata.name}`
  try {
    await createClaims(kit, set, ordinal)
    await kit.client.create(Pod, newPod(set, ordinal, revision))
    tell(kit, set, ['Normal', 'SuccessfulCreate', `create ${of} successful`])
  } catch (error) {
    if (isNamespaceTerminating(error)) return
    if (!isAlreadyExists(error))
      tell(kit, set, ['Warning', 'FailedCreate', `create ${of} failed error: ${messageOf(error)}`])
    throw error
  }
}

/** The claims that a waiting pod needs. */
async function complete(kit: Kit, set: StatefulSet, pod: Pod): Promise<void> {
  await createClaims(kit, set, ordinalOf(set, pod) ?? 0)
  await updating(kit, set, pod, () => keepClaims(kit, set, pod))
}

/** The owners of its claims count as part of a pod: it is updated with them. */
async function repair(kit: Kit, set: StatefulSet, pod: Pod): Promise<void> {
  await updating(kit, set, pod, async () => {
    if (!hasClaims(set, pod)) await createClaims(kit, set, ordinalOf(set, pod) ?? 0)
    await keepClaims(kit, set, pod)
    if (!hasIdentity(set, pod)) await kit.client.update(Pod, withIdentity(set, pod))
  })
  const message = `update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`
  tell(kit, set, ['Normal', 'SuccessfulUpdate', message])
}

async function updating(kit: Kit, set: StatefulSet, pod: Pod, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const of = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
    // It changed meanwhile: the next look sees how it is now.
    if (!isConflict(error))
      tell(kit, set, ['Warning', 'FailedUpdate', `update ${of} failed error: ${messageOf(error)}`])
    throw error
  }
}

async function remove(kit: Kit, set: StatefulSet, pod: Pod): Promise<void> {
  const { name, uid } = pod.metadata
  const of = `Pod ${name} in StatefulSet ${set.metadata.name}`
  try {
    await kit.client.delete(Pod, refOf(pod), uid === undefined ? {} : { preconditions: { uid } })
    tell(kit, set, ['Normal', 'SuccessfulDelete', `delete ${of} successful`])
  } catch (error) {
    if (isNotFound(error)) return
    tell(kit, set, ['Warning', 'FailedDelete', `delete ${of} failed error: ${messageOf(error)}`])
    throw error
  }
}

function claimPods(kit: Kit, set: StatefulSet): Promise<readonly Pod[]> {
  const claimant: Claimant<Pod> = {
    kind: StatefulSet,
    object: set,
    child: Pod,
    matches: (labels) => matchesLabels(set.spec.selector, labels),
  }
  const isMember = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined
  const owned = kit.cache.ownedBy(Pod, set.metadata.uid ?? '').filter(isMember)
  const orphans = kit.cache.by(orphanPods, set.metadata.namespace ?? '').filter(isMember)
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

/** Claims carry no reference to their set in general; their names tell. Only claims that a set may still have to own matter. */
function* setsOfClaim(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
  cache: Cache,
): Iterable<string> {
  if (old !== undefined && old.metadata.ownerReferences === claim.metadata.ownerReferences) return
  const match = /^(.*)-\d+$/.exec(claim.metadata.name ?? '')
  if (match === null) return
  for (const set of cache.list(StatefulSet, claim.metadata.namespace)) {
    const templates = set.spec.volumeClaimTemplates ?? []
    if (templates.some(({ metadata }) => match[1] === `${metadata.name}-${set.metadata.name}`)) yield objectKey(set)
  }
}
