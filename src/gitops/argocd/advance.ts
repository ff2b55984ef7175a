// What becomes of an application's operation at one look: begun, stepped, retried, ended, or left waiting. Answers the
// next state; writing it is the loop's.

import { type Application, type Operation, type OperationState, revisionsIn } from '#kinds'
import type { Kit } from '#reconcile'
import { decideAutoSync } from './auto-sync.ts'
import type { Comparison } from './comparison.ts'
import type { Finding } from './conditions.ts'
import { errorText } from './conditions.ts'
import type { Observation } from './observe.ts'
import { afterStep, beginOperation, beginRetry, isInProgress, retryDueAt, supersede } from './operation.ts'
import { noSources, revisionText, sourceSet } from './source-set.ts'
import { stepOperation } from './step.ts'
import type { Eyes } from './wanted.ts'
import { blockOfAutomation, blockOfOperation, windowFaultsOf } from './window-gate.ts'

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
  const faults = windowFaultsOf({ app, kit })
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

function automate({ app, kit }: AdvanceInput, comparison: Comparison): Advance {
  const now = kit.world.clock.now()
  const state = app.status?.operationState
  const { finding, operation, wakeAt } = decideAutoSync({ app, comparison, now })
  const findings = finding === undefined ? [] : [finding]
  const wake = wakeAt === undefined ? {} : { wakeAt }
  if (operation === undefined) return { operation, state, findings, ...wake }
  const block = blockOfAutomation({ app, kit })
  if (block !== undefined) return { operation: undefined, state, findings: [...findings, block.finding], ...block.wake }
  return { operation, state: beginOperation(operation, now), findings }
}

async function goOn(input: AdvanceInput, state: OperationState): Promise<Advance> {
  const { app, kit, observation } = input
  const now = kit.world.clock.now()
  const operation = app.operation ?? state.operation
  const dueAt = retryDueAt(state)
  const isEnding = state.phase === 'Terminating'
  if (dueAt !== undefined && !isEnding) {
    const newer = newerRevision(state, observation)
    if (newer !== undefined) return { operation: undefined, state: supersede(state, newer, now), findings: [] }
    if (now < dueAt) return { operation, state, findings: [], wakeAt: dueAt }
  }
  // A terminated operation may end at any time: what it leaves undone is no sync.
  const block = isEnding ? undefined : blockOfOperation({ app, kit }, state)
  if (block !== undefined)
    return { operation, state: { ...state, message: block.message }, findings: [], ...block.wake }
  const running = dueAt === undefined ? state : beginRetry(state)
  const next = await step(input, running)
  if (next === undefined) return { operation, state, findings: [], wakeAt: now + cacheSoonMs }
  if (!isInProgress(next)) return { operation: undefined, state: next, findings: [] }
  return { operation, state: next, findings: [], wakeAt: retryDueAt(next) ?? now + backstopMs }
}

/** An automated operation that waits for another attempt makes way for a newer commit. */
function newerRevision(state: OperationState, observation: AdvanceInput['observation']): string | undefined {
  if (state.operation.initiatedBy?.automated !== true || observation.type !== 'compared') return undefined
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
      now,
    })
  }
  const { project, comparison, desired } = observation
  const result = await stepOperation({ eyes, kit, app, project, state, comparison, desired })
  return result === undefined ? undefined : afterStep(state, { ...result, now })
}
