// Who hears of every change of a kind: at once, in the order in which they subscribed.

import type { Cancel } from '#world'
import type { Change } from './kind-cache.ts'

export type Listener = (change: Change) => void

export class Subscribers {
  readonly #listeners: Listener[] = []

  add(listener: Listener): Cancel {
    this.#listeners.push(listener)
    return () => {
      const at = this.#listeners.indexOf(listener)
      if (at >= 0) this.#listeners.splice(at, 1)
    }
  }

  /** An object that took the place of a namesake, whose end was not heard of: that is told first, of both when both are gone. */
  tell(change: Change): void {
    const { object, old, deleted } = change
    if (old === undefined || old.metadata.uid === object.metadata.uid) this.#tellAll(change)
    else {
      this.#tellAll({ object: old, old: undefined, deleted: true })
      this.#tellAll({ object, old: undefined, deleted })
    }
  }

  #tellAll(change: Change): void {
    const listeners = this.#listeners
    for (let i = 0; i < listeners.length; i += 1) listeners[i]?.(change)
  }
}
