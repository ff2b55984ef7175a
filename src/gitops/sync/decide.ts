// What the next step of a sync is, by its tasks and their recorded results alone: wait, end, or take the next wave. Pure.
// Re-entered on every event until the sync has ended, as in Argo CD; it never sleeps.

import type { Verdict } from '#gitops/health'
import type { OperationPhase } from '#kinds'
import type { AnyObject } from '#objects'
import { hasOption } from './annotations.ts'
import { definedKind } from './build-tasks.ts'
import { hasFailed, isCompleted, isPending, isPrune, isRunning, type SyncTask, taskName, withResult } from './task.ts'

export type Decision =
  | { readonly type: 'wait'; readonly message: string }
  | { readonly type: 'end'; readonly phase: OperationPhase; readonly message: string }
  /** Some tasks failed: run the SyncFail phase (what of it is pending), then end with `message`. */
  | { readonly type: 'fail'; readonly tasks: readonly SyncTask[]; readonly message: string }
  | { readonly type: 'run'; readonly tasks: readonly SyncTask[]; readonly remaining: readonly SyncTask[] }

/** Tasks that are under way, with how their objects are by now: `verdicts` of live objects that have a health. */
export function observeRunning(
  tasks: readonly SyncTask[],
  verdicts: ReadonlyMap<AnyObject, Verdict | undefined>,
  options: readonly string[] = [],
): readonly SyncTask[] {
  const left = leftTasks(
    tasks.filter((task) => task.phase !== 'SyncFail'),
    options,
  )
  return tasks.map((task) => (isRunning(task) && !isPrune(task) && !left.has(task) ? observe(task, verdicts) : task))
}

function observe(task: SyncTask, verdicts: ReadonlyMap<AnyObject, Verdict | undefined>): SyncTask {
  const before = task.result?.message ?? ''
  if (task.live === undefined) {
    return withResult(task, {
      phase: 'Error',
      message: `Resource ${taskName(task)} is missing, it might have been deleted`,
    })
  }
  const verdict = verdicts.get(task.live)
  const message = verdict?.message ?? before
  switch (verdict?.status) {
    case undefined:
    case 'Healthy':
      return withResult(task, { phase: 'Succeeded', message: task.isHook ? message : before })
    case 'Degraded':
      return withResult(task, { phase: 'Failed', message })
    case 'Unknown':
      return task.isHook ? withResult(task, { phase: 'Failed', message }) : task
    default:
      return task.isHook && message !== before ? withResult(task, { phase: 'Running', message }) : task
  }
}

/** `options` are the application's. */
export function decideStep(all: readonly SyncTask[], options: readonly string[] = []): Decision {
  const tasks = all.filter((task) => task.phase !== 'SyncFail')
  const failed = tasks.filter((task) => isCompleted(task) && hasFailed(task))
  const awaited = awaitedTasks(all, options)
  if (awaited.length > 0 && failed.length === 0) return { type: 'wait', message: waitMessage(awaited) }
  const left = leftTasks(tasks, options)
  const terminating = tasks.filter(
    (task) =>
      task.result?.status === 'Pruned' && task.live?.metadata.deletionTimestamp !== undefined && !left.has(task),
  )
  if (terminating.length > 0 && failed.length === 0)
    return { type: 'wait', message: waitMessage(terminating, 'deletion of') }
  if (failed.length > 0) return failDecision(all, failed)
  const pending = tasks.filter(isPending)
  const [next] = pending
  if (next === undefined) return { type: 'end', phase: 'Succeeded', message: successMessage(tasks) }
  const wave = pending.filter((task) => isOfOneWave(task, next))
  const now = upToDefinitions(wave)
  return {
    type: 'run',
    tasks: now,
    remaining: tasks.filter((task) => (isPending(task) && !now.includes(task)) || (now.includes(task) && task.isHook)),
  }
}

const isOfOneWave = (a: SyncTask, b: SyncTask): boolean => a.phase === b.phase && a.wave === b.wave

/** Argo CD's words for a sync that left its last wave to itself, and for one that saw all of it done. */
const successMessage = (tasks: readonly SyncTask[]): string =>
  tasks.some(isRunning) ? 'successfully synced (all tasks run)' : 'successfully synced (no more tasks)'

/** Tasks under way that the sync waits for: hooks, what others come after, and whatever asks for it. */
export function awaitedTasks(all: readonly SyncTask[], options: readonly string[]): readonly SyncTask[] {
  const tasks = all.filter((task) => task.phase !== 'SyncFail')
  const left = leftTasks(tasks, options)
  const [first] = tasks
  const several = first !== undefined && tasks.some((task) => !isOfOneWave(task, first))
  return tasks.filter(
    (task) =>
      isRunning(task) &&
      !left.has(task) &&
      (several || task.isHook || isAwaited(task, tasks) || isGated(task, options)),
  )
}

/** The last wave is left to itself once it is applied, unless hooks are in it, or an object of it shall be waited for. */
function leftTasks(tasks: readonly SyncTask[], options: readonly string[]): ReadonlySet<SyncTask> {
  const end = tasks.at(-1)
  const wave = end === undefined ? [] : tasks.filter((task) => isOfOneWave(task, end))
  if (wave.some(({ isHook }) => isHook)) return new Set()
  return new Set(wave.filter((task) => !isAwaited(task, tasks) && !isGated(task, options)))
}

const isGated = ({ target }: SyncTask, options: readonly string[]): boolean =>
  hasOption(target, options, 'WaitForHealthy=true')

/** Objects of a kind can only be applied once its definition is served, so a wave is cut behind definitions. */
function upToDefinitions(wave: readonly SyncTask[]): readonly SyncTask[] {
  const defined = wave.flatMap((task) => (task.target === undefined ? [] : (definedKind(task.target) ?? [])))
  const isUser = (task: SyncTask): boolean =>
    defined.some(({ group, kind }) => task.key.group === group && task.key.kind === kind)
  const first = wave.findIndex(isUser)
  return first < 0 ? wave : wave.slice(0, first)
}

/** A definition that objects behind it need. */
function isAwaited(task: SyncTask, tasks: readonly SyncTask[]): boolean {
  const defined = task.target === undefined ? undefined : definedKind(task.target)
  return (
    defined !== undefined &&
    tasks.some((each) => isPending(each) && each.key.group === defined.group && each.key.kind === defined.kind)
  )
}

function failDecision(all: readonly SyncTask[], failed: readonly SyncTask[]): Decision {
  const hooks = all.filter((task) => task.phase === 'SyncFail')
  const message = failMessage('one or more synchronization tasks completed unsuccessfully', failed)
  const running = hooks.filter(isRunning)
  if (running.length > 0) return { type: 'wait', message: waitMessage(running) }
  const pending = hooks.filter(isPending)
  return pending.length > 0 ? { type: 'fail', tasks: pending, message } : { type: 'end', phase: 'Failed', message }
}

/** `text, reason: first,second`, as Argo CD says it. */
export function failMessage(text: string, failed: readonly SyncTask[]): string {
  const reasons = [...new Set(failed.map((task) => task.result?.message ?? '').filter((reason) => reason !== ''))]
  return reasons.length === 0 ? text : `${text}, reason: ${reasons.join(',')}`
}

/** Nothing is left to be written: what follows is the end. */
export const allRun = 'all tasks run'

const confirmation = 'waiting for pruning confirmation of '

/** What is waited for is a person's word, however long that takes. */
export const isForPeople = (message: string | undefined): boolean => message?.startsWith(confirmation) === true

export function waitMessage(tasks: readonly SyncTask[], verb?: 'deletion of' | 'pruning confirmation of'): string {
  const [first] = tasks
  if (first === undefined) return ''
  const waitingFor = verb ?? (first.isHook ? 'completion of hook' : 'healthy state of')
  const more = tasks.length - 1
  return `waiting for ${waitingFor} ${taskName(first)}${more > 0 ? ` and ${more} more ${first.isHook ? 'hooks' : 'resources'}` : ''}`
}
