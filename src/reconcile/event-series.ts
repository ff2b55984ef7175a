// Events of events.k8s.io/v1 as client-go's tools/events writes them: the first is created, a repetition turns it into a
// series, further ones are only counted and written every 30 minutes; a series ends when nothing came for 6 minutes.

import { isNotFound } from '#api'
import type { Client } from '#client'
import { EventsV1Event } from '#kinds'
import { formatMicroTime } from '#objects'
import type { Cancel, World } from '#world'
import type { EventSender } from './event-sender.ts'
import { Recent } from './recent.ts'

const remembered = 4096
const refreshMs = 1_800_000
const endMs = 360_000

interface Seen {
  event: EventsV1Event
  lastAt: number
}

export class EventSeries {
  readonly #world: World
  readonly #client: Client
  readonly #sender: EventSender
  readonly #seen = new Recent<Seen>(remembered)
  #timers: Cancel[] = []
  #running = false

  constructor(world: World, client: Client, sender: EventSender) {
    this.#world = world
    this.#client = client
    this.#sender = sender
  }

  record(event: EventsV1Event, now: number): void {
    this.#startTimers()
    const key = keyOf(event)
    const seen = this.#seen.get(key)
    if (seen === undefined) {
      this.#seen.set(key, { event, lastAt: now })
      this.#sender.add(() => this.#create(event))
      return
    }
    const { series } = seen.event
    seen.lastAt = now
    seen.event = { ...seen.event, series: { count: (series?.count ?? 1) + 1, lastObservedTime: formatMicroTime(now) } }
    if (series === undefined) this.#send(seen.event)
  }

  stop(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers = []
  }

  // Timers run only while there is something to watch over.
  #startTimers(): void {
    if (this.#running) return
    this.#running = true
    this.#timers = [
      this.#world.clock.after(endMs, 'end event series', () => this.#end()),
      this.#world.clock.after(refreshMs, 'refresh event series', () => this.#refresh()),
    ]
  }

  #refresh(): void {
    for (const [, { event }] of this.#seen.entries()) if (event.series !== undefined) this.#send(event)
    if (this.#running) {
      this.#timers.push(this.#world.clock.after(refreshMs, 'refresh event series', () => this.#refresh()))
    }
  }

  #end(): void {
    const now = this.#world.clock.now()
    let left = 0
    for (const [key, { event, lastAt }] of this.#seen.entries()) {
      if (lastAt + endMs > now) {
        left += 1
        continue
      }
      if (event.series !== undefined) this.#send(event)
      this.#seen.delete(key)
    }
    this.stop()
    this.#running = false
    if (left > 0) this.#startTimers()
  }

  #send(event: EventsV1Event): void {
    this.#sender.add(() => this.#update(event))
  }

  async #create(event: EventsV1Event): Promise<void> {
    await this.#client.create(EventsV1Event, event)
  }

  async #update(event: EventsV1Event): Promise<void> {
    const { namespace = 'default', name = '' } = event.metadata
    const patch = { series: event.series }
    try {
      const type = 'application/strategic-merge-patch+json'
      await this.#client.patch(EventsV1Event, { namespace, name }, patch, { type })
    } catch (error) {
      if (!isNotFound(error)) throw error
      await this.#create(event)
    }
  }
}

function keyOf({
  type,
  action,
  reason,
  reportingController,
  reportingInstance,
  regarding,
  related,
}: EventsV1Event): string {
  const on = [regarding, related].map((ref) =>
    ref === undefined
      ? ''
      : `${ref.kind}/${ref.namespace}/${ref.name}/${ref.uid}/${ref.resourceVersion}/${ref.fieldPath}`,
  )
  return `${type}|${action}|${reason}|${reportingController}|${reportingInstance}|${on.join('|')}`
}
