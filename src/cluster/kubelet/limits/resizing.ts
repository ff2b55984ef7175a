// Giving running containers the resources that were set aside for them: what is told of it, and when it is done (kubelet,
// doPodResizeAction).

import { amountOf, type Container, type PodCondition, type ResourceRequirements } from '#kinds'
import { type ContainerRecord, runningRecord } from '../containers/containers.ts'
import { planOutOfMemory } from '../ending/lifetime.ts'
import { rank } from '../ground/agenda.ts'
import { nextBeat } from '../ground/timings.ts'
import type { PodLife } from '../life/pod-life.ts'
import { usageAt } from '../usage/usage-curve.ts'
import { Allocation, resizable } from './allocation.ts'
import { decideMemory, isSameSize, type MemoryResize, needsRestart, resizeSummary } from './resize-room.ts'
import { conditionOf, type Standing, standing, toldStanding } from './standing.ts'

const nothing: ResourceRequirements = {}

export class Resizing {
  readonly #run: PodLife
  readonly allocation: Allocation
  #inProgress: Standing | undefined

  constructor(run: PodLife) {
    this.#run = run
    this.allocation = new Allocation(run, (now) => {
      this.#inProgress = { generation: run.pod.metadata.generation, since: now, at: now }
    })
  }

  /** What a container that begins now gets: what is asked for, unless the node does not give it yet. */
  resourcesFor({ name, resources = nothing }: Pick<Container, 'name' | 'resources'>): ResourceRequirements {
    return this.allocation.pending === undefined ? resources : this.allocation.of(name)
  }

  /** After a restart, by what was told of the pod. */
  resume(): void {
    const { pod } = this.#run
    this.#inProgress ??= toldStanding(pod, 'PodResizeInProgress')
    if (this.#inProgress !== undefined && toldStanding(pod, 'PodResizePending') === undefined) this.allocation.assume()
    this.allocation.resume()
  }

  conditions(): readonly PodCondition[] {
    const { pending } = this.allocation
    const progress = this.#inProgress
    return [
      ...(pending === undefined ? [] : [conditionOf('PodResizePending', pending)]),
      ...(progress === undefined ? [] : [conditionOf('PodResizeInProgress', progress)]),
    ]
  }

  /** At the begin of a sync: whether the containers have what they were given. */
  check(): void {
    this.allocation.told()
    const progress = this.#inProgress
    if (progress === undefined) return
    const { seen, now, pod, around } = this.#run
    if (this.#outdated(seen.records).length > 0) {
      this.#inProgress = standing(progress, progress, now)
      return
    }
    this.#inProgress = undefined
    this.#run.event('Normal', 'ResizeCompleted', `Pod resize completed: ${resizeSummary(pod.spec)}`)
    around.node.resizes.retry(now)
  }

  /** Containers that have to be restarted for their new resources. */
  restarts(): ReadonlySet<string> {
    if (this.#inProgress === undefined) return new Set()
    return new Set(
      this.#outdated()
        .filter((spec) => needsRestart(spec, this.#resourcesOf(spec.name)))
        .map(({ name }) => name),
    )
  }

  /** Gives running containers their new resources; the next listing shows that it is done. False: to be tried again. */
  actuate(): boolean {
    const progress = this.#inProgress
    if (progress === undefined) return true
    const run = this.#run
    const outdated = this.#outdated()
    const message = this.#tooSmall(outdated)
    if (message !== undefined) {
      // It stands for the resize that was asked for first, whatever is tried anew.
      this.#inProgress = standing({ reason: 'Error', message, generation: progress.generation }, progress, run.now)
      return false
    }
    for (const { name } of outdated) {
      const record = runningRecord(run.records, name)
      const resources = this.allocation.changedOf(name)
      if (record === undefined || resources === undefined) continue
      const resized: ContainerRecord = { ...record, resources }
      run.put(resized)
      const { memory } = run.around.workloads.container(run.pod, name)
      if (memory !== undefined) planOutOfMemory(run, resized, memory)
    }
    const { relistMs } = run.around.timings
    run.agenda.at(nextBeat(run.now, relistMs, run.around.node.listPhase), rank.work, () => run.trigger())
    return true
  }

  /** Why memory cannot be taken away: it is in use. */
  #tooSmall(outdated: readonly Container[]): string | undefined {
    const limitOf = (resources: ResourceRequirements | undefined): number =>
      amountOf('memory', resources?.limits?.memory ?? 0)
    const containers = resizable(this.#run.pod.spec).map((spec): MemoryResize => {
      const before = this.#resourcesOf(spec.name)
      const inPlace = outdated.includes(spec) && !needsRestart(spec, before)
      const wanted = limitOf(this.allocation.of(spec.name))
      return {
        name: spec.name,
        inPlace,
        before: before === undefined ? wanted : limitOf(before),
        wanted,
        used: this.#memoryOf(spec.name),
      }
    })
    return decideMemory(containers)
  }

  /** What a container is known to use; nothing where its workload does not say. */
  #memoryOf(name: string): number {
    const { around, pod, records, now } = this.#run
    const { memory } = around.workloads.container(pod, name)
    const record = runningRecord(records, name)
    return memory === undefined || record === undefined ? 0 : usageAt(memory, (now - record.startedAt) / 1000)
  }

  #resourcesOf(name: string): ResourceRequirements | undefined {
    return runningRecord(this.#run.records, name)?.resources
  }

  /** Containers that run without what was set aside for them; others get it when they are started. */
  #outdated(records = this.#run.records): readonly Container[] {
    return resizable(this.#run.pod.spec).filter(({ name }) => {
      const record = runningRecord(records, name)
      const given = this.allocation.changedOf(name)
      return given !== undefined && record !== undefined && !isSameSize(record.resources, given)
    })
  }
}
