// What may end a pod from outside of its containers: the deadline that it was given, and the local storage that it uses.

import { parseTime } from '#objects'
import { rank } from './agenda.ts'
import { evictionMessage } from './eviction.ts'
import type { PodRun } from './pod-run.ts'
import type { Verdict } from './pod-status.ts'
import { nextBeat } from './timings.ts'

/** Grace period of a pod that uses too much. */
const evictionGraceSeconds = 1

export class Limits {
  readonly #run: PodRun
  #cancelDeadline: (() => void) | undefined
  #usageWatched = false

  constructor(run: PodRun) {
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

  /** Has the pod's use of local storage looked at. */
  watchUsage(): void {
    const run = this.#run
    const { workloads, timings, node } = run.around
    const { usage } = workloads.pod(run.pod)
    if (usage?.ephemeralStorageBytes === undefined || this.#usageWatched) return
    this.#usageWatched = true
    const from = run.now + (usage.fromSeconds ?? 0) * 1000 + timings.evictionCheckMs
    run.agenda.at(nextBeat(from, timings.evictionCheckMs, node.listPhase), rank.work, () => {
      const message = evictionMessage(run.pod, usage)
      if (message === undefined || run.stage !== 'syncing') return
      run.event('Warning', 'Evicted', message)
      run.evict({ reason: 'Evicted', message }, evictionGraceSeconds)
    })
  }
}
