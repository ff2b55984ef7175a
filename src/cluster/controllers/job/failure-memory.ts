// What this loop remembers of each Job's failures since its last success. As in the real controller this is lost at a
// restart; then the pods that are still there tell it.

import type { World } from '#world'
import type { Failures } from './backoff.ts'

interface Remembered {
  readonly uid: string
  readonly failures: Failures
}

export class FailureMemory {
  readonly #byWorld = new WeakMap<World, Map<string, Remembered>>()

  /** Of the Job with that key and uid. */
  of(world: World, key: string, uid: string): Failures | undefined {
    const known = this.#of(world).get(key)
    return known?.uid === uid ? known.failures : undefined
  }

  remember(world: World, key: string, remembered: Remembered): void {
    this.#of(world).set(key, remembered)
  }

  forget(world: World, key: string): void {
    this.#of(world).delete(key)
  }

  #of(world: World): Map<string, Remembered> {
    const known = this.#byWorld.get(world) ?? new Map<string, Remembered>()
    this.#byWorld.set(world, known)
    return known
  }
}
