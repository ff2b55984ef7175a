// What a sync asks of the cluster that it writes to, and what it was asked for.

import type { Verdict } from '#gitops/health'
import type { AnyObject } from '#objects'
import type { TaskInput } from './build-tasks.ts'
import type { SyncTask } from './task.ts'

export interface SyncInput extends TaskInput {
  readonly prune: boolean
  readonly dryRun: boolean
  readonly terminate: boolean
  /** The application says that prunes which ask for confirmation may go ahead. */
  readonly pruneConfirmed: boolean
}

/** Writes to the destination. Failures are thrown and become results. */
export interface SyncCluster {
  /** Server-side apply in the name of the reconciler. Resolves to the text of the result. */
  apply(task: SyncTask, options: { readonly dryRun: boolean }): Promise<string>
  prune(task: SyncTask): Promise<void>
  deleteHook(hook: AnyObject): Promise<void>
  removeHookFinalizer(hook: AnyObject): Promise<void>
  /** How an object is; undefined for what has no health. */
  healthOf(object: AnyObject): Verdict | undefined | Promise<Verdict | undefined>
  /** Why there are no objects of this kind; undefined when there are. */
  kindFault(task: SyncTask): string | undefined
  /** Why an object of a kind that is there may not be written, whatever git asks for. `apply` refuses it too. */
  refusal(task: SyncTask): string | undefined
}

/** What a step works with. */
export interface Working {
  readonly input: SyncInput
  readonly cluster: SyncCluster
}
