// What there is of one pod on one node while it lives: the pod as it was taken up, its containers, its near future, and
// what is to be told of it. What watches over a pod, starts it and ends it is given this much; PodRun puts them together.

import type { Pod, PodStatus } from '#kinds'
import { type ContainerKind, containersOf, fieldPathOf, latest } from '../containers/containers.ts'
import { Agenda, Gate } from '../ground/agenda.ts'
import { Backoff } from '../ground/backoff.ts'
import { FewMap } from '../ground/few-map.ts'
import type { WaitReason } from '../status/container-status.ts'
import type { Verdict } from '../status/pod-status.ts'
import type { ProbeNews } from '../status/probe-status.ts'
import { RuntimeView } from './runtime-view.ts'
import type { Surroundings } from './surroundings.ts'

export interface KubeletEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly fieldPath?: string
  readonly annotations?: Readonly<Record<string, string>>
}

export type Stage = 'syncing' | 'terminating' | 'terminated' | 'finished'

export abstract class PodLife extends RuntimeView {
  /** The pod as the kubelet has taken it up, and as it stands in the API now. */
  pod: Pod
  api: Pod
  readonly around: Surroundings
  readonly agenda: Agenda
  crashes = new Backoff()
  pulls = new Backoff()
  readonly pullErrors = new FewMap<WaitReason>()
  readonly reasons = new FewMap<WaitReason>()
  /** Opens when the pod is to end: breaks off what a sync waits for. */
  readonly ending = new Gate()
  readonly preStopAt = new FewMap<number>()
  stage: Stage = 'syncing'
  mounted = false
  /** The node's kubelet is down: containers go on, nobody looks. */
  isDown = false
  #events: KubeletEvent[] = []

  constructor(pod: Pod, around: Surroundings, now: number) {
    super()
    this.pod = pod
    this.api = pod
    this.around = around
    this.agenda = new Agenda(now)
  }

  /** What is said of the pod, told or not yet. */
  abstract get status(): PodStatus
  /** A probe has found something else than before, between two syncs. */
  abstract tellProbe(news: ProbeNews): void
  /** What containers answer may be otherwise from now on. */
  abstract answersChanged(): void
  /** The node ends the pod, with a reason that becomes the pod's. */
  abstract evict(verdict: Verdict, graceSeconds: number): void

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

  /** Number of the next run of a container. */
  nextAttempt(name: string): number {
    const record = latest(this.records, name)
    return record === undefined ? 0 : record.attempt + 1
  }

  kindOf(name: string): ContainerKind {
    return containersOf(this.pod.spec).find(({ spec }) => spec.name === name)?.kind ?? 'main'
  }

  protected trafficChanged(): void {
    this.around.onTraffic?.(this.pod)
  }
}
