// Follows kinds by watch and keeps who changed which field when, to tell fights. Forgets what is older than the window.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import { type AnyObject, objectKey } from '#objects'
import { describeObject } from '../explain/finding.ts'
import { changesBetween } from './changes.ts'
import { decideFight, type Fight, fightWindowMs, type SeenChange } from './decide.ts'

interface FieldHistory {
  readonly object: string
  readonly field: string
  seen: SeenChange[]
}

/** A field's last changes; more are dropped, oldest first. */
const mostChanges = 200

export class FightWatch {
  readonly #client: Client
  readonly #now: () => number
  readonly #histories = new Map<string, FieldHistory>()

  constructor(client: Client, now: () => number) {
    this.#client = client
    this.#now = now
  }

  /** Follows a kind until the signal aborts; resolves when it no longer does. */
  async follow(kind: Kind, signal: AbortSignal): Promise<void> {
    const known = new Map<string, AnyObject>()
    const { items, resourceVersion } = await this.#client.list(kind, { managedFields: true })
    for (const item of items) known.set(objectKey(item), item as AnyObject)
    const events = await this.#client.watch(kind, { resourceVersion, managedFields: true, signal })
    for await (const batch of events)
      for (const { type, object } of batch) {
        if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') continue
        const key = objectKey(object)
        const old = known.get(key)
        if (type === 'DELETED') known.delete(key)
        else known.set(key, object as AnyObject)
        if (type === 'MODIFIED' && old !== undefined) this.#take(old, object as AnyObject)
      }
  }

  fights(): readonly Fight[] {
    const now = this.#now()
    const found = [...this.#histories.values()].flatMap(({ object, field, seen }) => {
      const fight = decideFight({ object, field }, seen, now)
      return fight === undefined ? [] : [fight]
    })
    return found.sort((a, b) => b.changes - a.changes)
  }

  #take(old: AnyObject, object: AnyObject): void {
    const at = this.#now()
    const name = describeObject(object)
    for (const { field, manager, value } of changesBetween(old, object)) {
      const key = `${name} ${field}`
      const history = this.#histories.get(key) ?? { object: name, field, seen: [] }
      history.seen = [...history.seen, { at, manager, value }]
        .filter((change) => at - change.at <= fightWindowMs)
        .slice(-mostChanges)
      this.#histories.set(key, history)
    }
  }
}
