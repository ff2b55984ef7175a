// One step of a sync: makes the tasks, decides, and carries the decision out through `SyncCluster`. Everything that the
// next step needs is in the results that it returns; a step that was cut off anywhere can be taken again.

import type { Verdict } from '#gitops/health'
import type { OperationPhase, ResourceResult } from '#kinds'
import type { AnyObject } from '#objects'
import { deletePoliciesOf, type HookDeletePolicy, hasOption, hookFinalizer } from './annotations.ts'
import { buildTasks, definedKind, type TaskInput } from './build-tasks.ts'
import { allRun, awaitedTasks, decideStep, failMessage, observeRunning, waitMessage } from './decide.ts'
import { hasFailed, isCompleted, isPending, isPrune, isRunning, resultKey, type SyncTask, withResult } from './task.ts'

export interface SyncInput extends TaskInput {
  readonly prune: boolean
  readonly dryRun: boolean
  readonly terminate: boolean
  /** The application says that prunes which ask for confirmation may go ahead. */
  readonly pruneConfirmed: boolean
}

export interface SyncOutcome {
  readonly phase: OperationPhase
  readonly message: string
  readonly results: readonly ResourceResult[]
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
  /** Why objects of this kind cannot be written; undefined when they can. */
  kindFault(task: SyncTask): string | undefined
}

export async function runSyncStep(input: SyncInput, cluster: SyncCluster): Promise<SyncOutcome> {
  const built = buildTasks(input)
  const step = new Step(input, cluster, built)
  if (input.terminate) return step.terminate()
  if (!built.some((task) => task.result !== undefined)) {
    const refused = await step.validate()
    if (refused !== undefined) return refused
  }
  return step.proceed()
}

class Step {
  readonly #input: SyncInput
  readonly #cluster: SyncCluster
  #tasks: readonly SyncTask[]

  constructor(input: SyncInput, cluster: SyncCluster, tasks: readonly SyncTask[]) {
    this.#input = input
    this.#cluster = cluster
    this.#tasks = tasks
  }

  /** Tries everything before anything is written. Undefined when nothing speaks against it. */
  async validate(): Promise<SyncOutcome | undefined> {
    const invalid = this.#tasks.map((task) => this.#kindChecked(task))
    if (invalid.some(hasFailed)) {
      this.#tasks = invalid
      return this.#end(
        'Failed',
        failMessage('one or more synchronization tasks are not valid', invalid.filter(hasFailed)),
      )
    }
    const tried: SyncTask[] = []
    for (const task of this.#tasks)
      tried.push(isPrune(task) || this.#skipsDryRun(task) ? task : await this.#tryApply(task))
    const failed = tried.filter(hasFailed)
    if (failed.length > 0) {
      this.#tasks = tried
      return this.#end('Failed', failMessage('one or more objects failed to apply (dry run)', failed))
    }
    if (!this.#input.dryRun) return undefined
    this.#tasks = tried.map((task) => withResult(task, this.#dryRunResult(task)))
    return this.#end('Succeeded', 'successfully synced (all tasks run)')
  }

  #dryRunResult(task: SyncTask): {
    readonly code: 'Synced' | 'Pruned' | 'PruneSkipped'
    readonly phase: OperationPhase
    readonly message: string
  } {
    if (!isPrune(task))
      return {
        code: 'Synced',
        phase: 'Succeeded',
        message: `${task.key.kind.toLowerCase()}/${task.key.name} (dry run)`,
      }
    const ignored = this.#pruneIgnored(task)
    return ignored === undefined
      ? { code: 'Pruned', phase: 'Succeeded', message: 'pruned (dry run)' }
      : { code: 'PruneSkipped', phase: 'Succeeded', message: `${ignored} (dry run)` }
  }

  #kindChecked(task: SyncTask): SyncTask {
    if (isPrune(task) || this.#isDefinedHere(task)) return task
    const fault = this.#cluster.kindFault(task)
    if (fault === undefined || hasOption(task.target, this.#input.options, 'SkipDryRunOnMissingResource=true'))
      return task
    return withResult(task, { code: 'SyncFailed', phase: 'Failed', message: fault })
  }

  #isDefinedHere(task: SyncTask): boolean {
    return this.#tasks.some((each) => {
      const defined = each.target === undefined ? undefined : definedKind(each.target)
      return defined !== undefined && defined.group === task.key.group && defined.kind === task.key.kind
    })
  }

  /** Its kind or namespace does not exist yet, but is a part of this very sync. */
  #skipsDryRun(task: SyncTask): boolean {
    if (this.#cluster.kindFault(task) !== undefined) return true
    const inNewNamespace = this.#tasks.some(
      ({ key, live, target }) =>
        key.kind === 'Namespace' &&
        key.group === '' &&
        target !== undefined &&
        live === undefined &&
        key.name === task.key.namespace,
    )
    return inNewNamespace
  }

  async #tryApply(task: SyncTask): Promise<SyncTask> {
    try {
      await this.#cluster.apply(task, { dryRun: true })
      return task
    } catch (error) {
      return withResult(task, { code: 'SyncFailed', phase: 'Failed', message: textOf(error) })
    }
  }

  async proceed(): Promise<SyncOutcome> {
    const before = this.#tasks
    this.#tasks = observeRunning(before, await this.#verdicts(before), this.#input.options)
    await this.#releaseHooks()
    const decision = decideStep(this.#tasks, this.#input.options)
    switch (decision.type) {
      case 'wait':
        return this.#end('Running', decision.message)
      case 'end':
        await this.#deleteHooks(decision.phase === 'Succeeded' ? 'HookSucceeded' : 'HookFailed')
        return this.#end(decision.phase, decision.message)
      case 'fail':
        return this.#runFailHooks(decision)
      case 'run':
        return this.#runWave(decision)
    }
  }

  /** Of what was applied and is waited for. */
  async #verdicts(tasks: readonly SyncTask[]): Promise<ReadonlyMap<AnyObject, Verdict | undefined>> {
    const verdicts = new Map<AnyObject, Verdict | undefined>()
    for (const task of tasks)
      if (isRunning(task) && !isPrune(task) && task.live !== undefined)
        verdicts.set(task.live, await this.#cluster.healthOf(task.live))
    return verdicts
  }

  /** The finalizer keeps a hook until its result is recorded; recorded ones are let go. */
  async #releaseHooks(): Promise<void> {
    for (const task of this.#tasks) {
      if (!task.isHook || !isCompleted(task) || task.live?.metadata.finalizers?.includes(hookFinalizer) !== true)
        continue
      await this.#cluster.removeHookFinalizer(task.live)
    }
  }

  async #runFailHooks(decision: {
    readonly tasks: readonly SyncTask[]
    readonly message: string
  }): Promise<SyncOutcome> {
    const done = await this.#applyAll(decision.tasks)
    const started = done.filter(isRunning)
    if (started.length > 0) return this.#end('Running', waitMessage(started))
    await this.#deleteHooks('HookFailed')
    return this.#end('Failed', decision.message)
  }

  async #runWave(decision: {
    readonly tasks: readonly SyncTask[]
    readonly remaining: readonly SyncTask[]
  }): Promise<SyncOutcome> {
    const prunes = decision.tasks.filter(isPrune)
    const unconfirmed = prunes.filter((task) => this.#needsConfirmation(task))
    if (unconfirmed.length > 0) return this.#end('Running', waitMessage(unconfirmed, 'pruning confirmation of'))
    const pruned = await this.#pruneAll(prunes)
    const creates = decision.tasks.filter((task) => !isPrune(task))
    const leftovers = creates.filter(
      (task) =>
        task.isHook &&
        task.live !== undefined &&
        deletePoliciesOf(task.target ?? task.live).includes('BeforeHookCreation'),
    )
    if (leftovers.length > 0 && !pruned.some(hasFailed)) {
      await this.#clear(leftovers)
      return this.#end('Running', waitMessage(leftovers, 'deletion of'))
    }
    const applied = pruned.some(hasFailed) ? [] : await this.#applyAll(creates)
    const failed = [...pruned, ...applied].filter(hasFailed)
    if (failed.length > 0) return this.#afterFailure(failed)
    const awaited = awaitedTasks(this.#tasks, this.#input.options)
    if (awaited.length > 0) return this.#end('Running', waitMessage(awaited))
    if (decision.remaining.length > 0) return this.#end('Running', waitMessage(decision.remaining))
    // It ends at the next look, which sees what was written, so that its end is told with a comparison that is true of it.
    return this.#end('Running', allRun)
  }

  async #afterFailure(failed: readonly SyncTask[]): Promise<SyncOutcome> {
    const message = failMessage('one or more objects failed to apply', failed)
    const hooks = this.#tasks.filter((task) => task.phase === 'SyncFail' && isPending(task))
    return this.#runFailHooks({ tasks: hooks, message })
  }

  #needsConfirmation(task: SyncTask): boolean {
    return (
      this.#input.prune && !this.#input.pruneConfirmed && hasOption(task.live, this.#input.options, 'Prune=confirm')
    )
  }

  async #pruneAll(tasks: readonly SyncTask[]): Promise<readonly SyncTask[]> {
    const done: SyncTask[] = []
    for (const task of tasks) {
      const ignored = this.#pruneIgnored(task)
      done.push(
        ignored === undefined
          ? await this.#prune(task)
          : withResult(task, { code: 'PruneSkipped', phase: 'Succeeded', message: ignored }),
      )
    }
    this.#replace(done)
    return done
  }

  #pruneIgnored(task: SyncTask): string | undefined {
    if (hasOption(task.live, this.#input.options, 'Prune=false')) return 'ignored (no prune)'
    return this.#input.prune ? undefined : 'ignored (requires pruning)'
  }

  async #prune(task: SyncTask): Promise<SyncTask> {
    try {
      if (task.live?.metadata.deletionTimestamp === undefined) await this.#cluster.prune(task)
      return withResult(task, { code: 'Pruned', phase: 'Succeeded', message: 'pruned' })
    } catch (error) {
      return withResult(task, { code: 'SyncFailed', phase: 'Failed', message: textOf(error) })
    }
  }

  async #clear(tasks: readonly SyncTask[]): Promise<void> {
    for (const { live } of tasks) {
      if (live === undefined) continue
      if (live.metadata.finalizers?.includes(hookFinalizer) === true) await this.#cluster.removeHookFinalizer(live)
      if (live.metadata.deletionTimestamp === undefined) await this.#cluster.deleteHook(live)
    }
  }

  async #applyAll(tasks: readonly SyncTask[]): Promise<readonly SyncTask[]> {
    const done: SyncTask[] = []
    for (const task of tasks) done.push(await this.#apply(task))
    this.#replace(done)
    return done
  }

  async #apply(task: SyncTask): Promise<SyncTask> {
    try {
      const message = await this.#cluster.apply(task, { dryRun: false })
      return withResult(task, { code: 'Synced', phase: 'Running', message })
    } catch (error) {
      return withResult(task, { code: 'SyncFailed', phase: 'Failed', message: textOf(error) })
    }
  }

  /** Hooks whose policy says that they go when the operation ended like this. */
  async #deleteHooks(policy: HookDeletePolicy): Promise<void> {
    for (const task of this.#tasks) {
      if (!task.isHook || task.live === undefined || task.target === undefined || isPending(task)) continue
      if (deletePoliciesOf(task.target).includes(policy)) await this.#clear([task])
    }
  }

  async terminate(): Promise<SyncOutcome> {
    for (const task of this.#tasks) if (task.isHook && isRunning(task)) await this.#clear([task])
    this.#tasks = this.#tasks.map((task) =>
      isRunning(task) && task.isHook ? withResult(task, { phase: 'Failed', message: 'Terminated' }) : task,
    )
    return this.#end('Failed', 'Operation terminated')
  }

  #replace(done: readonly SyncTask[]): void {
    const results = new Map(done.map((task) => [nameInPhase(task), task]))
    this.#tasks = this.#tasks.map((task) => results.get(nameInPhase(task)) ?? task)
  }

  #end(phase: OperationPhase, message: string): SyncOutcome {
    const known = new Set(this.#tasks.map(nameInPhase))
    // Objects that are gone since keep what became of them.
    const earlier = this.#input.results.filter((result) => !known.has(resultKey(result)))
    const results = this.#tasks.flatMap((task) => task.result ?? [])
    return { phase, message, results: [...results, ...earlier] }
  }
}

const nameInPhase = (task: SyncTask): string => resultKey({ ...task.key, syncPhase: task.phase })

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
