// One pod on one node: its stage of life, and what the kubelet does next. A state machine in world time without I/O: it is
// told of the pod and of the time, and answers with a status, Events and when it wants to be woken.

import type { Pod, PodStatus } from '#kinds'
import { isEqual } from '#objects'
import { Agenda, Gate, type Process, rank } from './agenda.ts'
import { Backoff } from './backoff.ts'
import type { WaitReason } from './container-status.ts'
import { type ContainerKind, containersOf, fieldPathOf, latest } from './containers.ts'
import { terminatedPod, terminatePod } from './ending.ts'
import { FewMap } from './few-map.ts'
import { Limits } from './limits.ts'
import type { Phase } from './phase.ts'
import { toldStatus, type Verdict } from './pod-status.ts'
import { Probing } from './probing.ts'
import { Resizing } from './resizing.ts'
import { isUntouched, readinessDiffers, statusOf } from './run-status.ts'
import { type Listing, RuntimeView } from './runtime-view.ts'
import type { Surroundings } from './surroundings.ts'
import { syncPod } from './sync.ts'
import { lastBeat, nextBeat } from './timings.ts'

export type { Listing } from './runtime-view.ts'
export type { Surroundings } from './surroundings.ts'

export interface KubeletEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly fieldPath?: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** A minute, and up to half as much again. */
const regularSyncMs = 75_000

export type Stage = 'syncing' | 'terminating' | 'terminated' | 'finished'

export class PodRun extends RuntimeView {
  /** The pod as the kubelet has taken it up, and as it stands in the API now. */
  pod: Pod
  api: Pod
  readonly around: Surroundings
  readonly agenda: Agenda
  crashes = new Backoff()
  pulls = new Backoff()
  readonly pullErrors = new FewMap<WaitReason>()
  readonly reasons = new FewMap<WaitReason>()
  probing: Probing
  readonly resizing: Resizing
  readonly limits: Limits
  /** Opens when the pod is to end: breaks off what a sync waits for. */
  readonly ending = new Gate()
  readonly preStopAt = new FewMap<number>()
  stage: Stage = 'syncing'
  mounted = false
  /** Grace period in seconds that whoever ends the pod asks for. */
  graceSeconds: number | undefined
  eviction: Verdict | undefined
  /** Why the node itself ends the pod, for its DisruptionTarget condition, and since when. */
  disruption: { readonly message: string; readonly at: number } | undefined
  /** The pod as it was when it began to end. */
  endingPod: Pod | undefined
  /** The pod is gone from the API: nothing is written any more. */
  gone = false
  /** The node's kubelet is down: containers go on, nobody looks. */
  isDown = false
  /** The version of the workloads that the probes were planned with. */
  workloadsVersion = 0
  #status: PodStatus
  /** A status that was not worked out yet: of a pod of which nothing runs so far. */
  #due: { readonly listing: Listing; readonly at: number } | undefined
  #events: KubeletEvent[] = []
  #working = false
  #pending = false
  #lastWorkEnd = Number.NEGATIVE_INFINITY
  #noticing = false
  #cancelRetry: (() => void) | undefined

  constructor(pod: Pod, around: Surroundings, now: number) {
    super()
    this.pod = pod
    this.api = pod
    this.around = around
    this.agenda = new Agenda(now)
    this.#status = pod.status ?? {}
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

  get now(): number {
    return this.agenda.now
  }

  get uid(): string {
    return this.pod.metadata.uid ?? ''
  }

  /** `name_namespace(uid)`, as messages have it. */
  get title(): string {
    const { name = '', namespace = '', uid = '' } = this.pod.metadata
    return `${name}_${namespace}(${uid})`
  }

  get isFinished(): boolean {
    return this.stage === 'finished'
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

  /** The node ends the pod, with a reason that becomes the pod's. */
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

  takeEvents(): readonly KubeletEvent[] {
    if (this.#events.length === 0) return this.#events
    const events = this.#events
    this.#events = []
    return events
  }

  tell(event: KubeletEvent): void {
    this.#events.push(event)
  }

  event(
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    container?: readonly [ContainerKind, string],
  ): void {
    if (container === undefined) this.#events.push({ type, reason, message })
    else this.#events.push({ type, reason, message, fieldPath: fieldPathOf(container[0], container[1]) })
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

  /** A probe changed its mind between two syncs: readiness is told at once. */
  refreshStatus(): void {
    this.status = statusOf(this, this.#status, {
      listing: this.seen,
      now: this.now,
      terminal: false,
      deadline: undefined,
      eviction: undefined,
    })
    this.probing.statusSet(false)
  }

  /** The node's kubelet was down and is back: it has forgotten all but what the runtime shows it. */
  restart(): void {
    this.isDown = false
    this.crashes = new Backoff()
    this.pulls = new Backoff()
    this.reasons.clear()
    this.probing.stop()
    this.probing = new Probing(this, true)
    this.#lastWorkEnd = Number.NEGATIVE_INFINITY
    this.trigger()
  }

  /** Something asks for a sync. While one is under way it is only noted. */
  trigger(): void {
    if (this.stage === 'finished' || this.isDown) return
    // A sync waits for a listing, and there is none. When there is, each pod is looked at.
    if (this.around.runtimeTrouble() !== undefined) return
    if (this.#working) {
      this.#pending = true
      return
    }
    this.#working = true
    const { relistMs } = this.around.timings
    const { listPhase } = this.around.node
    // A sync waits for a listing that is newer than the end of the sync before.
    const fresh = lastBeat(this.now, relistMs, listPhase) > this.#lastWorkEnd
    const at = fresh ? this.now : nextBeat(this.#lastWorkEnd, relistMs, listPhase)
    this.agenda.at(at, rank.work, () => this.#work())
  }

  /** A failed sync is repeated some time later, when due pods are taken up. */
  retry(retryMs = this.around.timings.retryMs): void {
    const { tickMs } = this.around.timings
    // Kubernetes adds up to a half; extremes are left out, so that a pod's story does not hang on them.
    const due = this.now + retryMs * (1.15 + this.around.random.next() * 0.15)
    this.#cancelRetry?.()
    this.#cancelRetry = this.agenda.at(nextBeat(due, tickMs, this.around.node.tickPhase), rank.work, () =>
      this.trigger(),
    )
  }

  /**
   * Has the pod synced when the next regular sync is due. While all is well these show nothing and are left out; whoever
   * breaks what they depend on asks for the next one.
   */
  syncRegularly(): void {
    if (this.stage !== 'syncing') return
    this.agenda.at(nextBeat(this.now, regularSyncMs, this.#lastWorkEnd), rank.work, () => this.trigger())
  }

  /** The runtime has fallen silent, or answers again. */
  runtimeTurned(): void {
    this.probing.changed()
    if (this.around.runtimeTrouble() !== undefined) return
    this.runtimeChanged()
    this.trigger()
  }

  protected trafficChanged(): void {
    this.around.onTraffic?.(this)
  }

  #work(): void {
    this.#pending = false
    this.agenda.run(this.#process(), () => {
      this.#working = false
      this.#lastWorkEnd = this.now
      if (this.#pending) this.trigger()
    })
  }

  #process(): Process {
    switch (this.stage) {
      case 'syncing':
        return syncPod(this)
      case 'terminating':
        return terminatePod(this)
      case 'terminated':
        return terminatedPod(this)
      case 'finished':
        return nothing()
    }
  }

  /** What comes after the stage at hand; taken up with the next listing. */
  proceed(stage: Stage): void {
    this.stage = stage
    if (stage === 'finished') return
    this.ending.open()
    this.#pending = true
  }

  /** Number of the next run of a container. */
  nextAttempt(name: string): number {
    const record = latest(this.records, name)
    if (record !== undefined) return record.attempt + 1
    const { containerStatuses = [], initContainerStatuses = [] } = this.api.status ?? {}
    const all = [...containerStatuses, ...initContainerStatuses]
    return all.find((status) => status.name === name)?.restartCount ?? 0
  }

  kindOf(name: string): ContainerKind {
    return containersOf(this.pod.spec).find(({ spec }) => spec.name === name)?.kind ?? 'main'
  }
}

function* nothing(): Process {}
