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
import { formatTime, isEqual, objectKey } from '#objects'
import { askedContainer, type ContainerRecord, containersOf } from '../containers/containers.ts'
import { planOutOfMemory } from '../ending/lifetime.ts'
import { rank } from '../ground/agenda.ts'
import { FewMap } from '../ground/few-map.ts'
import { goQuote } from '../ground/go-text.ts'
import { nextBeat } from '../ground/timings.ts'
import type { PodLife } from '../life/pod-life.ts'
import { usageAt } from '../usage/usage-curve.ts'
import { decideRoom, needsRestart, type PendingResize, resizeSummary } from './resize-room.ts'

/** A resize that waits is looked at again when a pod has left the node, or after this. */
const againMs = 180_000

const nothing: ResourceRequirements = {}

export class Resizing {
  readonly #run: PodLife
  /** The pod's containers as it was first taken up: what is set aside for them until their resources change. */
  readonly #first: PodSpec
  /** What the kubelet has set aside for each container; empty until a container's resources have changed. */
  readonly #allocated = new FewMap<ResourceRequirements>()
  #generation: number | undefined
  #pending: PendingResize | undefined
  #since = 0
  #inProgress = false
  #hasRoom = false
  /** Why it could not be done at the last try. */
  #error: string | undefined

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

  /** At the begin of a sync: takes over new resources if they fit. */
  admit(): void {
    const { pod, now } = this.#run
    if (pod.metadata.generation === this.#generation && this.#pending === undefined) {
      this.#complete()
      return
    }
    this.#generation = pod.metadata.generation
    const changed = this.#changed()
    if (changed.length === 0) {
      this.#pending = undefined
      return
    }
    const { node } = this.#run.around
    const fault = decideRoom(podRequests(pod.spec), node.othersThan(this.#run.uid), node.allocatable)
    if (fault !== undefined) {
      if (!isEqual(fault, this.#pending)) this.#since = now
      this.#pending = fault
      if (fault.reason === 'Deferred') this.#wait()
      return
    }
    this.#pending = undefined
    this.#run.around.node.readmit(this.#run.uid, pod)
    for (const { name, resources = nothing } of changed) this.#allocated.set(name, resources)
    this.#inProgress = true
    this.#error = undefined
    this.#since = now
    this.#complete()
  }

  #wait(): void {
    const { agenda, around, now, api } = this.#run
    around.node.whenReleased(() => {
      this.#hasRoom = true
      around.wake(objectKey(api))
    })
    agenda.at(now + againMs, rank.work, () => {
      if (this.#pending?.reason === 'Deferred') this.#run.trigger()
    })
  }

  /** Another pod has left the node: what waits for room is looked at again. */
  notice(): void {
    if (!this.#hasRoom) return
    this.#hasRoom = false
    if (this.#pending !== undefined) this.#run.trigger()
  }

  conditions(): readonly PodCondition[] {
    const time = formatTime(this.#since)
    const { generation } = this.#run.pod.metadata
    const base = {
      status: 'True',
      lastProbeTime: time,
      lastTransitionTime: time,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }
    const error = this.#error === undefined ? {} : { reason: 'Error', message: this.#error }
    return [
      ...(this.#pending === undefined ? [] : [{ type: 'PodResizePending', ...base, ...this.#pending }]),
      ...(this.#inProgress ? [{ type: 'PodResizeInProgress', ...base, ...error }] : []),
    ]
  }

  /** Containers that have to be restarted for their new resources. */
  restarts(): ReadonlySet<string> {
    if (!this.#inProgress) return new Set()
    return new Set(
      this.#outdated()
        .filter((spec) => needsRestart(spec, this.#resourcesOf(spec.name)))
        .map(({ name }) => name),
    )
  }

  /** Gives running containers their new resources; the next listing shows that it is done. False: to be tried again. */
  actuate(): boolean {
    if (!this.#inProgress) return true
    const run = this.#run
    this.#error = this.#tooSmall()
    if (this.#error !== undefined) return false
    for (const { name } of this.#outdated()) {
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

  /** Memory that is in use cannot be taken away. */
  #tooSmall(): string | undefined {
    const faults: string[] = []
    let [used, limit] = [0, 0]
    for (const { name } of this.#specs()) {
      const now = this.#memoryOf(name)
      const wanted = amountOf('memory', this.#wanted(name).limits?.memory ?? 0)
      const before = amountOf('memory', this.#resourcesOf(name)?.limits?.memory ?? 0)
      used += now
      limit += wanted === 0 ? Number.POSITIVE_INFINITY : wanted
      if (wanted > 0 && wanted < before && now > wanted)
        faults.push(
          `attempting to set container ${goQuote(name)} memory limit (${wanted}) below current usage (${now})`,
        )
    }
    if (faults.length === 0) return undefined
    if (used > limit) faults.unshift(`attempting to set pod memory limit (${limit}) below current usage (${used})`)
    return `cannot decrease memory limits: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`
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
    if (!this.#inProgress || this.#outdated(this.#run.seen.records).length > 0) return
    this.#inProgress = false
    this.#error = undefined
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
      return !isEqual(this.#wanted(name), resources)
    })
  }

  /** Containers that run without what was set aside for them; others get it when they are started. */
  #outdated(records = this.#run.records): readonly Container[] {
    return this.#specs().filter(({ name }) => {
      const record = records.find((one) => one.name === name && one.state === 'running')
      const allocated = this.#allocated.get(name)
      return allocated !== undefined && record !== undefined && !isEqual(record.resources, allocated)
    })
  }
}
