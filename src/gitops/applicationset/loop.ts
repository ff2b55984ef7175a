// Keeps the Applications of each ApplicationSet as its generators and its template say. One look: generate, plan, carry the
// plan out, report. While something cannot be generated nothing is changed: a fault must not read as "none are wanted".
// Reads: ApplicationSets, Applications, cluster Secrets, repositories.  Writes: Applications; status, Events.

import { ApiError, isAlreadyExists, isConflict, isNotFound } from '#api'
import { Followers, messageOf, type Repository, SourceError, type Sources } from '#gitops/source'
import { Application, ApplicationSet, resourcesFinalizer, Secret } from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  done,
  hasFinalizer,
  isTerminating,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
  withFinalizer,
} from '#reconcile'
import { applicationsOf, type Generated, styleOf } from './applications.ts'
import { clusterFacts, isClusterSecret } from './cluster-facts.ts'
import { deleteSet } from './deletion.ts'
import { GeneratorFault } from './generators/generator.ts'
import { repositoriesOf } from './generators/git.ts'
import { generate } from './generators/index.ts'
import { TemplateFault } from './gotemplate/fault.ts'
import { type Plan, planApplications } from './plan.ts'
import { type Rollout, rollOut, withoutAutomatedSync } from './rollout/rollout.ts'
import { deletesInReverse, isRolling, stepsIn } from './rollout/steps.ts'
import { statusOf, upToDate, type Verdict, withRollout } from './status.ts'

export interface ApplicationSetLoopOptions {
  readonly sources: Sources
  /** Resolves when the local repositories have been read. */
  readonly opened: () => Promise<void>
  /** Registers who is told that a repository moved. */
  readonly onMoved: (told: (repository: string) => void) => () => void
}

/** Argo CD asks generators again this often. */
const lookAgainMs = 180_000
const soonMs = 1000

export function applicationSetLoop(options: ApplicationSetLoopOptions): LoopDefinition {
  const followers = new Followers()
  return {
    name: 'applicationset-controller',
    user: 'system:serviceaccount:argocd:argocd-applicationset-controller',
    manager: 'argocd-applicationset-controller',
    reconciles: ApplicationSet,
    watches: [
      watching(ApplicationSet, (set) => [objectKey(set)]),
      watching(Application, setsOf),
      watching(Secret, (secret, _old, cache) =>
        isClusterSecret(secret) ? cache.list(ApplicationSet, secret.metadata.namespace ?? '').map(objectKey) : [],
      ),
    ],
    wakes: (wake) =>
      options.onMoved((repository) => {
        for (const key of followers.of(repository)) wake(key)
      }),
    workers: 4,
    reconcile: (key, kit) => reconcile({ ...options, followers }, key, kit),
  }
}

/** The set that owns an Application, when something changed that it looks at. */
function* setsOf(now: Application, old: Application | undefined): Iterable<string> {
  if (old !== undefined && !isVisible(now, old)) return
  const { namespace = '', ownerReferences = [] } = now.metadata
  for (const { kind, name } of ownerReferences) if (kind === 'ApplicationSet') yield `${namespace}/${name}`
}

/** What a set looks at: not every change of an Application's status. */
const isVisible = (now: Application, old: Application): boolean =>
  now.spec !== old.spec ||
  now.status?.health?.status !== old.status?.health?.status ||
  !isEqual(now.status?.sync, old.status?.sync) ||
  now.status?.operationState?.phase !== old.status?.operationState?.phase ||
  now.status?.operationState?.startedAt !== old.status?.operationState?.startedAt ||
  !isEqual(now.metadata.labels, old.metadata.labels) ||
  !isEqual(now.metadata.annotations, old.metadata.annotations) ||
  !isEqual(now.metadata.finalizers, old.metadata.finalizers) ||
  now.metadata.deletionTimestamp !== old.metadata.deletionTimestamp

interface Parts extends ApplicationSetLoopOptions {
  readonly followers: Followers
}

async function reconcile(parts: Parts, key: string, kit: Kit): Promise<Outcome> {
  const set = kit.cache.get(ApplicationSet, key)
  if (set === undefined || isTerminating(set)) {
    parts.followers.follow(key, [])
    return set === undefined ? done() : deleteSet(kit, set)
  }
  if (deletesInReverse(set) && !hasFinalizer(set, resourcesFinalizer)) {
    await kit.client.update(ApplicationSet, withFinalizer(set, resourcesFinalizer))
    return done()
  }
  await parts.opened()
  follow(parts, key, set)
  let wanted: readonly Application[]
  try {
    wanted = applicationsOf(set, await generateAll(parts, set, kit))
  } catch (error) {
    if (!isTold(error)) throw error
    const reason = error instanceof TemplateFault ? 'RenderTemplateParamsError' : 'ApplicationGenerationFromParamsError'
    await report(kit, set, { verdict: { isError: true, reason, message: messageOf(error) } })
    return requeueAfter(lookAgainMs)
  }
  return keep(kit, set, wanted)
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

/** What a sync is asked for is on record before it is asked for. */
async function note(kit: Kit, set: ApplicationSet, rollout: Rollout): Promise<ApplicationSet> {
  const status = withRollout(set, rollout, kit.world.clock.now())
  if (isEqual(status.applicationStatus, set.status?.applicationStatus)) return set
  return kit.client.updateStatus(ApplicationSet, { ...set, status })
}

const isTold = (error: unknown): error is Error =>
  error instanceof GeneratorFault || error instanceof SourceError || error instanceof TemplateFault

function follow({ sources, followers }: Parts, key: string, set: ApplicationSet): void {
  const known = repositoriesOf(set.spec.generators).flatMap((url) => {
    try {
      return [sources.repository(url).key]
    } catch (error) {
      // The generator tells what is wrong with the address.
      if (error instanceof SourceError) return []
      throw error
    }
  })
  followers.follow(key, [...new Set(known)])
}

async function generateAll({ sources }: Parts, set: ApplicationSet, kit: Kit): Promise<readonly Generated[]> {
  const context = {
    style: styleOf(set),
    repository: (url: string) => readRepository(sources, url, kit.world.clock.now()),
    clusters: clusterFacts(kit.cache, set.metadata.namespace ?? ''),
  }
  const all: Generated[] = []
  for (const generator of set.spec.generators) all.push({ generator, params: await generate(generator, context) })
  return all
}

/**
 * The repository loop keeps those that Applications and generators name. One that only parameters name is read here, when it
 * was not yet or is due.
 */
async function readRepository(sources: Sources, url: string, now: number): Promise<Repository> {
  const repository = sources.repository(url)
  const { ready, refreshedAtMs, trouble } = repository.state
  const isUnread = !ready && trouble === undefined
  if (isUnread || (refreshedAtMs !== undefined && now - refreshedAtMs > lookAgainMs)) await repository.refresh()
  return repository
}

interface CarriedOut {
  readonly refused: readonly string[]
  /** Something was changed by another meanwhile, in what may not wake the set: look again. */
  readonly overtaken: boolean
}

/** What the server refuses is told, and does not keep the others back. */
async function carryOut(kit: Kit, set: ApplicationSet, plan: Plan): Promise<CarriedOut> {
  const refused: string[] = []
  let overtaken = false
  const attempt = async (name: string, verb: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      const reason = verb === 'deleted' ? 'Deleted' : verb
      recordEvent(kit, {
        object: set,
        type: 'Normal',
        reason,
        message: `${verb[0]?.toUpperCase()}${verb.slice(1)} Application ${JSON.stringify(name)}`,
      })
    } catch (error) {
      overtaken ||= isConflict(error)
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return
      if (!(error instanceof ApiError) || error.code >= 500 || error.code === 429) throw error
      refused.push(`${name}: ${error.message}`)
    }
  }
  for (const application of plan.create)
    await attempt(application.metadata.name ?? '', 'created', () => kit.client.create(Application, application))
  for (const { next } of plan.update)
    await attempt(next.metadata.name ?? '', 'updated', () => kit.client.update(Application, next))
  for (const { metadata } of plan.remove) {
    const ref = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
    await attempt(ref.name, 'deleted', () =>
      kit.client.delete(Application, ref, { preconditions: { uid: metadata.uid ?? '' } }),
    )
  }
  return { refused, overtaken }
}

function verdictOf(set: ApplicationSet, plan: Plan, refused: readonly string[]): Verdict {
  const faults = [...plan.faults, ...refused]
  if (faults.length > 0)
    return { isError: true, reason: 'ApplicationValidationError', message: faults.slice(0, 10).join('; ') }
  if (plan.held !== undefined) return { isError: true, reason: 'DeletionHeld', message: plan.held }
  const type = set.spec.strategy?.type
  if (type !== undefined && type !== '' && type !== 'AllAtOnce' && type !== 'RollingSync')
    return {
      isError: true,
      reason: 'StrategyNotSupported',
      message: `strategy ${type} is not supported: all Applications are changed at once`,
    }
  return upToDate
}

interface News {
  readonly verdict: Verdict
  readonly rollout?: Rollout | undefined
}

async function report(kit: Kit, set: ApplicationSet, { verdict, rollout }: News): Promise<void> {
  const owned = kit.cache.ownedBy(Application, set.metadata.uid ?? '')
  const status = statusOf({ set, verdict, owned, rollout, now: kit.world.clock.now() })
  if (isEqual(status, set.status)) return
  const before = set.status?.conditions?.find((each) => each.type === 'ErrorOccurred')
  if (verdict.isError && before?.message !== verdict.message)
    recordEvent(kit, { object: set, type: 'Warning', reason: verdict.reason, message: verdict.message })
  await kit.client.updateStatus(ApplicationSet, { ...set, status })
}
