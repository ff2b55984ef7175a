// What becomes of the objects of one application on the way from one commit to another. Pure.

import type { ManagedState } from '#gitops'
import { type Difference, findDifferences, keyText, maskSecrets, normalise } from '#gitops/diff'
import type { ResourceResult } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { Pages } from './diary.ts'
import type { FieldChange, ObjectName, ObjectPlan, PlanCounts } from './report.ts'
import type { SceneApp } from './scene.ts'

export interface Passage {
  readonly before: SceneApp | undefined
  readonly after: SceneApp | undefined
  readonly pages: Pages
  /** What another application had of an object before the move, by `keyText`. */
  readonly formerOf: (id: string) => ManagedState | undefined
  /** Whose git has an object after the move. */
  readonly ownerOf: (id: string) => string | undefined
  /** The application itself, as `ownerOf` names it. */
  readonly self: string
  /** Of an object that git no longer has: whether it is still in the cluster. */
  readonly isStillThere: (id: string) => boolean
}

export function objectPlans(passage: Passage): readonly ObjectPlan[] {
  const { before, after } = passage
  const ids = new Set([
    ...(before?.states.keys() ?? []),
    ...(after?.states.keys() ?? []),
    ...passage.pages.differing.keys(),
  ])
  const plans = [...ids].flatMap((id): readonly ObjectPlan[] => {
    const [was, is] = [before?.states.get(id), after?.states.get(id)]
    if (is?.target === undefined) return was?.target === undefined ? [] : [left(passage, id, was)]
    return arrived(passage, id, { was: was ?? passage.formerOf(id), is })
  })
  return plans.sort(byImportance)
}

const nameOf = ({ group, kind, namespace, name }: ObjectName): ObjectName => ({ group, kind, namespace, name })

/** Git has it no longer. */
function left({ ownerOf, self, isStillThere }: Passage, id: string, was: ManagedState): ObjectPlan {
  const owner = ownerOf(id)
  const plan = { ...nameOf(was), fields: [] }
  if (owner !== undefined && owner !== self)
    return { ...plan, change: 'moved', outcome: 'done', message: `to Application ${shortOwner(owner)}` }
  return { ...plan, change: isStillThere(id) ? 'kept' : 'removed', outcome: 'done' }
}

const shortOwner = (owner: string): string => owner.replace(/^argocd\//, '')

interface States {
  readonly was: ManagedState | undefined
  readonly is: ManagedState
}

/** Git has it, and perhaps another way than before. */
function arrived({ pages }: Passage, id: string, { was, is }: States): readonly ObjectPlan[] {
  const isThere = is.live !== undefined
  const failure = failureOf(pages, is) ?? (isThere && !is.modified ? undefined : is.refusal)
  const told = { ...nameOf(is), ...(failure === undefined ? {} : { message: failure }) }
  const isNew = was?.target === undefined ? was?.live === undefined : was.live === undefined && isThere
  if (isNew) {
    const [shown] = maskSecrets(is.live ?? is.predicted ?? is.target)
    const manifest = shown === undefined ? {} : { manifest: normalise(shown) }
    return [{ ...told, change: 'added', outcome: outcomeOf(failure, isThere), fields: [], ...manifest }]
  }
  if (isEqual(was?.target, is.target)) return []
  const seen = was?.live === undefined ? declared(was?.target, is.target) : pages.differing.get(id)?.differences
  const fields = fieldsOf(seen ?? [])
  // Written otherwise, and the same to the API server.
  if (fields.length === 0 && failure === undefined) return []
  return [{ ...told, change: 'changed', outcome: outcomeOf(failure, isThere && !is.modified), fields }]
}

/** Of what never came to be only git can tell. */
function declared(was: AnyObject | undefined, is: AnyObject | undefined): readonly Difference[] {
  const [before, after] = maskSecrets(was, is)
  return findDifferences({ live: before && normalise(before), desired: after && normalise(after) })
}

const fieldsOf = (differences: readonly Difference[]): readonly FieldChange[] =>
  [...differences]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, live, desired }) => ({
      path,
      ...(live === undefined ? {} : { from: live }),
      ...(desired === undefined ? {} : { to: desired }),
    }))

const outcomeOf = (message: string | undefined, isDone: boolean): ObjectPlan['outcome'] =>
  message !== undefined ? 'failed' : isDone ? 'done' : 'blocked'

/** The last word on an object, if it is a bad one. */
function failureOf({ results }: Pages, name: ObjectName): string | undefined {
  let last: ResourceResult | undefined
  for (const result of results.values())
    if (result.hookType === undefined && keyText(result) === keyText(name)) last = result
  return last?.status === 'SyncFailed' ? (last.message ?? 'the sync failed') : undefined
}

const outcomes = ['failed', 'blocked', 'done'] as const
const order = ['removed', 'changed', 'added', 'moved', 'kept'] as const

function byImportance(a: ObjectPlan, b: ObjectPlan): number {
  if (a.outcome !== b.outcome) return outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome)
  const place = order.indexOf(a.change) - order.indexOf(b.change)
  if (place !== 0) return place
  const [left, right] = [sortKey(a), sortKey(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const sortKey = ({ kind, namespace, name }: ObjectName): string => `${namespace} ${kind} ${name}`

const changes = ['added', 'changed', 'removed', 'kept', 'moved'] as const
const unlucky = ['failed', 'blocked'] as const

export function countPlans(objects: readonly ObjectPlan[]): PlanCounts {
  const counts = noCounts()
  for (const { change, outcome } of objects) {
    counts[change] += 1
    if (outcome !== 'done') counts[outcome] += 1
  }
  return counts
}

export function addCounts(all: readonly PlanCounts[]): PlanCounts {
  const sum = noCounts()
  for (const counts of all) for (const each of [...changes, ...unlucky]) sum[each] += counts[each]
  return sum
}

const noCounts = (): Record<keyof PlanCounts, number> => ({
  ...{ added: 0, changed: 0, removed: 0, kept: 0, moved: 0, failed: 0, blocked: 0 },
})
