// Changing the resources of running containers in place: whether the node lets it, what is told of it, and when it is
// done (kubelet allocation manager, doPodResizeAction).

import {
  amountOf,
  type Container,
  type PodCondition,
  type PodSpec,
  podRequests,
  type ResourceRequirements,
} from '#kinds'
import { formatTime, objectKey } from '#objects'
import { askedContainer, type ContainerRecord, containersOf } from '../containers/containers.ts'
import { planOutOfMemory } from '../ending/lifetime.ts'
import { rank } from '../ground/agenda.ts'
import { FewMap } from '../ground/few-map.ts'
import { nextBeat } from '../ground/timings.ts'
import type { PodLife } from '../life/pod-life.ts'
import { usageAt } from '../usage/usage-curve.ts'
import { decideMemory, decideRoom, isSameSize, type MemoryResize, needsRestart, resizeSummary } from './resize-room.ts'

/** A resize that waits is looked at again when a pod has left the node, or after this. */
const againMs = 180_000

const nothing: ResourceRequirements = {}

/** A condition of a resize, with what it keeps while it stands. */
interface Standing {
  readonly reason?: string
  readonly message?: string
  /** Of the pod when it was asked for. */
  readonly generation: number | undefined
  /** Since when for this reason, and when it was looked at last. */
  readonly since: number
  readonly at: number
}

export class Resizing {
  readonly #run: PodLife
  /** The pod's containers as it was first taken up: what is set aside for them until their resources change. */
  readonly #first: PodSpec
  /** What the kubelet has set aside for each container; empty until a container's resources have changed. */
  readonly #allocated = new FewMap<ResourceRequirements>()
  #generation: number | undefined
  #pending: Standing | undefined
  #inProgress: Standing | undefined
  /** What waits for room is to be looked at again. */
  #due = false
  #cancelAgain: (() => void) | undefined

  constructor(run: PodLife) {
    this.#run = run
    this.#generation = run.pod.metadata.generation
    this.#first = run.pod.spec
  }

  /** What a container that begins now gets: what is asked for, unless the node does not give it yet. */
  resourcesFor({ name, resources = nothing }: Pick<Container, 'name' | 'resources'>): ResourceRequirements {
    if (this.#pending === undefined) return resources
    return this.#wanted(name)
  }

  /** At the begin of a sync: takes over new resources if they fit, and sees whether containers have them. */
  admit(): void {
    const { generation } = this.#run.pod.metadata
    if (generation !== this.#generation || this.#due) this.#allocate()
    this.#generation = generation
    this.#complete()
  }

  #allocate(): void {
    this.#due = false
    const { pod, around, uid, now } = this.#run
    const changed = this.#changed()
    if (changed.length === 0) {
      this.#pending = undefined
      return
    }
    const fault = decideRoom(podRequests(pod.spec), around.node.othersThan(uid), around.node.allocatable)
    const { generation } = pod.metadata
    this.#pending = fault && this.#standing({ ...fault, generation }, this.#pending)
    if (fault?.reason === 'Deferred') this.#wait()
    if (fault !== undefined) return
    around.node.readmit(uid, pod)
    for (const { name, resources = nothing } of changed) this.#allocated.set(name, resources)
    this.#inProgress = { generation, since: now, at: now }
  }

  /** The condition from now on; its time is that of its reason. */
  #standing(next: Pick<Standing, 'reason' | 'message' | 'generation'>, before: Standing | undefined): Standing {
    const { now } = this.#run
    const since = before !== undefined && before.reason === next.reason ? before.since : now
    return { ...next, since, at: now }
  }

  #wait(): void {
    const { agenda, around, now, api } = this.#run
    const again = (): void => {
      this.#due = this.#pending?.reason === 'Deferred'
    }
    around.node.whenReleased(() => {
      again()
      around.wake(objectKey(api))
    })
    this.#cancelAgain?.()
    this.#cancelAgain = agenda.at(now + againMs, rank.work, () => {
      again()
      this.notice()
    })
  }

  /** Another pod has left the node: what waits for room is looked at again. */
  notice(): void {
    if (this.#due) this.#run.trigger()
  }

  conditions(): readonly PodCondition[] {
    const { pending, progress } = { pending: this.#pending, progress: this.#inProgress }
    return [
      ...(pending === undefined ? [] : [conditionOf('PodResizePending', pending)]),
      ...(progress === undefined ? [] : [conditionOf('PodResizeInProgress', progress)]),
    ]
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
      this.#inProgress = this.#standing({ reason: 'Error', message, generation: progress.generation }, progress)
      return false
    }
    for (const { name } of outdated) {
      const record = run.records.find((one) => one.name === name && one.state === 'running')
      const resources = this.#allocated.get(name)
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
    const containers = this.#specs().map((spec): MemoryResize => {
      const before = this.#resourcesOf(spec.name)
      const inPlace = outdated.includes(spec) && !needsRestart(spec, before)
      const wanted = limitOf(this.#wanted(spec.name))
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
    const record = records.find((one) => one.name === name && one.state === 'running')
    return memory === undefined || record === undefined ? 0 : usageAt(memory, (now - record.startedAt) / 1000)
  }

  #wanted(name: string): ResourceRequirements {
    return (
      this.#allocated.get(name) ?? this.#resourcesOf(name) ?? askedContainer(this.#first, name)?.resources ?? nothing
    )
  }

  #complete(): void {
    const progress = this.#inProgress
    if (progress === undefined) return
    if (this.#outdated(this.#run.seen.records).length > 0) {
      this.#inProgress = this.#standing(progress, progress)
      return
    }
    this.#inProgress = undefined
    this.#run.event('Normal', 'ResizeCompleted', `Pod resize completed: ${resizeSummary(this.#run.pod.spec)}`)
  }

  #specs(): readonly Container[] {
    return containersOf(this.#run.pod.spec)
      .filter(({ kind, sidecar }) => kind === 'main' || sidecar)
      .map(({ spec }) => spec as Container)
  }

  #resourcesOf(name: string): ResourceRequirements | undefined {
    return this.#run.records.find((one) => one.name === name && one.state === 'running')?.resources
  }

  /** Containers whose spec asks for something else than was set aside. */
  #changed(): readonly Container[] {
    return this.#specs().filter(({ name, resources = nothing }) => {
      return !isSameSize(this.#wanted(name), resources)
    })
  }

  /** Containers that run without what was set aside for them; others get it when they are started. */
  #outdated(records = this.#run.records): readonly Container[] {
    return this.#specs().filter(({ name }) => {
      const record = records.find((one) => one.name === name && one.state === 'running')
      const allocated = this.#allocated.get(name)
      return allocated !== undefined && record !== undefined && !isSameSize(record.resources, allocated)
    })
  }
}

const conditionOf = (type: string, { reason, message, generation, since, at }: Standing): PodCondition => ({
  type,
  status: 'True',
  ...(generation === undefined ? {} : { observedGeneration: generation }),
  lastProbeTime: formatTime(at),
  lastTransitionTime: formatTime(since),
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
})
