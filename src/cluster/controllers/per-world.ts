// What a loop remembers from one reconcile to the next, by key. Loops are made once for all worlds, so it is kept for each;
// as in the real controllers it is lost with the process, and nothing but a waiting time or an Event may depend on it.

import type { World } from '#world'

export class PerWorld<V> {
  readonly #byWorld = new WeakMap<World, Map<string, V>>()

  of(world: World): Map<string, V> {
    let known = this.#byWorld.get(world)
    if (known === undefined) {
      known = new Map()
      this.#byWorld.set(world, known)
    }
    return known
  }
}
