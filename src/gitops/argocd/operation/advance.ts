// What becomes of an application's operation at one look: begun, stepped, retried, ended, or left waiting. Answers the
// next state; writing it is the loop's.

import { allRun, isForPeople } from '#gitops/sync'
import { type Application, type Operation, type OperationState, revisionsIn } from '#kinds'
import { formatTime } from '#objects'
import type { Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { errorText } from '../application/conditions.ts'
import { noSources, revisionText, sourceSet } from '../application/source-set.ts'
import type { Comparison } from '../comparison/comparison.ts'
import type { Observation } from '../observation/observe.ts'
import type { Eyes } from '../observation/wanted.ts'
import { type Block, blockOfAutomation, blockOfOperation, windowFaultsOf } from '../projects/window-gate.ts'
import { decideAutoSync } from './auto-sync.ts'
import { type Budget, budgetFaults, budgetOf } from './budget.ts'
import { blockOfDependencies, dependencyFaultsOf } from './dependency-gate.ts'
import {
  afterStep,
  beginOperation,
  beginRetry,
  isInProgress,
  isUntouched,
  overdue,
  retriesNewest,
  retryDueAt,
  supersede,
} from './operation.ts'
import { stepOperation } from './step.ts'

export interface Advance {
  /** Undefined: none, or taken away. */
  readonly operation: Operation | undefined
  readonly state: OperationState | undefined
  readonly findings: readonly Finding[]
  /** World time at which to look again. */
  readonly wakeAt?: number
}

export interface AdvanceInput {
  readonly eyes: Eyes
  readonly kit: Kit
  readonly app: Application
  readonly observation: Exclude<Observation, { readonly type: 'waiting' }>
}

/** Events should come first; this only catches what none told of. */
const backstopMs = 30_000
const cacheSoonMs = 10

export async function advance(input: AdvanceInput): Promise<Advance> {
  const { app, kit } = input
  const next = await decideNext(input)
  const faults = [...windowFaultsOf({ app, kit }), ...dependencyFaultsOf({ app, kit }), ...budgetFaults(app, kit.cache)]
  return faults.length === 0 ? next : { ...next, findings: [...next.findings, ...faults] }
}

async function decideNext(input: AdvanceInput): Promise<Advance> {
  const { app, kit, observation } = input
  const { operation } = app
  const state = app.status?.operationState
  if (isInProgress(state)) return goOn(input, state)
  if (operation !== undefined)
    return { operation, state: beginOperation(operation, kit.world.clock.now()), findings: [] }
  if (observation.type === 'failed' || !observation.desired.mayApply) return { operation, state, findings: [] }
  return automate(input, observation.comparison)
}

function automate({ eyes, app, kit }: AdvanceInput, comparison: Comparison): Advance {
  const now = kit.world.clock.now()
  const state = app.status?.operationState
  const { finding, operation, wakeAt } = decideAutoSync({ app, comparison, now })
  const findings = finding === undefined ? [] : [finding]
  const wake = wakeAt === undefined ? {} : { wakeAt }
  if (operation === undefined) return { operation, state, findings, ...wake }
  const block = blockOfAutomation({ app, kit }) ?? blockOfDependencies({ app, kit, memory: eyes.memory })
  if (block !== undefined) return { operation: undefined, state, findings: [...findings, block.finding], ...block.wake }
  return { operation, state: beginOperation(operation, now), findings }
}

async function goOn(input: AdvanceInput, before: OperationState): Promise<Advance> {
  const { app, kit, observation } = input
  const now = kit.world.clock.now()
  const operation = app.operation ?? before.operation
  const isEnding = before.phase === 'Terminating'
  const dueAt = isEnding ? undefined : retryDueAt(before)
  const newer = dueAt === undefined ? undefined : newerRevision(before, observation)
  if (newer !== undefined) return { operation: undefined, state: supersede(before, newer, now), findings: [] }
  const isWaiting = dueAt !== undefined && now < dueAt
  // What writes nothing more may end at any time: what a terminated operation leaves undone is no sync.
  const isLast = isEnding || before.message === allRun
  const block = isLast || isWaiting ? undefined : blockOf(input, before)
  if (block !== undefined)
    return { operation, state: { ...before, message: block.message }, findings: [], ...block.wake }
  // What waited to begin begins now.
  const state = isUntouched(before) && before.message !== '' ? { ...before, startedAt: formatTime(now) } : before
  const budget = budgetOf(app, state, kit.cache)
  if (budget !== undefined && now >= budget.until && !isEnding && !isForPeople(state.message))
    return giveUp(input, state, budget)
  if (isWaiting) return { operation, state, findings: [], wakeAt: earlier(dueAt, budget, now) }
  const next = await step(input, dueAt === undefined ? state : beginRetry(state))
  if (next === undefined) return { operation, state, findings: [], wakeAt: now + cacheSoonMs }
  if (!isInProgress(next)) return { operation: undefined, state: next, findings: [] }
  return { operation, state: next, findings: [], wakeAt: earlier(retryDueAt(next) ?? now + backstopMs, budget, now) }
}

/** What keeps an operation from going on, or from beginning. */
function blockOf({ eyes: { memory }, app, kit }: AdvanceInput, state: OperationState): Block | undefined {
  const waits = isUntouched(state) && state.operation.sync?.dryRun !== true
  return blockOfOperation({ app, kit }, state) ?? (waits ? blockOfDependencies({ app, kit, memory }) : undefined)
}

/** The end of a budget that is over already (somebody's word is waited for) wakes nobody. */
const earlier = (at: number, budget: Budget | undefined, now: number): number =>
  budget !== undefined && budget.until > now ? Math.min(at, budget.until) : at

/** Its hooks are stopped, as when somebody terminates it. */
async function giveUp(input: AdvanceInput, state: OperationState, budget: Budget): Promise<Advance> {
  const { app, kit } = input
  const now = kit.world.clock.now()
  const isWaiting = retryDueAt(state) !== undefined
  const stopped = isWaiting ? state : await step(input, { ...state, phase: 'Terminating' })
  if (stopped === undefined)
    return { operation: app.operation ?? state.operation, state, findings: [], wakeAt: now + cacheSoonMs }
  const { message = '' } = state
  return { operation: undefined, state: overdue({ ...stopped, message }, budget, now), findings: [] }
}

/** An automated operation that waits for another attempt makes way for a newer commit. */
function newerRevision(state: OperationState, observation: AdvanceInput['observation']): string | undefined {
  if (state.operation.initiatedBy?.automated !== true || !retriesNewest(state)) return undefined
  if (observation.type !== 'compared') return undefined
  const newest = observation.comparison.resolved.revisions.join(', ')
  return state.syncResult === undefined || revisionText(state.syncResult) === newest ? undefined : newest
}

async function step(input: AdvanceInput, state: OperationState): Promise<OperationState | undefined> {
  const { eyes, kit, app, observation } = input
  const now = kit.world.clock.now()
  if (observation.type === 'failed') {
    const wanted = sourceSet(state.operation.sync ?? {}) ?? sourceSet(app.spec) ?? noSources
    const resolved = { ...wanted, revisions: revisionsIn(state.syncResult ?? state.operation.sync ?? {}) }
    return afterStep(state, {
      outcome: { phase: 'Error', message: errorText(observation.findings), results: state.syncResult?.resources ?? [] },
      resolved,
      app,
      now,
    })
  }
  const { project, comparison, desired, destination } = observation
  const result = await stepOperation({ eyes, kit, destination, app, project, state, comparison, desired })
  return result === undefined ? undefined : afterStep(state, { ...result, app, now })
}
