// One node and what its pods have taken, kept up as pods come and go. Only the snapshot (and preemption, on copies)
// changes it; plug-ins read it.

import { amountsOf, type HostPort, type Node, type Taint } from '#kinds'
import type { PodFacts } from './pod-facts.ts'

type Labels = Readonly<Record<string, string>>

const noLabels: Labels = {}
const noTaints: readonly Taint[] = []

/** What a node offers to pods. */
export interface Allocatable {
  readonly milliCpu: number
  readonly memory: number
  readonly ephemeralStorage: number
  readonly pods: number
  readonly extended: ReadonlyMap<string, number>
}

const nothing: Allocatable = { milliCpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, extended: new Map() }

function allocatableOf(node: Node): Allocatable {
  const amounts = amountsOf(node.status?.allocatable)
  if (amounts.size === 0) return nothing
  return {
    milliCpu: amounts.get('cpu') ?? 0,
    memory: amounts.get('memory') ?? 0,
    ephemeralStorage: amounts.get('ephemeral-storage') ?? 0,
    pods: amounts.get('pods') ?? 0,
    extended: amounts,
  }
}

let changes = 0

function nextVersion(): number {
  changes = (changes + 1) >>> 0
  return changes
}

export class NodeState {
  readonly name: string
  /** Its place in rows of answers: no other node of its snapshot has it meanwhile. */
  readonly slot: number
  /** Another number after every change, never one that any node had before. */
  version = nextVersion()
  /** Undefined while pods stand on a node that is not (or no longer) there. */
  node: Node | undefined
  labels: Labels = noLabels
  allocatable: Allocatable = nothing
  /** Taints that keep pods away, and those that only ask. */
  hardTaints: readonly Taint[] = noTaints
  softTaints: readonly Taint[] = noTaints
  milliCpu = 0
  memory = 0
  ephemeralStorage = 0
  scoredMilliCpu = 0
  scoredMemory = 0
  readonly extended = new Map<string, number>()
  readonly pods = new Map<string, PodFacts>()
  ports: readonly HostPort[] = []

  constructor(name: string, slot = 0) {
    this.name = name
    this.slot = slot
  }

  setNode(node: Node | undefined): void {
    this.version = nextVersion()
    this.node = node
    this.labels = node?.metadata.labels ?? noLabels
    this.allocatable = node === undefined ? nothing : allocatableOf(node)
    const taints = node?.spec.taints ?? noTaints
    this.hardTaints = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
    this.softTaints = taints.filter((taint) => taint.effect === 'PreferNoSchedule')
  }

  add(pod: PodFacts): void {
    this.#count(pod, 1)
    this.pods.set(pod.key, pod)
    if (pod.ports.length > 0) this.ports = [...this.ports, ...pod.ports]
  }

  remove(pod: PodFacts): void {
    if (!this.pods.delete(pod.key)) return
    this.#count(pod, -1)
    if (pod.ports.length > 0) this.ports = [...this.pods.values()].flatMap((other) => other.ports)
  }

  /** A copy that can be changed without touching this one. */
  copy(): NodeState {
    const copy = new NodeState(this.name)
    copy.setNode(this.node)
    for (const pod of this.pods.values()) copy.add(pod)
    return copy
  }

  #count({ requests }: PodFacts, by: 1 | -1): void {
    this.version = nextVersion()
    this.milliCpu += by * requests.milliCpu
    this.memory += by * requests.memory
    this.ephemeralStorage += by * requests.ephemeralStorage
    this.scoredMilliCpu += by * requests.scoredMilliCpu
    this.scoredMemory += by * requests.scoredMemory
    for (const [name, amount] of requests.extended) {
      this.extended.set(name, (this.extended.get(name) ?? 0) + by * amount)
    }
  }
}
