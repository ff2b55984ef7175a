// All nodes as their loops share them: which are stopped, what happens around them, and the floor on which the pods of the
// loops' present life run.

import { NodeProfile, type Pod } from '#kinds'
import type { Cache, Kit } from '#reconcile'
import type { World } from '#world'
import { type Timings, usualTimings } from '../ground/timings.ts'
import { type NodeSpec, numberedNodes } from '../node/node-object.ts'
import { Troubles } from '../node/troubles.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { NodeProfiles } from '../profiles/node-profiles.ts'
import { ProfiledWorkloads } from '../profiles/profiled-workloads.ts'
import type { Workloads } from '../workload/workload.ts'
import { Floor } from './floor.ts'

export interface KubeletOptions {
  /** How many nodes, or which; default 3. */
  readonly nodes?: number | readonly NodeSpec[]
  readonly timings?: Timings
  readonly workloads?: Workloads
}

/** The loops' present life. */
export interface Present {
  readonly floor: Floor
  readonly world: World
}

export class Fleet {
  readonly specs: readonly NodeSpec[]
  readonly names: ReadonlySet<string>
  readonly workloads: ProfiledWorkloads
  readonly profiles = new NodeProfiles()
  readonly troubles = new Troubles()
  /** WorkloadProfiles are others than those that were read last. */
  profilesChanged = false
  /** Set by the loops when they start. */
  wakePod: (key: string) => void = () => {}
  wakeNode: (key: string) => void = () => {}
  wakeClaim: (key: string) => void = () => {}
  #present: Present | undefined
  #held = false
  readonly #timings: Timings
  readonly #stopped = new Set<string>()
  /** Nodes whose kubelet has begun anew and has not said so yet. */
  readonly #restarted = new Set<string>()
  readonly #floors = new WeakMap<Cache, Floor>()
  readonly #listeners: ((pod: Pod) => void)[] = []

  constructor({ nodes = 3, timings = usualTimings, workloads }: KubeletOptions) {
    this.specs = typeof nodes === 'number' ? numberedNodes(nodes) : nodes
    this.names = new Set(this.specs.map(({ name }) => name))
    this.#timings = timings
    this.workloads = new ProfiledWorkloads(workloads, () =>
      this.specs.flatMap(({ name }) => [...(this.#present?.floor.podsOn(name) ?? [])]),
    )
  }

  /** Undefined before the pods' loop has begun. */
  get present(): Present | undefined {
    return this.#present
  }

  /** World time in milliseconds; 0 before the pods' loop has begun. */
  get now(): number {
    return this.#present?.world.clock.now() ?? 0
  }

  /** The floor that belongs to a cache, without making one. */
  floorAt(cache: Cache): Floor | undefined {
    return this.#floors.get(cache)
  }

  /** The floor of the loop that asks, which is the present one from now on. */
  enter(kit: Kit): Floor {
    const floor = this.#floors.get(kit.cache) ?? this.#begin(kit)
    this.#present = { floor, world: kit.world }
    return floor
  }

  #begin({ cache, world }: Kit): Floor {
    const floor = new Floor(cache, {
      nodes: this.specs,
      timings: this.#timings,
      workloads: this.workloads,
      profiles: this.profiles,
      troubles: this.troubles,
      random: world.random,
      onTraffic: (pod) => {
        for (const heard of this.#listeners) heard(pod)
      },
      wake: (key) => this.wakePod(key),
      onMounted: (claims) => {
        for (const key of claims) this.wakeClaim(key)
      },
      isStopped: (name) => this.isStopped(name),
    })
    this.#floors.set(cache, floor)
    this.profilesChanged = true
    // Before anything is decided about a mirror.
    this.profiles.use(cache.list(NodeProfile))
    floor.readManifests()
    return floor
  }

  runFor(pod: Pod): PodRun | undefined {
    return this.#present?.floor.runFor(pod)
  }

  isStopped(name: string): boolean {
    return this.#held || this.#stopped.has(name)
  }

  /** Stopped for itself, not because all are held. */
  isOff(name: string): boolean {
    return this.#stopped.has(name)
  }

  onTraffic(heard: (pod: Pod) => void): void {
    this.#listeners.push(heard)
  }

  stop(name: string): void {
    this.#stopped.add(name)
    this.#present?.floor.stop(name)
  }

  start(name: string): void {
    this.#stopped.delete(name)
    this.#restarted.add(name)
    this.#present?.floor.restart(name, this.now)
    this.wakeNode(name)
    this.#wakePodsOn(new Set([name]))
  }

  hold(): void {
    this.#held = true
  }

  release(): void {
    if (!this.#held) return
    this.#held = false
    for (const name of this.names) this.wakeNode(name)
    this.#wakePodsOn(this.names)
  }

  /** Whether the node's kubelet has begun anew since this was last asked. */
  takeRestarted(name: string): boolean {
    return this.#restarted.delete(name)
  }

  #wakePodsOn(names: ReadonlySet<string>): void {
    for (const key of this.#present?.floor.keysOn(names) ?? []) this.wakePod(key)
  }
}
