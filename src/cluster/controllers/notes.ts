// When a loop first noticed something that the API does not tell (a node that went missing, a taint without a time). As
// in the real controllers this is lost at a restart, which only makes a waiting time begin again.

import type { World } from '#world'
import { PerWorld } from './per-world.ts'

export class Notes {
  readonly #byWorld = new PerWorld<number>()

  /** World time at which `key` was first asked for since it was last forgotten. */
  since(world: World, key: string): number {
    const notes = this.#byWorld.of(world)
    const known = notes.get(key)
    if (known !== undefined) return known
    const now = world.clock.now()
    notes.set(key, now)
    return now
  }

  has(world: World, key: string): boolean {
    return this.#byWorld.of(world).has(key)
  }

  /** Whether there was something to forget. */
  forget(world: World, key: string): boolean {
    return this.#byWorld.of(world).delete(key)
  }
}

const firstDelayMs = 1000
const maxDelayMs = 900_000

/** How often something was tried that keeps failing: each try makes the next one wait twice as long, up to 15 minutes. */
export class Tries {
  readonly #byWorld = new PerWorld<{ delayMs: number; nextAt: number }>()

  /** World time at which `key` may be tried again; a try that is allowed now is counted. */
  take(world: World, key: string): number {
    const tries = this.#byWorld.of(world)
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
    const nextAt = this.#byWorld.of(world).get(key)?.nextAt
    return nextAt !== undefined && nextAt > world.clock.now() ? nextAt : undefined
  }
}
