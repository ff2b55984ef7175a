// Records Events as Kubernetes' components do: core/v1 Events with counts (controllers, kubelet) and events.k8s.io/v1
// Events with series (scheduler). What is recorded arrives later, or never: nothing may depend on it.

import { isNotFound } from '#api'
import type { Client } from '#client'
import { CoreV1Event, type EventSource, type ObjectReference } from '#kinds'
import { formatMicroTime, formatTime, type KubeObject } from '#objects'
import type { World } from '#world'
import { type Correlated, EventCorrelator } from './event-correlator.ts'
import { EventSender } from './event-sender.ts'
import { EventSeries } from './event-series.ts'

export interface EventParts {
  /** What the Event is about. */
  readonly object: KubeObject
  /** A part of the object: `spec.containers{app}`. */
  readonly fieldPath?: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Default: the last part of the loop's user (`deployment-controller`). */
  readonly component?: string
  /** The node, for the kubelet's Events. */
  readonly host?: string
  readonly annotations?: Readonly<Record<string, string>>
}

export interface SeriesEventParts {
  readonly object: KubeObject
  readonly related?: KubeObject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly action: string
  readonly note: string
  /** `default-scheduler`. */
  readonly controller: string
  /** `default-scheduler-<host>`. */
  readonly instance: string
}

export class EventRecorder {
  readonly #world: World
  readonly #client: Client
  readonly #component: string
  readonly #correlator = new EventCorrelator()
  readonly #series: EventSeries
  readonly #sender: EventSender
  #sequence: number
  #instant = instantOf(0)
  #lastSource: EventSource = {}

  constructor(world: World, client: Client, user: string) {
    this.#world = world
    this.#client = client
    this.#component = user.slice(user.lastIndexOf(':') + 1)
    this.#sender = new EventSender(world, this.#component)
    this.#series = new EventSeries(world, client, this.#sender)
    this.#sequence = world.random.fork(`events ${user}`).int(1_000_000)
  }

  record(parts: EventParts): void {
    const now = this.#world.clock.now()
    const correlated = this.#correlator.correlate(this.#make(parts, now), now)
    if (correlated !== undefined) this.#sender.add(() => this.#write(correlated))
  }

  recordSeries(parts: SeriesEventParts): void {
    const now = this.#world.clock.now()
    const regarding = referenceTo(parts.object)
    this.#series.record(
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: this.#nameFor(regarding, now), namespace: regarding.namespace ?? 'default' },
        eventTime: formatMicroTime(now),
        reportingController: parts.controller,
        reportingInstance: parts.instance,
        action: parts.action,
        reason: parts.reason,
        regarding,
        ...(parts.related === undefined ? {} : { related: referenceTo(parts.related) }),
        note: parts.note,
        type: parts.type,
        ...asStored,
      },
      now,
    )
  }

  stop(): void {
    this.#sender.stop()
    this.#series.stop()
  }

  #make(parts: EventParts, now: number): CoreV1Event {
    const on = referenceTo(parts.object, parts.fieldPath)
    const component = parts.component ?? this.#component
    const time = formatTime(now)
    const name = this.#nameFor(on, now)
    const namespace = on.namespace ?? 'default'
    const { annotations } = parts
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: annotations === undefined ? { name, namespace } : { name, namespace, annotations },
      involvedObject: on,
      reason: parts.reason,
      message: parts.message,
      source: this.#sourceOf(component, parts.host),
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: parts.type,
      // As it is stored, so that the server need not make a copy.
      eventTime: null as unknown as string,
      reportingComponent: component,
      reportingInstance: parts.host ?? '',
    }
  }

  /** Many Events in a row come from one source. */
  #sourceOf(component: string, host: string | undefined): EventSource {
    const last = this.#lastSource
    if (last.component === component && last.host === host) return last
    this.#lastSource = host === undefined ? { component } : { component, host }
    return this.#lastSource
  }

  // `<object>.<hex of nanoseconds>`: the part below a millisecond is a counter, which keeps names of one instant apart.
  #nameFor({ name }: ObjectReference, now: number): string {
    if (now !== this.#instant.at) this.#instant = instantOf(now)
    this.#sequence = (this.#sequence + 1) % 1_000_000
    const low = this.#instant.low + this.#sequence
    const high = low < 2 ** 32 ? this.#instant.high : this.#instant.high + 1
    return `${name}.${high.toString(16)}${(low % 2 ** 32).toString(16).padStart(8, '0')}`
  }

  #write(correlated: Correlated): Promise<unknown> {
    const { event } = correlated
    const create = (): Promise<unknown> => this.#client.create(CoreV1Event, event)
    if (correlated.type === 'create') return create()
    const ref = { namespace: event.metadata.namespace ?? 'default', name: event.metadata.name ?? '' }
    const type = 'application/strategic-merge-patch+json'
    return this.#client.patch(CoreV1Event, ref, correlated.patch, { type }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
      return create()
    })
  }
}

/** What the server would add: with it, it need not make a copy. */
const asStored = {
  deprecatedFirstTimestamp: null as unknown as string,
  deprecatedLastTimestamp: null as unknown as string,
  deprecatedSource: {},
}

interface Instant {
  readonly at: number
  readonly high: number
  readonly low: number
}

/** The nanoseconds of an instant, as two 32-bit numbers. */
function instantOf(at: number): Instant {
  const nanoseconds = BigInt(at) * 1_000_000n
  return { at, high: Number(nanoseconds >> 32n), low: Number(nanoseconds & 0xffff_ffffn) }
}

type Draft = { -readonly [K in keyof ObjectReference]: ObjectReference[K] }

// Set field by field: what is made by spreading others gets a hidden class of its own in V8, which costs whoever reads it.
function referenceTo({ apiVersion, kind, metadata }: KubeObject, fieldPath?: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata
  const reference: Draft = { kind, apiVersion }
  if (namespace !== undefined) reference.namespace = namespace
  if (name !== undefined) reference.name = name
  if (uid !== undefined) reference.uid = uid
  if (resourceVersion !== undefined) reference.resourceVersion = resourceVersion
  if (fieldPath !== undefined) reference.fieldPath = fieldPath
  return reference
}
