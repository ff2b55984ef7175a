// One step of a sync: makes the tasks, decides, and carries the decision out through `SyncCluster`. Everything that the
// next step needs is in the results that it returns; a step that was cut off anywhere can be taken again.

import type { Verdict } from '#gitops/health'
import type { OperationPhase, ResourceResult } from '#kinds'
import type { AnyObject } from '#objects'
import { deletePoliciesOf, type HookDeletePolicy, hasOption } from './annotations.ts'
import { buildTasks } from './build-tasks.ts'
import { allRun, awaitedTasks, decideStep, failMessage, observeRunning, waitMessage } from './decide.ts'
import type { SyncCluster, SyncInput, Working } from './sync-cluster.ts'
import { hasFailed, isPending, isPrune, isRunning, resultKey, type SyncTask, withResult } from './task.ts'
import { tryTasks } from './try-tasks.ts'
import { applyAll, clearHooks, pruneAll, releaseHooks } from './write-tasks.ts'

export interface SyncOutcome {
  readonly phase: OperationPhase
  readonly message: string
  readonly results: readonly ResourceResult[]
}

export async function runSyncStep(input: SyncInput, cluster: SyncCluster): Promise<SyncOutcome> {
  const built = buildTasks(input)
  const step = new Step({ input, cluster }, built)
  if (input.terminate) return step.terminate()
  if (!built.some((task) => task.result !== undefined)) {
    const refused = await step.validate()
    if (refused !== undefined) return refused
  }
  return step.proceed()
}

class Step {
  readonly #working: Working
  #tasks: readonly SyncTask[]

  constructor(working: Working, tasks: readonly SyncTask[]) {
    this.#working = working
    this.#tasks = tasks
  }

  /** Undefined when nothing speaks against it. */
  async validate(): Promise<SyncOutcome | undefined> {
    const { tasks, end } = await tryTasks(this.#working, this.#tasks)
    if (end === undefined) return undefined
    this.#tasks = tasks
    return this.#end(end.phase, end.message)
  }

  async proceed(): Promise<SyncOutcome> {
    const before = this.#tasks
    this.#tasks = observeRunning(before, await this.#verdicts(before), this.#working.input.options)
    await releaseHooks(this.#working, this.#tasks)
    const decision = decideStep(this.#tasks, this.#working.input.options)
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
        verdicts.set(task.live, await this.#working.cluster.healthOf(task.live))
    return verdicts
  }

  async #runFailHooks(decision: {
    readonly tasks: readonly SyncTask[]
    readonly message: string
  }): Promise<SyncOutcome> {
    const done = this.#replace(await applyAll(this.#working, decision.tasks))
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
    const pruned = this.#replace(await pruneAll(this.#working, prunes))
    const creates = decision.tasks.filter((task) => !isPrune(task))
    const leftovers = creates.filter(
      (task) =>
        task.isHook &&
        task.live !== undefined &&
        deletePoliciesOf(task.target ?? task.live).includes('BeforeHookCreation'),
    )
    if (leftovers.length > 0 && !pruned.some(hasFailed)) {
      await clearHooks(this.#working, leftovers)
      return this.#end('Running', waitMessage(leftovers, 'deletion of'))
    }
    const applied = pruned.some(hasFailed) ? [] : this.#replace(await applyAll(this.#working, creates))
    const failed = [...pruned, ...applied].filter(hasFailed)
    if (failed.length > 0) return this.#afterFailure(failed)
    const awaited = awaitedTasks(this.#tasks, this.#working.input.options)
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
      this.#working.input.prune &&
      !this.#working.input.pruneConfirmed &&
      hasOption(task.live, this.#working.input.options, 'Prune=confirm')
    )
  }

  /** Hooks whose policy says that they go when the operation ended like this. */
  async #deleteHooks(policy: HookDeletePolicy): Promise<void> {
    for (const task of this.#tasks) {
      if (!task.isHook || task.live === undefined || task.target === undefined || isPending(task)) continue
      if (deletePoliciesOf(task.target).includes(policy)) await clearHooks(this.#working, [task])
    }
  }

  async terminate(): Promise<SyncOutcome> {
    for (const task of this.#tasks) if (task.isHook && isRunning(task)) await clearHooks(this.#working, [task])
    this.#tasks = this.#tasks.map((task) =>
      isRunning(task) && task.isHook ? withResult(task, { phase: 'Failed', message: 'Terminated' }) : task,
    )
    return this.#end('Failed', 'Operation terminated')
  }

  /** Takes what was done over, and answers it. */
  #replace(done: readonly SyncTask[]): readonly SyncTask[] {
    const results = new Map(done.map((task) => [nameInPhase(task), task]))
    this.#tasks = this.#tasks.map((task) => results.get(nameInPhase(task)) ?? task)
    return done
  }

  #end(phase: OperationPhase, message: string): SyncOutcome {
    const known = new Set(this.#tasks.map(nameInPhase))
    // Objects that are gone since keep what became of them.
    const earlier = this.#working.input.results.filter((result) => !known.has(resultKey(result)))
    const results = this.#tasks.flatMap((task) => task.result ?? [])
    return { phase, message, results: [...results, ...earlier] }
  }
}

const nameInPhase = (task: SyncTask): string => resultKey({ ...task.key, syncPhase: task.phase })
