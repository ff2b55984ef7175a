// Events live for an hour of world time after they were last written, as with kube-apiserver's --event-ttl. One queue in
// order of time and one timer: an event that is written again just gets a second place in the queue.

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

interface Place {
  readonly key: string
  readonly revision: number
  readonly expiresAt: number
}

export class EventExpiry implements ResourceHooks {
  readonly #core: Core
  readonly #served: Served
  #queue: Place[] = []
  #head = 0
  #cancel: Cancel | undefined

  constructor(core: Core, served: Served) {
    this.#core = core
    this.#served = served
  }

  /** Takes up the events that a store already holds: they lose no time of theirs. */
  restore(): void {
    const places = this.#core.store
      .list(this.#served.bucket)
      .entries.map((entry) => this.#place(entry, lastWritten(entry.value)))
    this.#queue = places.sort((a, b) => a.expiresAt - b.expiresAt)
    this.#arm()
  }

  wrote(current: Entry | undefined): void {
    if (current === undefined) return
    this.#queue.push(this.#place(current, this.#core.world.clock.now()))
    this.#arm()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #place({ key, revision }: Entry, writtenAt: number): Place {
    return { key, revision, expiresAt: writtenAt + lifetimeMs }
  }

  #arm(): void {
    const next = this.#queue[this.#head]
    if (this.#cancel !== undefined || next === undefined) return
    const delay = Math.max(sweepEveryMs, next.expiresAt - this.#core.world.clock.now())
    this.#cancel = this.#core.world.clock.after(delay, 'expire events', () => this.#sweep())
  }

  #sweep(): void {
    this.#cancel = undefined
    const now = this.#core.world.clock.now()
    const { store } = this.#core
    for (
      let next = this.#queue[this.#head];
      next !== undefined && next.expiresAt <= now;
      next = this.#queue[this.#head]
    ) {
      this.#head++
      const entry = store.get(this.#served.bucket, next.key)
      if (entry?.revision !== next.revision) continue
      const event = store.delete(this.#served.bucket, next.key, next.revision, (at) =>
        withMetadata(entry.value, { resourceVersion: String(at) }),
      )
      this.#core.wrote(this.#served, undefined, event.previous)
    }
    if (this.#head > 1000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    this.#arm()
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
