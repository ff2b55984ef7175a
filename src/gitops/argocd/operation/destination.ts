// Writes to the destination cluster in the name of a sync: server-side apply by Argo CD's field manager (forced, git wins),
// prunes, and hooks with the finalizer that keeps them until their result is recorded.

import { isAlreadyExists, isInvalid } from '#api'
import { type Destination, missingKindText, scopeFault } from '#gitops/destinations'
import { hasOption, hookFinalizer, type SyncCluster, type SyncTask } from '#gitops/sync'
import type { AppProject, Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { syncManager } from '../application/names.ts'
import { validationOf } from '../comparison/ask.ts'
import type { HealthOf } from '../comparison/judge.ts'
import { permissionFault } from '../projects/project.ts'
import { applyTarget } from '../writing/apply-target.ts'
import { releaseHook, removeObject } from '../writing/remove-object.ts'
import { takeOver } from '../writing/take-over.ts'

export interface DestinationInput {
  readonly destination: Destination
  readonly project: AppProject
  readonly options: readonly string[]
  /** The operation says `force`: what cannot be changed is deleted and made anew. */
  readonly force: boolean
  readonly healthOf: HealthOf
}

export function destinationCluster(input: DestinationInput): SyncCluster {
  const { destination, options } = input
  const kindOf = (object: AnyObject): Kind => {
    const kind = destination.kindOf(object.apiVersion, object.kind)
    if (kind === undefined) throw new Error(missingKindText(object))
    return kind
  }
  return {
    async apply(task, { dryRun }) {
      const refusal = refusalOf(input, task)
      if (refusal !== undefined) throw new Error(refusal)
      const object = objectToApply(task)
      const kind = kindOf(object)
      const name = `${task.key.kind.toLowerCase()}${task.key.group === '' ? '' : `.${task.key.group}`}/${task.key.name}`
      const writing: Writing = { kind, task, object, dryRun, isForced: isForced(input, task) }
      return `${name} ${await (hasOption(task.target, options, 'Replace=true') ? replace(input, writing) : apply(input, writing))}`
    },
    async prune({ live }) {
      if (live !== undefined) await removeObject(destination, live, propagationOf(options))
    },
    healthOf: input.healthOf,
    deleteHook: (hook) => removeObject(destination, hook, 'Background'),
    removeHookFinalizer: (hook) => releaseHook(destination, hook),
    kindFault: ({ target }) =>
      target === undefined || destination.kindOf(target.apiVersion, target.kind) !== undefined
        ? undefined
        : missingKindText(target),
    refusal: (task) => refusalOf(input, task),
  }
}

/** Nothing can be said of a kind before it is there, so this is asked again by every write. */
function refusalOf({ destination, project }: DestinationInput, { target, key }: SyncTask): string | undefined {
  const kind = target === undefined ? undefined : destination.kindOf(target.apiVersion, target.kind)
  if (kind === undefined) return undefined
  const outOfReach = scopeFault(destination.cluster, { ...key, namespace: kind.namespaced ? key.namespace : '' })
  if (outOfReach !== undefined) return outOfReach
  return permissionFault(project, destination.cluster, { ...key, namespaced: kind.namespaced })
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

interface Writing {
  readonly kind: Kind
  readonly task: SyncTask
  readonly object: AnyObject
  readonly dryRun: boolean
  readonly isForced: boolean
}

const isForced = ({ force, options }: DestinationInput, { target }: SyncTask): boolean =>
  force || hasOption(target, options, 'Force=true')

async function apply(input: DestinationInput, writing: Writing): Promise<string> {
  const { destination, options } = input
  const { kind, task, object, dryRun, isForced } = writing
  try {
    if (task.live !== undefined && !dryRun)
      await takeOver(destination, kind, { live: task.live, target: object, options })
    await applyTarget(destination, kind, { target: object, dryRun, fieldValidation: validationOf(object, options) })
    return 'serverside-applied'
  } catch (error) {
    if (!isForced || task.live === undefined || !isInvalid(error)) throw error
    return makeAnew(input, writing)
  }
}

/** `Replace=true`: a whole update instead of an apply; where it is forced, by deleting and making anew. */
async function replace(input: DestinationInput, writing: Writing): Promise<string> {
  const { kind, task, object, isForced } = writing
  const { live } = task
  if (live === undefined) return create(input, writing, 'created')
  if (isForced) return makeAnew(input, writing)
  const { resourceVersion } = live.metadata
  const metadata = { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  await input.destination.client.update(kind, { ...object, metadata }, writeOptions(input, writing))
  return 'replaced'
}

async function makeAnew(input: DestinationInput, writing: Writing): Promise<string> {
  const { live } = writing.task
  if (writing.dryRun || live === undefined) return 'replaced'
  await removeObject(input.destination, live, 'Background')
  return create(input, writing, 'replaced')
}

async function create(input: DestinationInput, writing: Writing, done: string): Promise<string> {
  const { kind, task, object } = writing
  try {
    await input.destination.client.create(kind, object, writeOptions(input, writing))
    return done
  } catch (error) {
    // Its predecessor is still ending: tried again with the operation.
    if (isAlreadyExists(error))
      throw new Error(`${task.key.kind} ${task.key.name} is still being deleted`, { cause: error })
    throw error
  }
}

const writeOptions = ({ options }: DestinationInput, { object, dryRun }: Writing) => ({
  dryRun,
  fieldManager: syncManager,
  fieldValidation: validationOf(object, options),
})
