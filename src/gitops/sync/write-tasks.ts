// Writes what a step has decided: applies, prunes and the deletion of hooks. A failure becomes a result of its task.

import { hasOption, hookFinalizer } from './annotations.ts'
import type { SyncCluster, Working } from './sync-cluster.ts'
import { isCompleted, type SyncTask, withResult } from './task.ts'

export const failed = (task: SyncTask, error: unknown): SyncTask =>
  withResult(task, {
    code: 'SyncFailed',
    phase: 'Failed',
    message: error instanceof Error ? error.message : String(error),
  })

export async function applyAll({ cluster }: Working, tasks: readonly SyncTask[]): Promise<readonly SyncTask[]> {
  const done: SyncTask[] = []
  for (const task of tasks) done.push(await apply(cluster, task))
  return done
}

async function apply(cluster: SyncCluster, task: SyncTask): Promise<SyncTask> {
  try {
    const message = await cluster.apply(task, { dryRun: false })
    return withResult(task, { code: 'Synced', phase: 'Running', message })
  } catch (error) {
    return failed(task, error)
  }
}

export async function pruneAll(working: Working, tasks: readonly SyncTask[]): Promise<readonly SyncTask[]> {
  const done: SyncTask[] = []
  for (const task of tasks) {
    const ignored = pruneIgnored(working, task)
    done.push(
      ignored === undefined
        ? await prune(working.cluster, task)
        : withResult(task, { code: 'PruneSkipped', phase: 'Succeeded', message: ignored }),
    )
  }
  return done
}

async function prune(cluster: SyncCluster, task: SyncTask): Promise<SyncTask> {
  try {
    if (task.live?.metadata.deletionTimestamp === undefined) await cluster.prune(task)
    return withResult(task, { code: 'Pruned', phase: 'Succeeded', message: 'pruned' })
  } catch (error) {
    return failed(task, error)
  }
}

/** Why an object stays although git no longer has it. */
export function pruneIgnored({ input }: Working, task: SyncTask): string | undefined {
  if (hasOption(task.live, input.options, 'Prune=false')) return 'ignored (no prune)'
  return input.prune ? undefined : 'ignored (requires pruning)'
}

export async function clearHooks({ cluster }: Working, tasks: readonly SyncTask[]): Promise<void> {
  for (const { live } of tasks) {
    if (live === undefined) continue
    if (live.metadata.finalizers?.includes(hookFinalizer) === true) await cluster.removeHookFinalizer(live)
    if (live.metadata.deletionTimestamp === undefined) await cluster.deleteHook(live)
  }
}

/** The finalizer keeps a hook until its result is recorded; recorded ones are let go. */
export async function releaseHooks({ cluster }: Working, tasks: readonly SyncTask[]): Promise<void> {
  for (const task of tasks) {
    if (!task.isHook || !isCompleted(task) || task.live?.metadata.finalizers?.includes(hookFinalizer) !== true) continue
    await cluster.removeHookFinalizer(task.live)
  }
}
