// The nodes that the controller has greeted, by name. As in the real controller, which looks every 5 s, a node that went
// and came back in between was never gone; at a restart all nodes are new.

import type { World } from '#world'
import { PerWorld } from '../per-world.ts'

export const monitorPeriodMs = 5000

interface Known {
  readonly uid: string
  goneSince: number | undefined
}

export type Departure = { readonly type: 'unknown' } | { readonly type: 'wait'; readonly ms: number } | Gone
interface Gone {
  readonly type: 'gone'
  readonly uid: string
}

export class KnownNodes {
  readonly #byWorld = new PerWorld<Known>()

  /** Whether the node is seen for the first time. */
  seen(world: World, name: string, uid: string): boolean {
    const nodes = this.#byWorld.of(world)
    const isNew = !nodes.has(name)
    nodes.set(name, { uid, goneSince: undefined })
    return isNew
  }

  /** The node is not there: whether that has been noticed. A node that is gone is forgotten. */
  missing(world: World, name: string): Departure {
    const nodes = this.#byWorld.of(world)
    const known = nodes.get(name)
    if (known === undefined) return { type: 'unknown' }
    const now = world.clock.now()
    known.goneSince ??= now
    const ms = known.goneSince + monitorPeriodMs - now
    if (ms > 0) return { type: 'wait', ms }
    nodes.delete(name)
    return { type: 'gone', uid: known.uid }
  }
}
