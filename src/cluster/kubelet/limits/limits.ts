// What may end a pod from outside of its containers: the deadline that it was given, and the local storage that it uses.

import { parseTime } from '#objects'
import { containersOf } from '../containers/containers.ts'
import { rank } from '../ground/agenda.ts'
import { nextBeat } from '../ground/timings.ts'
import type { PodLife } from '../life/pod-life.ts'
import { isCritical } from '../node/critical.ts'
import type { Verdict } from '../status/pod-status.ts'
import { evictionMessage, hasStorageLimits } from '../usage/eviction.ts'
import { localStorage, runningIn, settledAfterSeconds } from '../usage/local-storage.ts'
import type { ContainerWorkload } from '../workload/workload.ts'

/** Grace period of a pod that uses too much. */
const evictionGraceSeconds = 1

export class Limits {
  readonly #run: PodLife
  #cancelDeadline: (() => void) | undefined
  #usageWatched = false

  constructor(run: PodLife) {
    this.#run = run
  }

  /** Whether the pod is past its deadline; says so in an Event each time. */
  deadline(): Verdict | undefined {
    const { activeDeadlineSeconds } = this.#run.pod.spec
    if (activeDeadlineSeconds === undefined) return undefined
    const startedAt = parseTime(this.#run.status.startTime)
    if (startedAt === undefined || this.#run.now < startedAt + activeDeadlineSeconds * 1000) return undefined
    const message = 'Pod was active on the node longer than the specified deadline'
    this.#run.event('Normal', 'DeadlineExceeded', message)
    return { reason: 'DeadlineExceeded', message }
  }

  /** Has the pod looked at when its deadline is over. */
  watchDeadline(): void {
    this.#cancelDeadline?.()
    const { pod, status, now, around, agenda } = this.#run
    const { activeDeadlineSeconds } = pod.spec
    if (activeDeadlineSeconds === undefined) return
    const startedAt = parseTime(status.startTime) ?? Math.floor(now / 1000) * 1000
    const at = nextBeat(startedAt + activeDeadlineSeconds * 1000 - 1, around.timings.tickMs, around.node.tickPhase)
    this.#cancelDeadline = agenda.at(at, rank.work, () => this.#run.trigger())
  }

  /** Has the pod's use of local storage looked at, for as long as it can change. */
  watchUsage(): void {
    // Critical pods are not evicted, whatever they use.
    if (this.#usageWatched || !hasStorageLimits(this.#run.pod) || isCritical(this.#run.pod)) return
    const { pod, now, around } = this.#run
    const { workloads, timings } = around
    const names = containersOf(pod.spec).map(({ spec }) => spec.name)
    if (
      workloads.pod(pod).usage === undefined &&
      names.every((name) => isWithoutStorage(workloads.container(pod, name)))
    )
      return
    this.#usageWatched = true
    const settledAt = now + settledAfterSeconds(pod, workloads, names) * 1000 + timings.evictionCheckMs
    // What is held from the start on is looked at once; what grows is looked at while it does.
    const grows = names.some((name) => (workloads.container(pod, name).ephemeralStorage?.length ?? 0) > 1)
    this.#checkUsage(grows ? now + timings.evictionCheckMs : settledAt, settledAt)
  }

  #checkUsage(from: number, settledAt: number): void {
    const run = this.#run
    const { workloads, timings, node } = run.around
    const at = nextBeat(from, timings.evictionCheckMs, node.listPhase)
    run.agenda.at(at, rank.work, () => {
      if (run.stage !== 'syncing') return
      const usage = localStorage(run.pod, workloads, { running: runningIn(run.status), now: run.now })
      const message = usage === undefined ? undefined : evictionMessage(run.pod, usage)
      if (message !== undefined) {
        run.event('Warning', 'Evicted', message)
        run.evict({ reason: 'Evicted', message }, evictionGraceSeconds)
      } else if (at < settledAt) this.#checkUsage(at, settledAt)
      else this.#usageWatched = false
    })
  }
}

const isWithoutStorage = ({ ephemeralStorage }: ContainerWorkload): boolean => ephemeralStorage === undefined
