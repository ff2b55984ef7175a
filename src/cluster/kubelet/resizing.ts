// Changing the resources of running containers in place: whether the node lets it, what is told of it, and when it is
// done (kubelet allocation manager, doPodResizeAction).

import { amountOf, type Container, type PodCondition, podRequests, type ResourceRequirements } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { rank } from './agenda.ts'
import { containersOf } from './containers.ts'
import { FewMap } from './few-map.ts'
import type { PodRun } from './pod-run.ts'
import { nextBeat } from './timings.ts'

type Requests = ResourceRequirements['requests']

interface Pending {
  readonly reason: 'Infeasible' | 'Deferred'
  readonly message: string
}

const nothing: ResourceRequirements = {}

export class Resizing {
  readonly #run: PodRun
  /** What the kubelet has set aside for each container; empty until a container's resources have changed. */
  readonly #allocated = new FewMap<ResourceRequirements>()
  #generation: number | undefined
  #pending: Pending | undefined
  #since = 0
  #inProgress = false

  constructor(run: PodRun) {
    this.#run = run
    this.#generation = run.pod.metadata.generation
  }

  requestsOf(name: string): Requests | undefined {
    return this.#allocated.get(name)?.requests
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
    const fault = this.#fault()
    if (fault !== undefined) {
      if (!isEqual(fault, this.#pending)) this.#since = now
      this.#pending = fault
      if (fault.reason === 'Deferred') this.#run.retry()
      return
    }
    this.#pending = undefined
    this.#run.around.node.readmit(this.#run.uid, pod)
    for (const { name, resources = nothing } of changed) this.#allocated.set(name, resources)
    this.#inProgress = true
    this.#since = now
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
    if (this.#pending !== undefined) return [{ type: 'PodResizePending', ...base, ...this.#pending }]
    return this.#inProgress ? [{ type: 'PodResizeInProgress', ...base }] : []
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

  /** Gives running containers their new resources; the next listing shows that it is done. */
  actuate(): void {
    if (!this.#inProgress) return
    const run = this.#run
    for (const { name } of this.#outdated()) {
      const record = run.records.find((one) => one.name === name && one.state === 'running')
      const resources = this.#allocated.get(name)
      if (record !== undefined && resources !== undefined) run.put({ ...record, resources })
    }
    const { relistMs } = run.around.timings
    run.agenda.at(nextBeat(run.now, relistMs, run.around.node.listPhase), rank.work, () => run.trigger())
  }

  #complete(): void {
    if (!this.#inProgress || this.#outdated(this.#run.seen.records).length > 0) return
    this.#inProgress = false
    const containers = this.#specs()
      .filter(({ name }) => this.#allocated.get(name) !== undefined)
      .map(({ name }) => ({ name, resources: sorted(this.#allocated.get(name) ?? nothing) }))
    this.#run.event('Normal', 'ResizeCompleted', `Pod resize completed: ${JSON.stringify({ containers })}`)
  }

  #specs(): readonly Container[] {
    return containersOf(this.#run.pod.spec)
      .filter(({ kind }) => kind === 'main')
      .map(({ spec }) => spec as Container)
  }

  #resourcesOf(name: string): ResourceRequirements | undefined {
    return this.#run.records.find((one) => one.name === name && one.state === 'running')?.resources
  }

  /** Containers whose spec asks for something else than was set aside. */
  #changed(): readonly Container[] {
    return this.#specs().filter(({ name, resources = nothing }) => {
      const now = this.#allocated.get(name) ?? this.#resourcesOf(name)
      return now !== undefined && !isEqual(now, resources)
    })
  }

  /** Containers that do not have yet what was set aside for them. */
  #outdated(records = this.#run.records): readonly Container[] {
    return this.#specs().filter(({ name }) => {
      const record = records.find((one) => one.name === name)
      const allocated = this.#allocated.get(name)
      return allocated !== undefined && record !== undefined && !isEqual(record.resources, allocated)
    })
  }

  #fault(): Pending | undefined {
    const { node } = this.#run.around
    const wanted = podRequests(this.#run.pod.spec)
    const others = node.othersThan(this.#run.uid)
    const checks = [
      { name: 'cpu', requested: wanted.milliCpu, used: others.milliCpu },
      { name: 'memory', requested: wanted.memory, used: others.memory },
    ]
    for (const { name, requested } of checks) {
      const capacity = node.allocatable.get(name) ?? 0
      if (requested > capacity)
        return {
          reason: 'Infeasible',
          message: `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`,
        }
    }
    for (const { name, requested, used } of checks) {
      const capacity = node.allocatable.get(name) ?? 0
      if (requested + used > capacity)
        return {
          reason: 'Deferred',
          message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
        }
    }
    return undefined
  }
}

/** Whether a resource has changed whose policy says that the container restarts. */
function needsRestart(
  { resizePolicy = [], resources = nothing }: Container,
  now: ResourceRequirements | undefined,
): boolean {
  return resizePolicy.some(({ resourceName, restartPolicy }) => {
    const differs = (list: 'requests' | 'limits'): boolean =>
      amountOf(resourceName, resources[list]?.[resourceName] ?? 0) !==
      amountOf(resourceName, now?.[list]?.[resourceName] ?? 0)
    return restartPolicy === 'RestartContainer' && (differs('requests') || differs('limits'))
  })
}

const sortedList = (list: Requests | undefined): Requests | undefined =>
  list && Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)))

const sorted = ({ limits, requests }: ResourceRequirements): object => ({
  ...(limits === undefined ? {} : { limits: sortedList(limits) }),
  ...(requests === undefined ? {} : { requests: sortedList(requests) }),
})
