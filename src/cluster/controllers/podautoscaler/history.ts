// What an autoscaler remembers: its recommendations, for stabilisation, and its own steps, for the limits of its policies.
// As in the real controller this is lost at a restart, which only makes the windows begin again. Values are never changed.

import type { World } from '#world'

export interface Recommendation {
  readonly replicas: number
  readonly at: number
}

export interface Step {
  /** Pods added or taken away: always positive. */
  readonly change: number
  readonly at: number
}

export interface History {
  readonly recommendations: readonly Recommendation[]
  readonly ups: readonly Step[]
  readonly downs: readonly Step[]
}

export const noHistory: History = { recommendations: [], ups: [], downs: [] }

interface Memory {
  readonly history: History
  /** The selector of its target, by which autoscalers of the same pods are found. */
  readonly selector: string
}

export class Memories {
  readonly #byWorld = new WeakMap<World, Map<string, Memory>>()

  of(world: World, uid: string): Memory | undefined {
    return this.#byWorld.get(world)?.get(uid)
  }

  keep(world: World, uid: string, memory: Memory): void {
    const all = this.#byWorld.get(world) ?? new Map<string, Memory>()
    this.#byWorld.set(world, all)
    all.set(uid, memory)
  }

  /** Forgets all but these. */
  retain(world: World, uids: ReadonlySet<string>): void {
    const all = this.#byWorld.get(world)
    for (const uid of all?.keys() ?? []) if (!uids.has(uid)) all?.delete(uid)
  }
}
