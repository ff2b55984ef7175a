// What one profile of the scheduler works with.

import type { Kit } from '#reconcile'
import type { Memory } from './memory.ts'
import type { Plugins, Profile } from './profiles.ts'
import type { Reports } from './reports.ts'

export interface Desk {
  readonly memory: Memory
  readonly reports: Reports
  /** Name under which Events are reported. */
  readonly instance: string
  readonly profile: Profile
  readonly plugins: Plugins
}

/** Where an attempt is made. */
export interface At {
  readonly kit: Kit
  readonly desk: Desk
}
