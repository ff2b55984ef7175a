// What the gitops bench knows of its applications: the state of each, kept by one watch, and whoever waits for some state.

import type { Client } from '#client'
import { Application } from '#kinds'

interface Waiter {
  readonly holds: () => boolean
  readonly end: () => void
}

const stalledMs = 120_000

export class Board {
  readonly #apps = new Map<string, Application>()
  readonly #ending = new AbortController()
  readonly #settled = new Set<string>()
  #waiters: Waiter[] = []
  #changedAt = performance.now()

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
      this.#changedAt = performance.now()
      for (const waiter of this.#waiters.filter(({ holds }) => holds())) waiter.end()
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
  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve()
    this.#changedAt = performance.now()
    return new Promise((resolve, reject) => {
      const check = setInterval(() => {
        if (performance.now() - this.#changedAt > stalledMs)
          end(new Error(`${this.settled} settled, and nothing moves`))
      }, 1000)
      const end = (error?: Error): void => {
        clearInterval(check)
        this.#waiters = this.#waiters.filter((each) => each !== waiter)
        if (error === undefined) resolve()
        else reject(error)
      }
      const waiter = { holds, end: () => end() }
      this.#waiters.push(waiter)
    })
  }

  isSyncedAt(name: string, revision: string): boolean {
    const sync = this.#apps.get(name)?.status?.sync
    return sync?.status === 'Synced' && sync.revision === revision
  }

  close(): void {
    this.#ending.abort()
  }
}
