// Tries everything before anything is written: kinds that there are and that may be written, and a dry run of each object. A dry
// run of the whole operation ends with this.

import { isForbidden } from '#api'
import type { OperationPhase } from '#kinds'
import { hasOption } from './annotations.ts'
import { definedKind } from './build-tasks.ts'
import { failMessage } from './decide.ts'
import type { Working } from './sync-cluster.ts'
import { hasFailed, isPrune, type SyncTask, withResult } from './task.ts'
import { failed, pruneIgnored } from './write-tasks.ts'

export interface Tried {
  readonly tasks: readonly SyncTask[]
  /** How the operation ends; undefined: nothing speaks against it. */
  readonly end?: { readonly phase: OperationPhase; readonly message: string }
}

export async function tryTasks(working: Working, tasks: readonly SyncTask[]): Promise<Tried> {
  const invalid = tasks.map((task) => kindChecked(working, task, tasks))
  if (invalid.some(hasFailed)) {
    const message = failMessage('one or more synchronization tasks are not valid', invalid.filter(hasFailed))
    return { tasks: invalid, end: { phase: 'Failed', message } }
  }
  const tried: SyncTask[] = []
  for (const task of tasks)
    tried.push(isPrune(task) || skipsDryRun(working, task, tasks) ? task : await tryApply(working, task, tasks))
  const refused = tried.filter(hasFailed)
  if (refused.length > 0) {
    const message = failMessage('one or more objects failed to apply (dry run)', refused)
    return { tasks: tried, end: { phase: 'Failed', message } }
  }
  if (!working.input.dryRun) return { tasks }
  return {
    tasks: tried.map((task) => withResult(task, dryRunResult(working, task))),
    end: { phase: 'Succeeded', message: 'successfully synced (all tasks run)' },
  }
}

function dryRunResult(working: Working, task: SyncTask): Parameters<typeof withResult>[1] {
  const { kind, name } = task.key
  if (!isPrune(task)) return { code: 'Synced', phase: 'Succeeded', message: `${kind.toLowerCase()}/${name} (dry run)` }
  const ignored = pruneIgnored(working, task)
  return ignored === undefined
    ? { code: 'Pruned', phase: 'Succeeded', message: 'pruned (dry run)' }
    : { code: 'PruneSkipped', phase: 'Succeeded', message: `${ignored} (dry run)` }
}

function kindChecked({ input, cluster }: Working, task: SyncTask, tasks: readonly SyncTask[]): SyncTask {
  if (isPrune(task)) return task
  const mayBeMissing =
    isDefinedAmong(tasks, task) || hasOption(task.target, input.options, 'SkipDryRunOnMissingResource=true')
  const fault = cluster.refusal(task) ?? (mayBeMissing ? undefined : cluster.kindFault(task))
  return fault === undefined ? task : withResult(task, { code: 'SyncFailed', phase: 'Failed', message: fault })
}

const isDefinedAmong = (tasks: readonly SyncTask[], task: SyncTask): boolean =>
  tasks.some((each) => {
    const defined = each.target === undefined ? undefined : definedKind(each.target)
    return defined !== undefined && defined.group === task.key.group && defined.kind === task.key.kind
  })

/** Its kind or namespace does not exist yet, but is a part of this very sync. */
const skipsDryRun = ({ cluster }: Working, task: SyncTask, tasks: readonly SyncTask[]): boolean =>
  cluster.kindFault(task) !== undefined ||
  tasks.some(
    ({ key, live, target }) =>
      key.kind === 'Namespace' &&
      key.group === '' &&
      target !== undefined &&
      live === undefined &&
      key.name === task.key.namespace,
  )

/** What admission goes by. */
const limiting = new Set([
  'LimitRange',
  'Namespace',
  'PriorityClass',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
  'StorageClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])

/** Another object of this very sync may let in what is refused before that one is written: a quota that is raised. */
const mayYetBeAdmitted = (task: SyncTask, tasks: readonly SyncTask[]): boolean =>
  tasks.some(
    ({ key: { kind, namespace }, unchanged }) =>
      limiting.has(kind) && unchanged !== true && (namespace === '' || namespace === task.key.namespace),
  )

async function tryApply({ cluster }: Working, task: SyncTask, tasks: readonly SyncTask[]): Promise<SyncTask> {
  try {
    await cluster.apply(task, { dryRun: true })
    return task
  } catch (error) {
    return isForbidden(error) && mayYetBeAdmitted(task, tasks) ? task : failed(task, error)
  }
}
