// What to do next about the hooks that run before or after an application's objects are deleted, by their objects alone:
// wave by wave, each until it has succeeded. A hook that failed is made anew, later and later, until git mends it or
// somebody gives up on it. Pure.

import { healthWithoutOperators, isWorse, type Verdict } from '#gitops/health'
import { deletePoliciesOf, hookTypesOf, waveOf } from '#gitops/sync'
import { type AnyObject, parseTime } from '#objects'

export type DeleteHookType = 'PreDelete' | 'PostDelete'

export interface DeleteHook {
  readonly target: AnyObject
  readonly live: AnyObject | undefined
}

export interface HookQuestion {
  readonly hooks: readonly DeleteHook[]
  /** When the application was asked to go: hooks from before that are leftovers. */
  readonly deletedAt: number
  /** When a hook of this deletion failed for the first time. */
  readonly failedAt: number | undefined
  readonly now: number
}

export type HookDecision =
  | { readonly type: 'done' }
  | { readonly type: 'create'; readonly hooks: readonly AnyObject[] }
  /** Objects that have to make way for a hook of the same name. */
  | { readonly type: 'clear'; readonly objects: readonly AnyObject[] }
  /** Hooks run, or are on their way out: their events come by themselves. */
  | { readonly type: 'wait' }
  | { readonly type: 'failed'; readonly failures: readonly Failure[]; readonly againAt: number }

export interface Failure {
  readonly object: AnyObject
  readonly message: string
}

const firstRetryMs = 30_000
const longestRetryMs = 300_000

export function decideDeleteHooks(question: HookQuestion): HookDecision {
  const waves = [...new Set(question.hooks.map(({ target }) => waveOf(target)))].sort((a, b) => a - b)
  for (const wave of waves) {
    const decision = decideWave(
      question,
      question.hooks.filter(({ target }) => waveOf(target) === wave),
    )
    if (decision.type !== 'done') return decision
  }
  return { type: 'done' }
}

function decideWave(question: HookQuestion, hooks: readonly DeleteHook[]): HookDecision {
  const leftovers = hooks.flatMap(({ target, live }) =>
    live !== undefined && createdAt(live) < question.deletedAt && clearsBefore(target) ? [live] : [],
  )
  if (leftovers.length > 0) return { type: 'clear', objects: leftovers }
  const missing = hooks.filter(({ live }) => live === undefined)
  if (missing.length > 0) return { type: 'create', hooks: missing.map(({ target }) => target) }
  const states = hooks.flatMap(({ live }) => (live === undefined ? [] : [{ live, ...stateOf(live) }]))
  if (states.some(({ state }) => state === 'running')) return { type: 'wait' }
  const failed = states.filter(({ state }) => state === 'failed')
  return failed.length === 0 ? { type: 'done' } : decideRetry(question, failed)
}

const clearsBefore = (target: AnyObject): boolean => deletePoliciesOf(target).includes('BeforeHookCreation')
const createdAt = ({ metadata }: AnyObject): number => parseTime(metadata.creationTimestamp) ?? 0

function decideRetry(
  { failedAt, now }: HookQuestion,
  failed: readonly { readonly live: AnyObject; readonly message: string }[],
): HookDecision {
  // As long as it has been failing already: attempts come at 30 s, 60 s, 120 s, so nothing has to be counted.
  const dueAt = failed.map(({ live }) => {
    const failingMs = failedAt === undefined ? 0 : createdAt(live) - failedAt
    return createdAt(live) + Math.min(Math.max(failingMs, firstRetryMs), longestRetryMs)
  })
  const againAt = Math.max(...dueAt)
  if (failedAt !== undefined && now >= againAt) return { type: 'clear', objects: failed.map(({ live }) => live) }
  return {
    type: 'failed',
    failures: failed.map(({ live, message }) => ({ object: live, message })),
    againAt: Math.max(againAt, now + 1),
  }
}

function stateOf(live: AnyObject): {
  readonly state: 'running' | 'failed' | 'succeeded'
  readonly message: string
} {
  const verdict = healthWithoutOperators(live)
  const message = verdict?.message ?? ''
  if (verdict === undefined || verdict.status === 'Healthy') return { state: 'succeeded', message }
  const hasFailed = verdict.status === 'Degraded' || verdict.status === 'Unknown'
  return { state: hasFailed ? 'failed' : 'running', message }
}

/** Which of the hooks that have run are deleted now: by their policies, and by how all of them ended. */
export function decideTidying(hooks: readonly AnyObject[]): readonly AnyObject[] {
  const worst = hooks
    .map((hook): Verdict['status'] => healthWithoutOperators(hook)?.status ?? 'Healthy')
    .reduce((a, b) => (isWorse(b, a) ? b : a), 'Healthy')
  return hooks.filter((hook) => {
    const policies = deletePoliciesOf(hook)
    return (
      (worst === 'Healthy' && policies.includes('HookSucceeded')) ||
      (worst === 'Degraded' && policies.includes('HookFailed'))
    )
  })
}

export const isDeleteHook = (object: AnyObject, type: DeleteHookType): boolean => hookTypesOf(object).includes(type)

/** The hook as it is made: one with only a generateName has one name in each deletion. */
export function withDeleteHookName(target: AnyObject, type: DeleteHookType, deletedAt: number): AnyObject {
  const { generateName = '', ...metadata } = target.metadata
  if (metadata.name !== undefined && metadata.name !== '') return target
  const name = `${generateName}${type.toLowerCase()}-${Math.floor(deletedAt / 1000)}`
  return { ...target, metadata: { ...metadata, name } }
}
