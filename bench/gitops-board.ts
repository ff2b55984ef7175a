// What the gitops bench knows of its applications: the state of each, kept by one watch, and whoever waits for some state.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '#client'
import { Application } from '#kinds'

const stalledMs = 120_000

export class Board {
  readonly #apps = new Map<string, Application>()
  readonly #ending = new AbortController()
  readonly #settled = new Set<string>()
  readonly #waiting = new Set<() => void>()

  /** Applications that are Synced and Healthy. */
  get settled(): number {
    return this.#settled.size
  }

  async follow(client: Client): Promise<void> {
    const { items, resourceVersion } = await client.list(Application)
    for (const app of items) this.#take(app)
    const { signal } = this.#ending
    const watch = await client.watch(Application, { resourceVersion, signal })
    void this.#read(watch).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  async #read(watch: Awaited<ReturnType<Client['watch']>>): Promise<void> {
    for await (const events of watch) {
      for (const { type, object } of events) if (type !== 'BOOKMARK') this.#take(object as Application)
      for (const moved of this.#waiting) moved()
      this.#waiting.clear()
    }
  }

  #take(app: Application): void {
    const { name = '' } = app.metadata
    this.#apps.set(name, app)
    const isSettled = app.status?.sync?.status === 'Synced' && app.status.health?.status === 'Healthy'
    if (isSettled && app.operation === undefined) this.#settled.add(name)
    else this.#settled.delete(name)
  }

  /** However slow the machine is, as long as it goes on. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const patience = new AbortController()
      this.#waiting.add(() => patience.abort())
      const hasStalled = await delay(stalledMs, true, { signal: patience.signal }).catch(() => false)
      if (hasStalled) throw new Error(`${this.settled} settled, and nothing moves`)
    }
  }

  isSyncedAt(name: string, revision: string): boolean {
    const sync = this.#apps.get(name)?.status?.sync
    return sync?.status === 'Synced' && sync.revision === revision
  }

  close(): void {
    this.#ending.abort()
  }
}
