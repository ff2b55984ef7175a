// The loops that live in every cluster: one line for each room that has some.

import { controllers } from '#controllers'
import type { LoopDefinition } from '#reconcile'
import { createScheduler, type Scheduler } from '#scheduler'

export interface Residents {
  readonly loops: readonly LoopDefinition[]
  /** Asked by `explain` for the last attempt to place a pod. */
  readonly scheduler: Scheduler
}

export function createResidents(): Residents {
  const scheduler = createScheduler()
  return { scheduler, loops: [...controllers, ...scheduler.loops] }
}
