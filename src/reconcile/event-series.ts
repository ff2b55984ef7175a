// Events of events.k8s.io/v1 as client-go's tools/events writes them: the first is created, a repetition turns it into a
// series, further ones are only counted and written every 30 minutes; a series ends when nothing came for 6 minutes.

import { isNotFound } from '#api'
import type { Client } from '#client'
import { EventsV1Event, type ObjectReference } from '#kinds'
import { formatMicroTime } from '#objects'
import type { Cancel, World } from '#world'
import type { EventSender } from './event-sender.ts'
import { Recent } from './recent.ts'

/** So many objects are remembered (at most twice as many). */
const rememberedObjects = 4096
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
  /** What was seen of each object. */
  readonly #seen = new Recent<Seen[]>(rememberedObjects)
  #timers: Cancel[] = []
  #running = false

  constructor(world: World, client: Client, sender: EventSender) {
    this.#world = world
    this.#client = client
    this.#sender = sender
  }

  record(event: EventsV1Event, now: number): void {
    this.#startTimers()
    const ofObject = this.#ofObject(event)
    const seen = ofObject.find((one) => isSame(one.event, event))
    if (seen === undefined) {
      ofObject.push({ event, lastAt: now })
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

  #ofObject({ regarding }: EventsV1Event): Seen[] {
    const id = regarding?.uid ?? textOf(regarding)
    let seen = this.#seen.get(id)
    if (seen === undefined) {
      seen = []
      this.#seen.set(id, seen)
    }
    return seen
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
    for (const [, ofObject] of this.#seen.entries())
      for (const { event } of ofObject) if (event.series !== undefined) this.#send(event)
    if (this.#running) {
      this.#timers.push(this.#world.clock.after(refreshMs, 'refresh event series', () => this.#refresh()))
    }
  }

  #end(): void {
    const now = this.#world.clock.now()
    let left = 0
    for (const [id, ofObject] of this.#seen.entries()) {
      const staying = ofObject.filter(({ lastAt }) => lastAt + endMs > now)
      for (const { event, lastAt } of ofObject)
        if (lastAt + endMs <= now && event.series !== undefined) this.#send(event)
      left += staying.length
      if (staying.length === 0) this.#seen.delete(id)
      else if (staying.length < ofObject.length) this.#seen.set(id, staying)
    }
    this.stop()
    this.#running = false
    if (left > 0) this.#startTimers()
  }

  #send(event: EventsV1Event): void {
    this.#sender.add(() => this.#update(event))
  }

  #create(event: EventsV1Event): Promise<unknown> {
    // Nobody looks at the answer, so it is not asked for: making it costs as much as the write.
    const { namespace = 'default' } = event.metadata
    return this.#client.request({
      verb: 'create',
      resource: EventsV1Event,
      namespace,
      body: { type: 'object', object: event },
    })
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

const textOf = (ref: ObjectReference | undefined): string => `${ref?.kind}/${ref?.namespace}/${ref?.name}`

/** Whether two Events are of one series. */
const isSame = (a: EventsV1Event, b: EventsV1Event): boolean =>
  a.reason === b.reason &&
  a.type === b.type &&
  a.action === b.action &&
  a.reportingController === b.reportingController &&
  a.reportingInstance === b.reportingInstance &&
  isSameReference(a.regarding, b.regarding) &&
  isSameReference(a.related, b.related)

function isSameReference(a: ObjectReference | undefined, b: ObjectReference | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.resourceVersion === b.resourceVersion &&
    a.uid === b.uid &&
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.kind === b.kind &&
    a.fieldPath === b.fieldPath
  )
}
