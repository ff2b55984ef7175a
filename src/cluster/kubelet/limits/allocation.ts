// What a node has set aside for the containers of a pod: what they were taken up with, until their resources change and the
// node has room for that (kubelet allocation manager). A resize that it has no room for waits in the node's queue.

import type { Container, Pod, PodSpec, ResourceRequirements } from '#kinds'
import { objectKey } from '#objects'
import { askedContainer, containersOf, runningRecord } from '../containers/containers.ts'
import { rank } from '../ground/agenda.ts'
import { FewMap } from '../ground/few-map.ts'
import type { PodLife } from '../life/pod-life.ts'
import type { WaitingResize } from '../node/resize-queue.ts'
import { decideRoom, isSameSize } from './resize-room.ts'
import { type Standing, standing, toldStanding } from './standing.ts'

const nothing: ResourceRequirements = {}

/** All pods of a node have been taken up so long after a restart. */
const resumeMs = 1000

/** Containers whose resources can change while they run. */
export const resizable = (spec: PodSpec): readonly Container[] =>
  containersOf(spec)
    .filter(({ kind, sidecar }) => kind === 'main' || sidecar)
    .map((container) => container.spec as Container)

/** Whether containers ask for something else than before. */
const isResized = (before: PodSpec, after: PodSpec): boolean =>
  resizable(after).some(
    ({ name, resources = nothing }) => !isSameSize(askedContainer(before, name)?.resources ?? nothing, resources),
  )

export class Allocation implements WaitingResize {
  readonly #run: PodLife
  /** The pod's containers as it was first taken up, and as it was last. */
  readonly #first: PodSpec
  #asked: PodSpec
  /** What was set aside for containers whose resources have changed. */
  readonly #given = new FewMap<ResourceRequirements>()
  #pending: Standing | undefined
  /** Something was decided that no sync has told. */
  #isNews = false
  #isAwaited = false
  readonly #onGiven: (now: number) => void

  constructor(run: PodLife, onGiven: (now: number) => void) {
    this.#run = run
    this.#first = run.pod.spec
    this.#asked = run.pod.spec
    this.#onGiven = onGiven
  }

  get pending(): Standing | undefined {
    return this.#pending
  }

  get since(): number | undefined {
    return this.#pending?.since
  }

  get wanted(): Pod {
    return this.#run.pod
  }

  get given(): Pod {
    return this.#run.around.node.admitted(this.#run.uid) ?? this.#run.pod
  }

  /** What was set aside for a container since its resources have changed. */
  changedOf(name: string): ResourceRequirements | undefined {
    return this.#given.get(name)
  }

  of(name: string): ResourceRequirements {
    const given = this.#given.get(name) ?? runningRecord(this.#run.records, name)?.resources
    return given ?? askedContainer(this.#first, name)?.resources ?? nothing
  }

  /** The pod was taken up as it is now: new resources are asked for, together with all others that wait. */
  changed(): void {
    const { pod, around, now } = this.#run
    const before = this.#asked
    this.#asked = pod.spec
    if (pod.spec === before || !isResized(before, pod.spec)) return
    around.node.resizes.push(this)
    around.node.resizes.retry(now)
  }

  /** After a restart, by what was told of the pod: what runs has its room, what is asked for besides waits on. */
  resume(): void {
    const { pod, agenda, around } = this.#run
    if (this.#changes().length === 0) return
    this.#pending ??= toldStanding(pod, 'PodResizePending')
    around.node.resizes.push(this)
    agenda.at(agenda.now + resumeMs, rank.work, () => around.node.resizes.retry(agenda.now))
  }

  /** What is asked for was given before a restart, and is not there yet. */
  assume(): void {
    for (const { name, resources = nothing } of this.#changes()) this.#given.set(name, resources)
  }

  /** The pod with what it was given room for. */
  get pod(): Pod {
    const { pod } = this.#run
    const names = new Set(this.#changes().map(({ name }) => name))
    if (names.size === 0) return pod
    const given = (container: Container): Container =>
      names.has(container.name) ? { ...container, resources: this.of(container.name) } : container
    const { containers, initContainers = [] } = pod.spec
    const spec = { ...pod.spec, containers: containers.map(given), initContainers: initContainers.map(given) }
    return { ...pod, spec }
  }

  attempt(now: number): boolean {
    const { uid, around, api } = this.#run
    if (!around.node.hasPod(uid)) return false
    const before = this.#pending
    const isGiven = this.#take(now)
    const pending = this.#pending
    if (isGiven || before?.reason !== pending?.reason || before?.message !== pending?.message) {
      this.#isNews = true
      around.wake(objectKey(api))
    }
    if (pending?.reason !== 'Deferred') return false
    this.#wait()
    return true
  }

  /** Something was decided while the node looked at all that wait: a sync is to tell it. */
  notice(): void {
    if (this.#isNews) this.#run.trigger()
    this.#isNews = false
  }

  /** A sync begins, and tells all there is. */
  told(): void {
    this.#isNews = false
  }

  /** Containers that ask for something else than was set aside. */
  #changes(): readonly Container[] {
    return resizable(this.#run.pod.spec).filter(
      ({ name, resources = nothing }) => !isSameSize(this.of(name), resources),
    )
  }

  /** Takes over new resources if there is room; whether it did. */
  #take(now: number): boolean {
    const { pod, around, uid } = this.#run
    const changed = this.#changes()
    const fault = changed.length === 0 ? undefined : decideRoom(pod, around.node.without(uid))
    const { generation } = pod.metadata
    this.#pending = fault && standing({ ...fault, generation }, this.#pending, now)
    if (changed.length === 0 || fault !== undefined) return false
    around.node.readmit(uid, pod)
    for (const { name, resources = nothing } of changed) this.#given.set(name, resources)
    this.#onGiven(now)
    return true
  }

  /** Whoever waits sees to it that the node looks again in time. */
  #wait(): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    const { agenda, around, uid } = this.#run
    const { node } = around
    agenda.at(node.resizes.againAt, rank.work, () => {
      this.#isAwaited = false
      if (agenda.now >= node.resizes.againAt) node.resizes.retry(agenda.now)
      else if (this.#pending?.reason === 'Deferred' && node.hasPod(uid)) this.#wait()
    })
  }
}
