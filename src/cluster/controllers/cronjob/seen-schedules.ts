// Which schedule a CronJob had when it was last looked at. One that gets another schedule starts nothing for times of the new
// schedule that have passed: it waits for the next. Lost at a restart, like the timers of the real controller.

import type { CronJob } from '#kinds'
import type { World } from '#world'

export class SeenSchedules {
  readonly #byWorld = new WeakMap<World, Map<string, string>>()

  /** Whether the CronJob had another schedule before. */
  change(world: World, key: string, { metadata, spec }: CronJob): boolean {
    const seen = this.#of(world)
    const owner = `${metadata.uid} `
    const text = `${owner}${spec.timeZone ?? ''} ${spec.schedule}`
    const before = seen.get(key)
    seen.set(key, text)
    return before?.startsWith(owner) === true && before !== text
  }

  forget(world: World, key: string): void {
    this.#of(world).delete(key)
  }

  #of(world: World): Map<string, string> {
    const known = this.#byWorld.get(world) ?? new Map<string, string>()
    this.#byWorld.set(world, known)
    return known
  }
}
