// One pod on one node: its stage of life, and what the kubelet does next. A state machine in world time without I/O: it is
// told of the pod and of the time, and answers with a status, Events and when it wants to be woken. What is done at each
// stage is handed in as a table.

import type { Pod, PodStatus } from '#kinds'
import { isEqual } from '#objects'
import { rank } from '../ground/agenda.ts'
import { Backoff } from '../ground/backoff.ts'
import { PodLife, type Stage } from '../life/pod-life.ts'
import type { Listing } from '../life/runtime-view.ts'
import type { Surroundings } from '../life/surroundings.ts'
import { Limits } from '../limits/limits.ts'
import { Resizing } from '../limits/resizing.ts'
import { Probing } from '../probes/probing.ts'
import type { Phase } from '../status/phase.ts'
import { toldStatus, type Verdict } from '../status/pod-status.ts'
import { type ProbeNews, withProbeNews } from '../status/probe-status.ts'
import { PodWorker, type Stages } from './pod-worker.ts'
import { isUntouched, readinessDiffers, statusOf } from './run-status.ts'

export interface PodRunParts {
  readonly pod: Pod
  readonly around: Surroundings
  readonly now: number
  readonly stages: Stages<PodRun>
}

export class PodRun extends PodLife {
  probing: Probing
  readonly resizing: Resizing
  readonly limits: Limits
  /** Grace period in seconds that whoever ends the pod asks for. */
  graceSeconds: number | undefined
  eviction: Verdict | undefined
  /** Why the node itself ends the pod, for its DisruptionTarget condition, and since when. */
  disruption: { readonly message: string; readonly at: number } | undefined
  /** The pod as it was when it began to end. */
  endingPod: Pod | undefined
  /** The pod is gone from the API: nothing is written any more. */
  gone = false
  /** The version of the workloads that the probes were planned with. */
  workloadsVersion = 0
  #status: PodStatus
  /** A status that was not worked out yet: of a pod of which nothing runs so far. */
  #due: { readonly listing: Listing; readonly at: number } | undefined
  readonly #worker: PodWorker<PodRun>
  #noticing = false

  constructor({ pod, around, now, stages }: PodRunParts) {
    super(pod, around, now)
    this.#status = pod.status ?? {}
    this.#worker = new PodWorker<PodRun>(this, stages)
    this.probing = new Probing(this, false)
    this.resizing = new Resizing(this)
    this.limits = new Limits(this)
  }

  get status(): PodStatus {
    const due = this.#due
    if (due !== undefined) {
      this.#due = undefined
      const { listing, at: now } = due
      this.#status = statusOf(this, this.#status, {
        listing,
        now,
        terminal: false,
        deadline: undefined,
        eviction: undefined,
      })
    }
    return this.#status
  }

  set status(status: PodStatus) {
    this.#due = undefined
    this.#status = status
  }

  begin(): void {
    this.limits.watchDeadline()
    const { deletionTimestamp, deletionGracePeriodSeconds } = this.pod.metadata
    if (deletionTimestamp !== undefined) this.end(deletionGracePeriodSeconds)
    const { noticeMs } = this.around.timings
    this.agenda.at(this.now + noticeMs, rank.work, () => this.trigger())
  }

  /** Takes over the pod as the API has it; undefined when it is gone. */
  observe(pod: Pod | undefined): void {
    if (pod === undefined) {
      this.gone = true
      this.end(undefined)
      return
    }
    const before = this.api
    if (before === pod) return
    this.api = pod
    if (this.stage === 'finished' || !this.#concerns(pod, before)) {
      if (!this.#noticing) this.pod = pod
      return
    }
    if (this.#noticing) return
    this.#noticing = true
    this.agenda.at(this.now + this.around.timings.noticeMs, rank.work, () => this.#takeUp())
  }

  /** Whether a change is more than what the kubelet itself has written. */
  #concerns(pod: Pod, before: Pod): boolean {
    const { metadata } = before
    return (
      metadata.generation !== pod.metadata.generation ||
      metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
      !isEqual(metadata.labels, pod.metadata.labels) ||
      !isEqual(metadata.annotations, pod.metadata.annotations) ||
      (this.stage === 'syncing' && readinessDiffers(pod))
    )
  }

  #takeUp(): void {
    this.#noticing = false
    this.pod = this.api
    const { deletionTimestamp, deletionGracePeriodSeconds } = this.pod.metadata
    if (deletionTimestamp !== undefined) this.end(deletionGracePeriodSeconds)
    this.limits.watchDeadline()
    this.resizing.allocation.changed()
    this.trigger()
  }

  /** The pod is to end, with so many seconds of grace. The first one who asks decides. */
  end(graceSeconds: number | undefined): void {
    if (this.stage !== 'syncing') return
    this.stage = 'terminating'
    this.endingPod = this.pod
    this.graceSeconds = graceSeconds
    this.ending.open()
    this.trigger()
  }

  evict(verdict: Verdict, graceSeconds: number): void {
    if (this.stage !== 'syncing') return
    this.eviction = verdict
    this.end(graceSeconds)
  }

  /** The pod ends for the sake of the node; said together with its phase. */
  disrupt(message: string): void {
    if (this.stage === 'syncing') this.disruption ??= { message, at: this.now }
  }

  /** A critical pod needs the room. */
  preempt(): void {
    if (this.stage !== 'syncing') return
    const message = 'Preempted in order to admit critical pod'
    this.event('Warning', 'Preempting', message)
    this.disrupt('Pod was preempted by Kubelet to accommodate a critical pod.')
    this.evict({ reason: 'Preempting', message }, 0 + (this.pod.spec.terminationGracePeriodSeconds ?? 30))
  }

  /** The node does not take the pod: nothing of it runs, now or later. */
  reject(status: PodStatus): void {
    this.status = status
    this.stage = 'finished'
  }

  /** The status as it should stand in the API; undefined when there is nothing to tell yet. */
  told(): PodStatus | undefined {
    if (this.gone || this.isDown || this.status === this.api.status || this.status.startTime === undefined)
      return undefined
    return toldStatus(this.status, this.api.status ?? {}, this.stage === 'syncing' || this.stage === 'terminating')
  }

  /** Works out the status from what was seen last (or from what is there, when everything has ended). */
  setStatus(listing: Listing, terminal: boolean): Phase {
    if (isUntouched(this, this.#status, listing)) {
      this.#due = { listing, at: this.now }
      return 'Pending'
    }
    // What was due at this very moment is never told: the pod has moved on.
    if (this.#due?.at === this.now) this.#due = undefined
    this.status = statusOf(this, this.#status, {
      listing,
      now: this.now,
      terminal,
      deadline: this.limits.deadline(),
      // Its reason is given once; from then on it stays with the phase.
      eviction: this.stage === 'terminating' && !terminal ? this.eviction : undefined,
    })
    this.probing.statusSet(true)
    return this.#status.phase ?? 'Pending'
  }

  tellProbe(news: ProbeNews): void {
    this.status = withProbeNews(this.pod, this.status, { ...news, now: this.now })
    this.probing.statusSet(false)
  }

  /** The node's kubelet was down and is back: it has forgotten all but what the runtime shows it. */
  restart(): void {
    this.isDown = false
    this.crashes = new Backoff()
    this.pulls = new Backoff()
    this.reasons.clear()
    this.probing.abandon()
    this.probing = new Probing(this, true)
    this.resizing.resume()
    this.#worker.restart()
  }

  trigger(): void {
    this.#worker.trigger()
  }

  /** A failed sync is repeated. */
  retry(retryMs = this.around.timings.retryMs): void {
    this.#worker.retry(retryMs)
  }

  syncRegularly(): void {
    if (this.stage === 'syncing') this.#worker.syncRegularly()
  }

  answersChanged(): void {
    this.probing.changed()
  }

  /** The runtime has fallen silent, or answers again. */
  runtimeTurned(): void {
    this.probing.changed()
    if (this.around.runtimeTrouble() !== undefined) return
    this.runtimeChanged()
    this.trigger()
  }

  /** What comes after the stage at hand; taken up with the next listing. */
  proceed(stage: Stage): void {
    this.stage = stage
    if (stage === 'finished') return
    this.ending.open()
    this.#worker.goOn()
  }
}
