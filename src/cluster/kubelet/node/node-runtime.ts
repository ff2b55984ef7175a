// One node as its kubelet runs it: which images are there, which addresses are given away, what its pods take. Rhythms
// (listing the runtime, taking up due pods) have their own phase on each node.

import type { Caller } from '#api'
import { amountsOf, type HostPort, hostPortsOf, type Node, type Pod, podRequests } from '#kinds'
import { componentCaller } from '#reconcile'
import type { Timings } from '../ground/timings.ts'
import { hasClaims } from '../volumes/claims.ts'
import { HostFiles } from '../volumes/host-files.ts'
import type { Workloads } from '../workload/workload.ts'
import type { IpPool } from './addresses.ts'
import type { ContainerRuntime } from './container-runtime.ts'
import { NodeImages } from './images.ts'
import type { NodeFacts } from './node-facts.ts'
import { noPressures, type PressureType } from './node-object.ts'
import { ResizeQueue } from './resize-queue.ts'

export interface NodeRuntimeOptions {
  readonly name: string
  readonly hostIP: string
  readonly ips: IpPool
  readonly workloads: Workloads
  readonly timings: Timings
  /** The Node object as the cache has it. */
  readonly object: () => Node | undefined
  /** What its NodeProfiles say. */
  readonly facts: () => NodeFacts
  readonly runtime: ContainerRuntime
}

function phaseOf(name: string, period: number): number {
  let hash = 2166136261
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619)
  return period <= 0 ? 0 : (hash >>> 0) % period
}

/** What a node has, and what of it is taken. */
export interface Room {
  readonly allocatable: ReadonlyMap<string, number>
  readonly pressures: ReadonlySet<PressureType>
  readonly object: () => Node | undefined
  readonly podCount: number
  readonly milliCpu: number
  readonly memory: number
  readonly ephemeralStorage: number
  readonly takenPorts: readonly HostPort[]
  extendedInUse(resource: string): number
}

export class NodeRuntime implements Room {
  readonly name: string
  readonly hostIP: string
  readonly ips: IpPool
  readonly images: NodeImages
  readonly listPhase: number
  readonly tickPhase: number
  readonly object: () => Node | undefined
  /** In whose name this kubelet writes. */
  readonly caller: Caller
  readonly facts: () => NodeFacts
  readonly files: HostFiles
  readonly runtime: ContainerRuntime
  /** Changed resources that it has no room for yet. */
  readonly resizes = new ResizeQueue()
  readonly #admitted = new Map<string, Pod>()
  #claimants: readonly Pod[] = []
  readonly #offered = new Set<string>()
  /** Claims whose volumes are mounted, by the uid of the pod. */
  readonly holders = new Map<string, readonly string[]>()
  milliCpu = 0
  memory = 0
  ephemeralStorage = 0
  /** Of the last start, once that was seen. */
  bootID: string | undefined
  /** The pressures that the node is under. */
  pressures: ReadonlySet<PressureType> = noPressures
  /** Rises whenever a pod comes or goes. */
  podsVersion = 0
  /** Images that were removed to make room. */
  readonly freed = { images: 0, bytes: 0 }
  /** Pods that were evicted, by the signal that ran short. */
  readonly evictions = new Map<string, number>()

  constructor({ name, hostIP, ips, workloads, timings, object, facts, runtime }: NodeRuntimeOptions) {
    this.name = name
    this.caller = componentCaller(`system:node:${name}`, 'kubelet')
    this.hostIP = hostIP
    this.ips = ips
    this.object = object
    this.facts = facts
    this.runtime = runtime
    this.files = new HostFiles(() => facts().files)
    this.images = new NodeImages(workloads, timings, () => facts().imagePulls)
    this.listPhase = phaseOf(name, timings.relistMs)
    // Due pods are taken up shortly before the runtime is listed, so that a transition takes one listing.
    this.tickPhase = this.listPhase - Math.min(20, timings.relistMs)
  }

  get podCount(): number {
    return this.#admitted.size
  }

  hasPod(uid: string): boolean {
    return this.#admitted.has(uid)
  }

  get pods(): Iterable<Pod> {
    return this.#admitted.values()
  }

  /** Pods whose claims the node sees to, until they have ended. */
  get claimants(): readonly Pod[] {
    return this.#claimants
  }

  /** What devices offer, and nothing of what they have offered before. */
  offered(resources: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const gone = [...this.#offered].filter((name) => !(name in resources))
    for (const name of Object.keys(resources)) this.#offered.add(name)
    return gone.length === 0 ? resources : { ...Object.fromEntries(gone.map((name) => [name, '0'])), ...resources }
  }

  get allocatable(): ReadonlyMap<string, number> {
    return amountsOf(this.object()?.status?.allocatable)
  }

  get takenPorts(): readonly HostPort[] {
    return [...this.#admitted.values()].flatMap(({ spec }) => hostPortsOf(spec))
  }

  /** How much of an extended resource its pods have. */
  extendedInUse(resource: string): number {
    let used = 0
    for (const { spec } of this.#admitted.values()) used += podRequests(spec).extended.get(resource) ?? 0
    return used
  }

  admit(uid: string, pod: Pod): void {
    if (this.#admitted.has(uid)) return
    this.#admitted.set(uid, pod)
    this.podsVersion += 1
    this.#count(pod, 1)
    if (hasClaims(pod)) this.#claimants = [...this.#claimants, pod]
  }

  release(uid: string): void {
    this.holders.delete(uid)
    this.#remove(uid)
  }

  #remove(uid: string): boolean {
    const pod = this.#admitted.get(uid)
    if (pod === undefined) return false
    this.#admitted.delete(uid)
    this.podsVersion += 1
    this.#count(pod, -1)
    if (hasClaims(pod)) this.#claimants = this.#claimants.filter((other) => other !== pod)
    return true
  }

  /** The pod asks for something else from now on. */
  readmit(uid: string, pod: Pod): void {
    this.#remove(uid)
    this.admit(uid, pod)
  }

  /** The pod as it was admitted, with what it was given room for. */
  admitted(uid: string): Pod | undefined {
    return this.#admitted.get(uid)
  }

  /** The node as it would be without this pod. */
  without(uid: string): Room {
    const { allocatable, pressures, object } = this
    const others = [...this.#admitted].filter(([other]) => other !== uid).map(([, pod]) => pod)
    const requests = others.map(({ spec }) => podRequests(spec))
    const sum = (of: (request: (typeof requests)[number]) => number): number =>
      requests.reduce((total, request) => total + of(request), 0)
    return {
      allocatable,
      pressures,
      object,
      podCount: others.length,
      milliCpu: sum(({ milliCpu }) => milliCpu),
      memory: sum(({ memory }) => memory),
      ephemeralStorage: sum(({ ephemeralStorage }) => ephemeralStorage),
      extendedInUse: (resource) => sum(({ extended }) => extended.get(resource) ?? 0),
      takenPorts: others.flatMap(({ spec }) => hostPortsOf(spec)),
    }
  }

  #count({ spec }: Pod, by: 1 | -1): void {
    const { milliCpu, memory, ephemeralStorage } = podRequests(spec)
    this.milliCpu += by * milliCpu
    this.memory += by * memory
    this.ephemeralStorage += by * ephemeralStorage
  }
}
