// Keeps the Applications of each ApplicationSet as its generators and its template say. One look: generate, plan, carry the
// plan out, report. While something cannot be generated nothing is changed: a fault must not read as "none are wanted".
// Reads: ApplicationSets, Applications, cluster Secrets, repositories.  Writes: Applications; status, Events.

import { isNotFound } from '#api'
import { TemplateFault } from '#gitops/gotemplate'
import { Followers, messageOf } from '#gitops/source'
import {
  Application,
  ApplicationSet,
  applicationSetRefreshAnnotation,
  ConfigMap,
  resourcesFinalizer,
  Secret,
} from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  type Cache,
  done,
  hasFinalizer,
  isTerminating,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
  withFinalizer,
} from '#reconcile'
import { applicationsOf } from './applications.ts'
import { carryOut, note, report, verdictOf } from './carry-out.ts'
import { isClusterSecret } from './cluster-facts.ts'
import { deleteSet } from './deletion.ts'
import { follow, generateAll, isTold, lookAgainMs, type Outside } from './generate-all.ts'
import { Answers } from './generators/answers.ts'
import { repositoriesOf } from './generators/git.ts'
import { planApplications } from './plan.ts'
import { setsNaming } from './reads.ts'
import { rollOut, withoutAutomatedSync } from './rollout/rollout.ts'
import { deletesInReverse, isRolling, stepsIn } from './rollout/steps.ts'

export interface ApplicationSetLoopOptions extends Omit<Outside, 'followers'> {
  /** Resolves when the local repositories have been read. */
  readonly opened: () => Promise<void>
  /** Registers who is told that a repository moved. */
  readonly onMoved: (told: (repository: string) => void) => () => void
}

const soonMs = 1000
/** A set's status names the state of every Application: it is written anew at most this often for that alone. */
const reportMs = 1000

export function applicationSetLoop(options: ApplicationSetLoopOptions): LoopDefinition {
  const followers = new Followers()
  const answers = new Map<string, Answers>()
  return {
    name: 'applicationset-controller',
    user: 'system:serviceaccount:argocd:argocd-applicationset-controller',
    manager: 'argocd-applicationset-controller',
    reconciles: ApplicationSet,
    watches: [
      watching(ApplicationSet, (set) => [objectKey(set)]),
      watching(Application, (app, old, cache) =>
        setsOf(app, cache)
          .filter((set) => old === undefined || isChanged(app, old) || (isRolling(set) && isProgress(app, old)))
          .map(objectKey),
      ),
      watching(
        Application,
        (app, old, cache) => (old !== undefined && isOtherState(app, old) ? setsOf(app, cache).map(objectKey) : []),
        { batchMs: reportMs },
      ),
      watching(Secret, (secret, _old, cache) =>
        isClusterSecret(secret)
          ? cache.list(ApplicationSet, secret.metadata.namespace ?? '').map(objectKey)
          : setsNaming(cache, secret).map(objectKey),
      ),
      watching(ConfigMap, (map, _old, cache) => setsNaming(cache, map).map(objectKey)),
    ],
    wakes: (wake) =>
      options.onMoved((repository) => {
        for (const key of followers.of(repository)) wake(key)
      }),
    workers: 4,
    reconcile: (key, kit) => reconcile({ ...options, followers, answers }, key, kit),
  }
}

/** The set that owns an Application. */
const setsOf = ({ metadata: { namespace = '', ownerReferences = [] } }: Application, cache: Cache) =>
  ownerReferences.flatMap(({ kind, name }) =>
    kind === 'ApplicationSet' ? (cache.get(ApplicationSet, `${namespace}/${name}`) ?? []) : [],
  )

/** It may no longer be what its set wants. */
const isChanged = (now: Application, old: Application): boolean =>
  now.spec !== old.spec ||
  !isEqual(now.metadata.labels, old.metadata.labels) ||
  !isEqual(now.metadata.annotations, old.metadata.annotations) ||
  !isEqual(now.metadata.finalizers, old.metadata.finalizers) ||
  now.metadata.deletionTimestamp !== old.metadata.deletionTimestamp

/** What a set tells of it is another. */
const isOtherState = ({ status: now }: Application, { status: old }: Application): boolean =>
  now?.health?.status !== old?.health?.status || now?.sync?.status !== old?.sync?.status

/** What a rollout waits for. */
const isProgress = (now: Application, old: Application): boolean =>
  isOtherState(now, old) ||
  !isEqual(now.status?.sync, old.status?.sync) ||
  now.status?.operationState?.phase !== old.status?.operationState?.phase ||
  now.status?.operationState?.startedAt !== old.status?.operationState?.startedAt

interface Parts extends ApplicationSetLoopOptions {
  readonly followers: Followers
  /** By set. */
  readonly answers: Map<string, Answers>
}

async function reconcile(parts: Parts, key: string, kit: Kit): Promise<Outcome> {
  const set = kit.cache.get(ApplicationSet, key)
  if (set === undefined || isTerminating(set)) {
    parts.followers.follow(key, [])
    parts.answers.delete(key)
    return set === undefined ? done() : deleteSet(kit, set)
  }
  if (deletesInReverse(set) && !hasFinalizer(set, resourcesFinalizer)) {
    await kit.client.update(ApplicationSet, withFinalizer(set, resourcesFinalizer))
    return done()
  }
  await parts.opened()
  follow(parts, key, set)
  const isAsked = set.metadata.annotations?.[applicationSetRefreshAnnotation] !== undefined
  const answers = (isAsked ? undefined : parts.answers.get(key)) ?? new Answers()
  parts.answers.set(key, answers)
  answers.begin()
  const outcome = await generateAndKeep(parts, set, { kit, answers })
  const dueAt = answers.end()
  if (isAsked) await noteRefreshed(kit, set)
  const dueMs = dueAt === undefined ? undefined : Math.max(dueAt - kit.world.clock.now(), 1)
  if (dueMs === undefined || (outcome.type === 'requeueAfter' && outcome.afterMs < dueMs)) return outcome
  return requeueAfter(dueMs)
}

interface Turn {
  readonly kit: Kit
  readonly answers: Answers
}

async function generateAndKeep(parts: Parts, set: ApplicationSet, { kit, answers }: Turn): Promise<Outcome> {
  const looking = { cache: kit.cache, clock: kit.world.clock }
  let wanted: readonly Application[]
  try {
    wanted = applicationsOf(set, await generateAll(parts, set, { looking, answers }))
  } catch (error) {
    if (!isTold(error)) throw error
    const reason = error instanceof TemplateFault ? 'RenderTemplateParamsError' : 'ApplicationGenerationFromParamsError'
    await report(kit, set, { verdict: { isError: true, reason, message: messageOf(error) } })
    return requeueAfter(lookAgainMs)
  }
  return keep(kit, set, wanted)
}

/** Somebody asked for a look at everything anew: that is done. */
async function noteRefreshed(kit: Kit, { metadata }: ApplicationSet): Promise<void> {
  const { namespace = '', name = '' } = metadata
  const patch = { metadata: { annotations: { [applicationSetRefreshAnnotation]: null } } }
  try {
    await kit.client.patch(ApplicationSet, { namespace, name }, patch, { type: 'application/merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Makes the Applications as they are wanted. */
async function keep(kit: Kit, set: ApplicationSet, generated: readonly Application[]): Promise<Outcome> {
  const namespace = set.metadata.namespace ?? ''
  const owned = kit.cache.ownedBy(Application, set.metadata.uid ?? '')
  const wanted = generated.map((application) => withoutAutomatedSync(set, application))
  const find = (name: string) => kit.cache.get(Application, `${namespace}/${name}`)
  const plan = planApplications({ set, wanted, owned, find })
  if (isRolling(set) && stepsIn(set).length === 0) {
    await report(kit, set, {
      verdict: { isError: true, reason: 'ApplicationSetRolloutError', message: 'No steps defined for rollout' },
    })
    return requeueAfter(lookAgainMs)
  }
  const rollout = isRolling(set) ? rollOut({ set, wanted, owned, plan, now: kit.world.clock.now() }) : undefined
  const noted = rollout === undefined ? set : await note(kit, set, rollout)
  const { refused, overtaken } = await carryOut(kit, set, rollout?.plan ?? plan)
  await report(kit, noted, { verdict: verdictOf(set, plan, refused), rollout })
  if (overtaken || rollout?.soon === true) return requeueAfter(soonMs)
  return repositoriesOf(set.spec.generators).length > 0 || refused.length > 0 ? requeueAfter(lookAgainMs) : done()
}
