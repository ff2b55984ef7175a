// One thing that a sync has to do: apply an object in a phase and wave, or prune one. Tasks are made anew at every step
// from what git wants, what is there and which results were recorded; nothing else carries a sync on.

import type { ResourceKey } from '#gitops/diff'
import type { OperationPhase, ResourceResult, ResultCode, SyncPhase } from '#kinds'
import type { AnyObject } from '#objects'

/** An object of the application: wanted, there, or both. */
export interface SyncResource {
  readonly key: ResourceKey
  readonly version: string
  /** With namespace and tracking annotation filled in. */
  readonly target?: AnyObject
  readonly live?: AnyObject
  /** Target and live differ. */
  readonly modified: boolean
}

export interface SyncTask {
  readonly key: ResourceKey
  readonly version: string
  readonly phase: SyncPhase
  readonly wave: number
  readonly isHook: boolean
  /** Undefined: the object is to be pruned. */
  readonly target?: AnyObject
  readonly live?: AnyObject
  /** Live is what git wants already. */
  readonly unchanged?: true
  readonly result?: ResourceResult
}

export const isPrune = (task: SyncTask): boolean => task.target === undefined
export const isPending = (task: SyncTask): boolean => task.result?.hookPhase === undefined
export const isRunning = (task: SyncTask): boolean => task.result?.hookPhase === 'Running'
export const isCompleted = (task: SyncTask): boolean => !isPending(task) && !isRunning(task)
export const hasFailed = (task: SyncTask): boolean =>
  task.result?.hookPhase === 'Failed' || task.result?.hookPhase === 'Error'

/** Results belong to an object in a phase: one object may be a hook in several. */
export const resultKey = (
  result: Pick<ResourceResult, 'group' | 'kind' | 'namespace' | 'name' | 'syncPhase'>,
): string => `${result.syncPhase ?? 'Sync'} ${result.group}/${result.kind}/${result.namespace}/${result.name}`

export interface ResultParts {
  readonly code?: ResultCode
  readonly phase: OperationPhase
  readonly message: string
}

/** The task with what became of it. */
export function withResult(task: SyncTask, parts: ResultParts): SyncTask {
  const { key, version, phase } = task
  const code = parts.code ?? task.result?.status
  const result: ResourceResult = {
    group: key.group,
    version,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    ...(code === undefined ? {} : { status: code }),
    message: parts.message,
    ...(task.isHook ? { hookType: phase } : {}),
    hookPhase: parts.phase,
    syncPhase: phase,
  }
  return { ...task, result }
}

/** `apps/Deployment/web`, as sync messages name an object. */
export const taskName = ({ key }: SyncTask): string => `${key.group}/${key.kind}/${key.name}`
