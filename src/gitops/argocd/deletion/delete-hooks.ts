// Runs the hooks of an application that is being deleted (PreDelete before its objects go, PostDelete after), and tidies
// them up at the end. Everything is read anew at each look, so a deletion goes on after a crash where it stood: hooks keep a
// finalizer until the tidying, so that one that ended and was removed meanwhile has not run for nothing.
// Reads: the repository, live objects.  Writes: hooks (apply, delete, finalizer), Events on the Application.

import { ApiError } from '#api'
import { type Destination, missingKindText } from '#gitops/destinations'
import { shownName } from '#gitops/diff'
import { hookFinalizer } from '#gitops/sync'
import { type Application, ConfigMap, Job, type Kind, Pod, Role, RoleBinding, Secret, ServiceAccount } from '#kinds'
import { type AnyObject, objectKey, parseTime } from '#objects'
import { type Kit, recordEvent } from '#reconcile'
import { errorText } from '../application/conditions.ts'
import { cleanupOf, instanceName } from '../application/names.ts'
import { LiveObjects } from '../comparison/live-objects.ts'
import type { Target } from '../desired/targets.ts'
import { type Eyes, loadWanted } from '../observation/wanted.ts'
import { permissionFault } from '../projects/project.ts'
import { applyTarget } from '../writing/apply-target.ts'
import { releaseHook, removeObject } from '../writing/remove-object.ts'
import {
  type DeleteHook,
  type DeleteHookType,
  decideDeleteHooks,
  decideTidying,
  type Failure,
  type HookDecision,
  isDeleteHook,
  withDeleteHookName,
} from './decide-delete-hooks.ts'

export interface Deletion {
  readonly kit: Kit
  readonly destination: Destination
  readonly app: Application
}

export type StageResult =
  | { readonly type: 'done' }
  /** Undefined faults: as they were. */
  | { readonly type: 'again'; readonly afterMs: number; readonly faults?: readonly string[] }

const cacheSoonMs = 10
const lookAgainMs = 10_000

interface Stage {
  readonly type: DeleteHookType
  readonly finalizer: string
}

export async function runDeleteHooks(eyes: Eyes, deletion: Deletion, stage: Stage): Promise<StageResult> {
  const { kit, app, destination } = deletion
  const again = (...faults: readonly string[]): StageResult => ({
    type: 'again',
    afterMs: lookAgainMs,
    faults: faults.map((fault) => stageFault(stage, fault)),
  })
  const wanted = await loadWanted(eyes, objectKey(app), deletion)
  if (wanted.type === 'waiting') return { type: 'again', afterMs: wanted.againMs ?? lookAgainMs }
  if (wanted.type === 'failed') return again(errorText(wanted.findings))
  const { desired, project } = wanted
  if (!desired.mayApply) return again(errorText(desired.findings))
  const targets = desired.targets.filter(({ object }) => isDeleteHook(object, stage.type))
  const refused = targets.flatMap(({ kind, key, object }) => {
    if (kind === undefined) return [missingKindText(object)]
    const { name = '' } = withDeleteHookName(object, stage.type, deletedAtOf(app)).metadata
    return permissionFault(project, destination.cluster, { ...key, name, namespaced: kind.namespaced }) ?? []
  })
  if (refused.length > 0) return again(...refused)
  const hooks = liveHooks(deletion, stage, targets)
  if (hooks === undefined) return { type: 'again', afterMs: cacheSoonMs }
  const now = kit.world.clock.now()
  const decision = decideDeleteHooks({ hooks, deletedAt: deletedAtOf(app), failedAt: failingSince(app), now })
  try {
    return await act(deletion, stage, { decision, hooks })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500 || error.code === 409) throw error
    return again(error.message)
  }
}

const deletedAtOf = ({ metadata }: Application): number => parseTime(metadata.deletionTimestamp) ?? 0

const failingSince = ({ status }: Application): number | undefined =>
  parseTime(status?.conditions?.find(({ type }) => type === 'DeletionError')?.lastTransitionTime)

const stageFault = ({ type, finalizer }: Stage, fault: string): string =>
  `error executing ${type === 'PreDelete' ? 'pre' : 'post'}-delete hooks: ${fault}. It is tried again; to go on without these hooks, remove the finalizer ${finalizer}`

/** Undefined while a kind is not known yet. */
function liveHooks(
  { destination, app }: Deletion,
  { type }: Stage,
  targets: readonly Target[],
): readonly DeleteHook[] | undefined {
  const live = new LiveObjects(destination)
  if (!targets.map(({ kind }) => kind === undefined || live.follow(kind)).every((known) => known)) return undefined
  return targets.map(({ key, kind, object }) => {
    const target = withDeleteHookName(object, type, deletedAtOf(app))
    const name = target.metadata.name ?? ''
    return { target, live: kind === undefined ? undefined : live.get(kind, { ...key, name }) }
  })
}

interface Decided {
  readonly decision: HookDecision
  readonly hooks: readonly DeleteHook[]
}

async function act(deletion: Deletion, stage: Stage, { decision, hooks }: Decided): Promise<StageResult> {
  const { kit, destination, app } = deletion
  const again: StageResult = { type: 'again', afterMs: lookAgainMs }
  switch (decision.type) {
    case 'wait':
      return again
    case 'create':
      for (const target of decision.hooks) await create(deletion, { target, type: stage.type })
      return again
    case 'clear':
      for (const object of decision.objects) await removeObject(destination, object, 'Background')
      return again
    case 'failed':
      return {
        type: 'again',
        afterMs: decision.againAt - kit.world.clock.now(),
        faults: [stageFault(stage, failureText(stage, decision.failures))],
      }
    case 'done':
      // Without a tidying to come, hooks are let go now.
      if (app.metadata.finalizers?.includes(cleanupOf(stage.finalizer)) !== true)
        for (const { live } of hooks) if (live !== undefined) await releaseHook(destination, live)
      return { type: 'done' }
  }
}

function failureText({ type }: Stage, failures: readonly Failure[]): string {
  const names = failures.map(({ object: { metadata } }) => `${metadata.namespace ?? ''}/${metadata.name}`)
  const reasons = failures.map(({ message }) => message).filter((message) => message !== '')
  const why = reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join('; ')})`
  return `${type} hook(s) failed: ${names.join(', ')}${why}`
}

async function create(
  { kit, destination, app }: Deletion,
  { target, type }: { readonly target: AnyObject; readonly type: DeleteHookType },
): Promise<void> {
  const kind = destination.kindOf(target.apiVersion, target.kind)
  if (kind === undefined) return
  const finalizers = [...new Set([...(target.metadata.finalizers ?? []), hookFinalizer])]
  const object = { ...target, metadata: { ...target.metadata, finalizers } }
  await applyTarget(destination, kind, { target: object, dryRun: false, fieldValidation: 'Strict' })
  const { namespace = '', name = '' } = target.metadata
  const message = `created ${type} hook ${shownName({ group: '', kind: target.kind, namespace, name })}`
  recordEvent(kit, { object: app, type: 'Normal', reason: 'HookCreated', message })
}

/** What hooks usually are. They are looked for by tracking, since git may have other hooks by now, or none. */
const usualKinds: readonly Kind[] = [Job, Pod, ConfigMap, Secret, ServiceAccount, Role, RoleBinding]

/** Live hooks of a type; undefined while a kind is not known yet. */
export function findDeleteHooks(
  eyes: Eyes,
  { destination, app }: Deletion,
  type: DeleteHookType,
): readonly AnyObject[] | undefined {
  const live = new LiveObjects(destination)
  const remembered = eyes.memory.find(objectKey(app))?.comparison?.hooks ?? []
  const kinds = new Set(usualKinds)
  for (const { apiVersion, kind } of remembered) {
    const found = destination.kindOf(apiVersion, kind)
    if (found !== undefined && !usualKinds.some((each) => each.kind === found.kind)) kinds.add(found)
  }
  if (![...kinds].map((kind) => live.follow(kind)).every((known) => known)) return undefined
  return [...kinds].flatMap((kind) =>
    live.tracked(kind, instanceName(app)).filter((object) => isDeleteHook(object, type)),
  )
}

/** Lets the hooks go that have run, and deletes those whose policy says so. */
export async function tidyDeleteHooks(eyes: Eyes, deletion: Deletion, type: DeleteHookType): Promise<StageResult> {
  const hooks = findDeleteHooks(eyes, deletion, type)
  if (hooks === undefined) return { type: 'again', afterMs: cacheSoonMs }
  const going = decideTidying(hooks)
  for (const hook of hooks) {
    if (going.includes(hook)) await removeObject(deletion.destination, hook, 'Background')
    else await releaseHook(deletion.destination, hook)
  }
  return going.length === 0 ? { type: 'done' } : { type: 'again', afterMs: lookAgainMs, faults: [] }
}
