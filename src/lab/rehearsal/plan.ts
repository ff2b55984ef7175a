// What a change of the repository would do: a cluster is settled on one commit, then the same cluster is moved on to the
// other, which is what the real one will live through. Says what is added, changed and deleted, in which order, what fails
// and why, and how all is in the end.

import { isNotFound } from '#api'
import { keyText } from '#gitops/diff'
import { assertFiles, readCommitRange } from '#gitops/source'
import { Reporter, shownName } from './application-report.ts'
import { isInOrder } from './calm.ts'
import { type CheckOptions, outside, pinOf, type RehearsalOptions } from './check.ts'
import { assertSomething } from './nothing.ts'
import { addCounts, countPlans, objectPlans } from './object-plans.ts'
import type { ApplicationPlan, ObjectName, PlanReport } from './report.ts'
import { ownersIn, readScene, type Scene, type SceneApp } from './scene.ts'
import { createStage, type Settled, type Stage } from './stage.ts'
import { syncOrder } from './sync-order.ts'
import { warningsOf } from './warnings.ts'

export interface PlanOptions extends RehearsalOptions, Pick<CheckOptions, 'worktree'> {
  /** Default: where `to` has left the default branch. */
  readonly from?: string
  /** Default: HEAD. */
  readonly to?: string
}

/** Throws SourceError for what cannot be read. */
export async function runPlan(options: PlanOptions): Promise<PlanReport> {
  const { location, worktree, limitMs } = options
  const wish = { path: location, worktree, ...pick(options, 'from'), ...pick(options, 'to') }
  if (worktree) await assertFiles(location)
  const { from, to } = await outside((world) => readCommitRange(world, wish))
  const stage = await createStage({ ...options, pin: pinOf(options, from, false) })
  try {
    const settled = await stage.settle(limitMs)
    const before = await readScene(stage)
    const began = { ...settled, ...countInOrder(before) }
    await stage.moveTo(pinOf(options, to, worktree))
    const end = await stage.settle(limitMs)
    const after = await readScene(stage)
    assertSomething([before, after].map((scene) => ({ ...options, applications: playedIn(scene) })))
    const plans = await applicationPlans(stage, before, after)
    return reportOf(options, { from, to }, { stage, before, after, began, end, plans })
  } finally {
    await stage.stop()
  }
}

const pick = <K extends 'from' | 'to'>(options: PlanOptions, name: K): Pick<PlanOptions, K> =>
  options[name] === undefined ? ({} as Pick<PlanOptions, K>) : ({ [name]: options[name] } as Pick<PlanOptions, K>)

interface Played {
  readonly stage: Stage
  readonly before: Scene
  readonly after: Scene
  readonly began: PlanReport['before']
  readonly end: Settled
  readonly plans: readonly ApplicationPlan[]
}

function reportOf(
  options: PlanOptions,
  range: Pick<PlanReport, 'from' | 'to'>,
  { stage, before, after, began, end, plans }: Played,
): PlanReport {
  const counts = addCounts(plans.map((plan) => plan.counts))
  const inEnd = { ...end, ...countInOrder(after) }
  return {
    repository: options.name,
    path: options.path ?? '.',
    ...range,
    changes: plans.some(({ change }) => change !== 'unchanged'),
    inOrder: end.settled && inEnd.inOrder === inEnd.applications,
    warnings: warningsOf(before, plans),
    counts,
    before: began,
    end: inEnd,
    applications: plans.filter(({ change, after: app }) => change !== 'unchanged' || app?.inOrder === false),
    disruptions: stage.disruptions.list(),
    assumedKinds: stage.assumed.names,
  }
}

const countInOrder = ({ apps }: Scene): { readonly applications: number; readonly inOrder: number } => ({
  applications: apps.size,
  inOrder: [...apps.values()].filter(({ app }) => isInOrder(app)).length,
})

async function applicationPlans(stage: Stage, before: Scene, after: Scene): Promise<readonly ApplicationPlan[]> {
  const [formers, owners] = [ownersIn(before), ownersIn(after)]
  const reporter = new Reporter(stage)
  const isThere = await remaining(stage, reporter, { before, after })
  const names = new Map([...before.apps, ...after.apps].map(([key, { app }]) => [key, shownName(app)]))
  const sorted = [...names].sort(([, a], [, b]) => (a < b ? -1 : 1))
  const plans: ApplicationPlan[] = []
  for (const [key, name] of sorted) {
    const [was, is] = [before.apps.get(key), after.apps.get(key)]
    const pages = stage.diary.of(key)
    const passage = { before: was, after: is, pages, self: key }
    const objects = objectPlans({
      ...passage,
      formerOf: (id) => formers.get(id)?.state,
      ownerOf: (id) => owners.get(id)?.app,
      isStillThere: (id) => isThere.has(id),
    })
    const touched = new Set(objects.map(keyText))
    const order = syncOrder(pages, [is, was], (result) => result.hookType !== undefined || touched.has(keyText(result)))
    plans.push({
      name,
      change: was === undefined ? 'added' : is === undefined ? 'removed' : objects.length > 0 ? 'changed' : 'unchanged',
      ...(was === undefined ? {} : { before: stateOf(was) }),
      ...(is === undefined ? {} : { after: await reporter.report(is.app) }),
      counts: countPlans(objects),
      objects,
      order: objects.length === 0 ? [] : order,
    })
  }
  return plans
}

const stateOf = ({ app: { status = {} } }: SceneApp): { readonly sync: string; readonly health: string } => ({
  sync: status.sync?.status ?? 'Unknown',
  health: status.health?.status ?? 'Unknown',
})

/** Of the objects that git has no longer: those that are still there, asked of the cluster itself. */
async function remaining(
  stage: Stage,
  reporter: Reporter,
  { before, after }: { readonly before: Scene; readonly after: Scene },
): Promise<ReadonlySet<string>> {
  const there = new Set<string>()
  for (const [key, { states }] of before.apps)
    for (const [id, state] of states) {
      const isGone = after.apps.get(key)?.states.get(id)?.target === undefined
      if (isGone && state.live !== undefined && (await isInCluster(stage, reporter, state))) there.add(id)
    }
  return there
}

async function isInCluster(stage: Stage, reporter: Reporter, { group, kind, namespace, name }: ObjectName) {
  const found = await reporter.kindOf(group, kind)
  if (found === undefined) return false
  const ref = found.namespaced ? { namespace, name } : { name }
  return stage
    .ask((client) => client.get(found, ref))
    .then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    )
}

const playedIn = ({ apps }: Scene) => [...apps.values()].map(({ app, states }) => ({ app, objects: states.size }))
