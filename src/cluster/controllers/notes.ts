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

  has(world: World, key: string): boolean {
    return this.#notes(world).has(key)
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

const firstDelayMs = 1000
const maxDelayMs = 900_000

/** How often something was tried that keeps failing: each try makes the next one wait twice as long, up to 15 minutes. */
export class Tries {
  readonly #byWorld = new WeakMap<World, Map<string, { delayMs: number; nextAt: number }>>()

  /** World time at which `key` may be tried again; a try that is allowed now is counted. */
  take(world: World, key: string): number {
    const tries = this.#of(world)
    const now = world.clock.now()
    const known = tries.get(key)
    if (known !== undefined && known.nextAt > now) return known.nextAt
    // After a long quiet time the delay begins anew, as in client-go's flowcontrol.Backoff.
    const again = known !== undefined && now - known.nextAt <= maxDelayMs
    const delayMs = again ? Math.min(maxDelayMs, known.delayMs * 2) : firstDelayMs
    tries.set(key, { delayMs, nextAt: now + delayMs })
    return now
  }

  /** World time at which `key` may be tried again, if that is not now. */
  waitsUntil(world: World, key: string): number | undefined {
    const nextAt = this.#of(world).get(key)?.nextAt
    return nextAt !== undefined && nextAt > world.clock.now() ? nextAt : undefined
  }

  #of(world: World): Map<string, { delayMs: number; nextAt: number }> {
    let tries = this.#byWorld.get(world)
    if (tries === undefined) {
      tries = new Map()
      this.#byWorld.set(world, tries)
    }
    return tries
  }
}
