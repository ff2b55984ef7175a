// What an autoscaler remembers: its recommendations, for stabilisation, and its own steps, for the limits of its policies.
// As in the real controller this is lost at a restart, which only makes the windows begin again. Values are never changed.

import type { World } from '#world'
import { PerWorld } from '../per-world.ts'

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
  readonly #byWorld = new PerWorld<Memory>()

  of(world: World, uid: string): Memory | undefined {
    return this.#byWorld.of(world).get(uid)
  }

  keep(world: World, uid: string, memory: Memory): void {
    this.#byWorld.of(world).set(uid, memory)
  }

  /** Forgets all but these. */
  retain(world: World, uids: ReadonlySet<string>): void {
    const all = this.#byWorld.of(world)
    for (const uid of all.keys()) if (!uids.has(uid)) all.delete(uid)
  }
}
