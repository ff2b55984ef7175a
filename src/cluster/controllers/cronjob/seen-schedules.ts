// Which schedule a CronJob had when it was last looked at. One that gets another schedule starts nothing for times of the new
// schedule that have passed: it waits for the next. Lost at a restart, like the timers of the real controller.

import type { CronJob } from '#kinds'
import type { World } from '#world'
import { PerWorld } from '../per-world.ts'

export class SeenSchedules {
  readonly #byWorld = new PerWorld<string>()

  /** Whether the CronJob had another schedule before. */
  change(world: World, key: string, { metadata, spec }: CronJob): boolean {
    const seen = this.#byWorld.of(world)
    const owner = `${metadata.uid} `
    const text = `${owner}${spec.timeZone ?? ''} ${spec.schedule}`
    const before = seen.get(key)
    seen.set(key, text)
    return before?.startsWith(owner) === true && before !== text
  }

  forget(world: World, key: string): void {
    this.#byWorld.of(world).delete(key)
  }
}
