// From the objects of an application to the ordered tasks of a sync: phases, waves, kind order, mirrored waves of prunes,
// PruneLast, and Namespaces and CustomResourceDefinitions before their first user. Pure.

import { keyOf, type ResourceKey } from '#gitops/diff'
import type { ResourceResult, SyncOperationResource, SyncPhase } from '#kinds'
import { type AnyObject, groupOf } from '#objects'
import { hasOption, hookTypesOf, isHook, waveOf } from './annotations.ts'
import { kindPlace } from './kind-order.ts'
import { isPrune, resultKey, type SyncResource, type SyncTask } from './task.ts'

export interface TaskInput {
  readonly resources: readonly SyncResource[]
  readonly results: readonly ResourceResult[]
  readonly revision: string
  readonly startedAtMs: number
  /** `spec.syncPolicy.syncOptions` and the operation's own. */
  readonly options: readonly string[]
  /** A partial sync: only these objects, and no hooks. */
  readonly selected?: readonly SyncOperationResource[]
  readonly withHooks: boolean
  /** The live object of a hook, whose name may be made by this operation. */
  readonly liveOf: (key: ResourceKey) => AnyObject | undefined
  /** The destination namespace, when it has to be made (or labelled) first. */
  readonly namespace?: { readonly target: AnyObject; readonly live?: AnyObject }
}

const phaseOrder: readonly SyncPhase[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail']

export function buildTasks(input: TaskInput): readonly SyncTask[] {
  const results = new Map(input.results.map((result) => [resultKey(result), result]))
  const tasks = [...namespaceTask(input), ...input.resources.flatMap((resource) => tasksOf(input, resource))]
  const ordered = liftDependencies(pruneLast(input, mirrorPrunes(tasks)).sort(byOrder))
  return ordered.map((task) => {
    const { key, phase } = task
    const result = results.get(resultKey({ ...key, syncPhase: phase }))
    return result === undefined ? task : { ...task, result }
  })
}

function namespaceTask({ namespace }: TaskInput): readonly SyncTask[] {
  if (namespace === undefined) return []
  const { target, live } = namespace
  // Before every other task of the phase, whatever its wave.
  return [
    {
      key: keyOf(target),
      version: 'v1',
      phase: 'PreSync',
      wave: -1_000_000_000,
      isHook: false,
      target,
      ...(live === undefined ? {} : { live }),
    },
  ]
}

function tasksOf(input: TaskInput, resource: SyncResource): readonly SyncTask[] {
  const { key, version, target, live } = resource
  const partial = input.selected !== undefined
  if (target !== undefined && isHook(target))
    return partial || !input.withHooks ? [] : hookTasks(input, resource, target)
  if (target === undefined && (live === undefined || isHook(live))) return []
  if (partial && input.selected?.some((each) => isSelected(each, resource)) !== true) return []
  if (
    target !== undefined &&
    live !== undefined &&
    !resource.modified &&
    input.options.includes('ApplyOutOfSyncOnly=true')
  )
    return []
  const object = target ?? live
  const wave = object === undefined ? 0 : waveOf(object)
  const unchanged = target !== undefined && live !== undefined && !resource.modified
  return [
    {
      key,
      version,
      phase: 'Sync',
      wave,
      isHook: false,
      ...(target === undefined ? {} : { target }),
      ...(live === undefined ? {} : { live }),
      ...(unchanged ? { unchanged } : {}),
    },
  ]
}

const isSelected = (each: SyncOperationResource, { key }: SyncResource): boolean =>
  (each.group ?? '') === key.group &&
  each.kind === key.kind &&
  each.name === key.name &&
  (each.namespace === undefined || each.namespace === '' || each.namespace === key.namespace)

function hookTasks(input: TaskInput, resource: SyncResource, target: AnyObject): readonly SyncTask[] {
  const phases = hookTypesOf(target).filter((type): type is SyncPhase =>
    (phaseOrder as readonly string[]).includes(type),
  )
  return phases.map((phase) => {
    const named = withName(input, target, phase)
    const key = { ...resource.key, name: named.metadata.name ?? '' }
    const live = input.liveOf(key)
    return {
      key,
      version: resource.version,
      phase,
      wave: waveOf(target),
      isHook: true,
      target: named,
      ...(live === undefined ? {} : { live }),
    }
  })
}

/** A hook with only a generateName gets one name for each operation. */
function withName(input: TaskInput, target: AnyObject, phase: SyncPhase): AnyObject {
  if (target.metadata.name !== undefined && target.metadata.name !== '') return target
  const { generateName: _prefix, ...metadata } = target.metadata
  return { ...target, metadata: { ...metadata, name: hookName(input, target, phase) } }
}

export function hookName(input: Pick<TaskInput, 'revision' | 'startedAtMs'>, target: AnyObject, phase: string): string {
  const revision = input.revision.length >= 8 ? input.revision.slice(0, 7) : input.revision
  const end = `${revision}-${phase}-${Math.floor(input.startedAtMs / 1000)}`.toLowerCase().replace(/[^a-z0-9-]/g, '-')
  return `${target.metadata.generateName ?? ''}${end}`
}

/** What was created last is pruned first: the waves of prunes change places, lowest with highest. */
function mirrorPrunes(tasks: readonly SyncTask[]): SyncTask[] {
  const waves = [...new Set(tasks.filter(isPrune).map((task) => task.wave))].sort((a, b) => a - b)
  const mirrored = new Map(waves.map((wave, place) => [wave, waves[waves.length - 1 - place] ?? wave]))
  return tasks.map((task) => (isPrune(task) ? { ...task, wave: mirrored.get(task.wave) ?? task.wave } : task))
}

function pruneLast(input: TaskInput, tasks: SyncTask[]): SyncTask[] {
  const last = tasks.reduce((wave, task) => (task.phase === 'Sync' && task.wave > wave ? task.wave : wave), 0) + 1
  return tasks.map((task) =>
    isPrune(task) && hasOption(task.live, input.options, 'PruneLast=true') ? { ...task, wave: last } : task,
  )
}

const byOrder = (a: SyncTask, b: SyncTask): number =>
  phaseOrder.indexOf(a.phase) - phaseOrder.indexOf(b.phase) ||
  a.wave - b.wave ||
  kindPlace(a.key.kind) - kindPlace(b.key.kind) ||
  compareText(a.key.name, b.key.name) ||
  compareText(a.key.namespace, b.key.namespace)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A Namespace or CustomResourceDefinition that would come after its first user moves right before it, into its phase and wave. */
function liftDependencies(tasks: readonly SyncTask[]): readonly SyncTask[] {
  let ordered = [...tasks]
  for (const provider of tasks) {
    if (provider.target === undefined || provider.isHook) continue
    const uses = userTest(provider.target)
    if (uses === undefined) continue
    const from = ordered.indexOf(provider)
    const to = ordered.findIndex((task) => task.target !== undefined && uses(task))
    const first = ordered[to]
    if (first === undefined || to > from) continue
    const lifted = { ...provider, phase: first.phase, wave: first.wave }
    ordered = [...ordered.slice(0, to), lifted, ...ordered.slice(to).filter((task) => task !== provider)]
  }
  return ordered
}

function userTest(target: AnyObject): ((task: SyncTask) => boolean) | undefined {
  if (target.kind === 'Namespace' && groupOf(target.apiVersion) === '') {
    return (task) => task.key.namespace === target.metadata.name
  }
  const definition = definedKind(target)
  return definition === undefined
    ? undefined
    : (task) => task.key.group === definition.group && task.key.kind === definition.kind
}

/** The kind that a CustomResourceDefinition defines. */
export function definedKind(target: AnyObject): { readonly group: string; readonly kind: string } | undefined {
  if (target.kind !== 'CustomResourceDefinition') return undefined
  const spec = target['spec'] as { readonly group?: string; readonly names?: { readonly kind?: string } } | undefined
  return spec?.group === undefined || spec.names?.kind === undefined
    ? undefined
    : { group: spec.group, kind: spec.names.kind }
}
