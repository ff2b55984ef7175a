// Events live for an hour of world time after they were last written, as with kube-apiserver's --event-ttl. One queue of
// seconds and one timer: an event that is written again just gets a second place in the queue.

import type { AnyObject } from '#objects'
import type { Entry } from '#store'
import type { Cancel } from '#world'
import type { Core } from './core.ts'
import type { ResourceHooks } from './hooks.ts'
import { withMetadata } from './object-meta.ts'
import type { Served } from './served.ts'

const lifetimeMs = 3_600_000
/** Expired events are removed in groups, at most this often. */
const sweepEveryMs = 10_000

/** Events that were written in one second, and expire together. */
interface Group {
  readonly expiresAt: number
  readonly keys: string[]
  readonly revisions: number[]
}

export class EventExpiry implements ResourceHooks {
  readonly #core: Core
  readonly #served: Served
  #groups: Group[] = []
  #cancel: Cancel | undefined

  constructor(core: Core, served: Served) {
    this.#core = core
    this.#served = served
  }

  /** Takes up the events that a store already holds: they lose no time of theirs. */
  restore(): void {
    const written = this.#core.store
      .list(this.#served.bucket)
      .entries.map((entry) => ({ entry, at: lastWritten(entry.value) }))
    for (const { entry, at } of written.sort((a, b) => a.at - b.at)) this.#add(entry, at)
    this.#arm()
  }

  wrote(current: Entry | undefined): void {
    if (current === undefined) return
    this.#add(current, this.#core.world.clock.now())
    this.#arm()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #add({ key, revision }: Entry, writtenAt: number): void {
    const expiresAt = Math.ceil(writtenAt / 1000) * 1000 + lifetimeMs
    let group = this.#groups.at(-1)
    if (group === undefined || group.expiresAt < expiresAt) {
      group = { expiresAt, keys: [], revisions: [] }
      this.#groups.push(group)
    }
    group.keys.push(key)
    group.revisions.push(revision)
  }

  #arm(): void {
    const next = this.#groups[0]
    if (this.#cancel !== undefined || next === undefined) return
    const delay = Math.max(sweepEveryMs, next.expiresAt - this.#core.world.clock.now())
    this.#cancel = this.#core.world.clock.after(delay, 'expire events', () => this.#sweep())
  }

  #sweep(): void {
    this.#cancel = undefined
    const now = this.#core.world.clock.now()
    const staying = this.#groups.findIndex(({ expiresAt }) => expiresAt > now)
    for (const { keys, revisions } of this.#groups.splice(0, staying < 0 ? this.#groups.length : staying))
      keys.forEach((key, i) => {
        this.#remove(key, revisions[i] ?? 0)
      })
    this.#arm()
  }

  /** Removes an event, unless it was written again since. */
  #remove(key: string, revision: number): void {
    const { store } = this.#core
    const entry = store.get(this.#served.bucket, key)
    if (entry?.revision !== revision) return
    const event = store.delete(this.#served.bucket, key, revision, (at) =>
      withMetadata(entry.value, { resourceVersion: String(at) }),
    )
    this.#core.wrote(this.#served, undefined, event.previous)
  }
}

function lastWritten(event: AnyObject): number {
  const { lastTimestamp, firstTimestamp, eventTime, series } = event as {
    readonly lastTimestamp?: unknown
    readonly firstTimestamp?: unknown
    readonly eventTime?: unknown
    readonly series?: { readonly lastObservedTime?: unknown }
  }
  const times = [series?.lastObservedTime, lastTimestamp, eventTime, firstTimestamp, event.metadata.creationTimestamp]
  const found = times.find((time) => typeof time === 'string' && time !== '')
  return typeof found === 'string' ? Date.parse(found) : 0
}
