// Writes to the destination cluster in the name of a sync: server-side apply by Argo CD's field manager (forced, git wins),
// prunes, and hooks with the finalizer that keeps them until their result is recorded.

import { isAlreadyExists } from '#api'
import { hasOption, hookFinalizer, type SyncCluster, type SyncTask } from '#gitops/sync'
import type { AppProject, Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Kit } from '#reconcile'
import { applyTarget } from './apply-target.ts'
import { validationOf } from './ask.ts'
import type { HealthOf } from './judge.ts'
import { findKind, missingKindText } from './kind-lookup.ts'
import { syncManager } from './names.ts'
import { mayManage } from './project.ts'
import { releaseHook, removeObject } from './remove-object.ts'

export interface DestinationInput {
  readonly kit: Kit
  readonly project: AppProject
  readonly options: readonly string[]
  readonly healthOf: HealthOf
}

export function destinationCluster(input: DestinationInput): SyncCluster {
  const { kit, options } = input
  const kindOf = (object: AnyObject): Kind => {
    const kind = findKind(kit.cache, object.apiVersion, object.kind)
    if (kind === undefined) throw new Error(missingKindText(object))
    return kind
  }
  return {
    async apply(task, { dryRun }) {
      const object = objectToApply(task)
      const kind = kindOf(object)
      const name = `${task.key.kind.toLowerCase()}${task.key.group === '' ? '' : `.${task.key.group}`}/${task.key.name}`
      if (hasOption(task.target, options, 'Replace=true'))
        return `${name} ${await replace(input, kind, { task, object, dryRun })}`
      await applyTarget(kit, kind, object, { dryRun, fieldValidation: validationOf(object, options) })
      return `${name} serverside-applied`
    },
    async prune({ live }) {
      if (live !== undefined) await removeObject(kit, live, propagationOf(options))
    },
    healthOf: input.healthOf,
    deleteHook: (hook) => removeObject(kit, hook, 'Background'),
    removeHookFinalizer: (hook) => releaseHook(kit, hook),
    kindFault: (task) => kindFault(input, task),
  }
}

function kindFault({ kit, project }: DestinationInput, { target, key }: SyncTask): string | undefined {
  if (target === undefined) return undefined
  const kind = findKind(kit.cache, target.apiVersion, target.kind)
  if (kind === undefined) return missingKindText(target)
  const isPermitted = mayManage(project, { ...key, namespaced: kind.namespaced })
  return isPermitted
    ? undefined
    : `resource ${key.group}:${key.kind} is not permitted in project ${project.metadata.name}.`
}

function objectToApply({ target, isHook }: SyncTask): AnyObject {
  if (target === undefined) throw new Error('a prune has nothing to apply')
  if (!isHook) return target
  const finalizers = [...new Set([...(target.metadata.finalizers ?? []), hookFinalizer])]
  return { ...target, metadata: { ...target.metadata, finalizers } }
}

const propagations = { foreground: 'Foreground', background: 'Background', orphan: 'Orphan' } as const

/** `PrunePropagationPolicy=…`; default foreground. */
export function propagationOf(options: readonly string[]): 'Foreground' | 'Background' | 'Orphan' {
  const text = options
    .find((option) => option.startsWith('PrunePropagationPolicy='))
    ?.slice('PrunePropagationPolicy='.length)
  return text === 'background' || text === 'orphan' ? propagations[text] : 'Foreground'
}

interface Replacement {
  readonly task: SyncTask
  readonly object: AnyObject
  readonly dryRun: boolean
}

/** `Replace=true`: a whole update instead of an apply; with `Force=true` by deleting and making anew. */
async function replace(
  { kit, options }: DestinationInput,
  kind: Kind,
  { task, object, dryRun }: Replacement,
): Promise<string> {
  const write = { dryRun, fieldManager: syncManager, fieldValidation: validationOf(object, options) }
  const live = task.live
  const isForced = hasOption(task.target, options, 'Force=true')
  if (live !== undefined && isForced) {
    if (dryRun) return 'replaced'
    await removeObject(kit, live, 'Background')
  } else if (live !== undefined) {
    const { resourceVersion } = live.metadata
    const metadata = { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    await kit.client.update(kind, { ...object, metadata }, write)
    return 'replaced'
  }
  try {
    await kit.client.create(kind, object, write)
  } catch (error) {
    // Its predecessor is still ending: tried again with the operation.
    if (isAlreadyExists(error))
      throw new Error(`${task.key.kind} ${task.key.name} is still being deleted`, { cause: error })
    throw error
  }
  return live === undefined ? 'created' : 'replaced'
}
