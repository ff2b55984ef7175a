// When a loop first noticed something that the API does not tell (a node that went missing, a taint without a time). As
// in the real controllers this is lost at a restart, which only makes a waiting time begin again.

import type { World } from '#world'

export class Notes {
  readonly #byWorld = new WeakMap<World, Map<string, number>>()

  /** World time at which `key` was first asked for since it was last forgotten. */
  since(world: World, key: string): number {
    const notes = this.#notes(world)
    const known = notes.get(key)
    if (known !== undefined) return known
    const now = world.clock.now()
    notes.set(key, now)
    return now
  }

  /** Whether there was something to forget. */
  forget(world: World, key: string): boolean {
    return this.#notes(world).delete(key)
  }

  #notes(world: World): Map<string, number> {
    let notes = this.#byWorld.get(world)
    if (notes === undefined) {
      notes = new Map()
      this.#byWorld.set(world, notes)
    }
    return notes
  }
}
