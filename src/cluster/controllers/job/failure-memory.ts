// What this loop remembers of each Job's failures since its last success. As in the real controller this is lost at a
// restart; then the pods that are still there tell it.

import type { World } from '#world'
import { PerWorld } from '../per-world.ts'
import type { Failures } from './backoff.ts'

interface Remembered {
  readonly uid: string
  readonly failures: Failures
}

export class FailureMemory {
  readonly #byWorld = new PerWorld<Remembered>()

  /** Of the Job with that key and uid. */
  of(world: World, key: string, uid: string): Failures | undefined {
    const known = this.#byWorld.of(world).get(key)
    return known?.uid === uid ? known.failures : undefined
  }

  remember(world: World, key: string, remembered: Remembered): void {
    this.#byWorld.of(world).set(key, remembered)
  }

  forget(world: World, key: string): void {
    this.#byWorld.of(world).delete(key)
  }
}
