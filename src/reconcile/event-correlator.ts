// What becomes of an Event before it is written, as in client-go's EventCorrelator: from the tenth similar one within ten
// minutes on they are combined, repetitions raise the count of the Event that is there, and one source may write about
// one object 25 times at once and then once in five minutes. Remembers by object; does no I/O.

import type { CoreV1Event } from '#kinds'
import { formatTime } from '#objects'
import { Recent } from './recent.ts'

/** So many objects are remembered (at most twice as many). */
const rememberedObjects = 4096
const similarLimit = 10
const similarWindowMs = 600_000
const burst = 25
const refillMs = 300_000
/** Texts of one reason that are remembered for counting. */
const rememberedTexts = 32

export type Correlated =
  | { readonly type: 'create'; readonly event: CoreV1Event }
  | { readonly type: 'count'; readonly event: CoreV1Event; readonly patch: Partial<CoreV1Event> }

/** An Event that was written, and how often. */
interface Observation {
  readonly message: string
  readonly fieldPath: string | undefined
  readonly name: string
  readonly firstTimestamp: string
  count: number
}

/** Events of one reason, of one source about one object. */
interface Similar {
  readonly reason: string
  /** Different ones of the present window, a few at most. */
  messages: string[]
  lastAt: number
  seen: readonly Observation[]
  combined: Observation | undefined
}

/** What one source says of one object. Normal Events and Warnings have an allowance each, as was seen of a real kubelet. */
interface Source {
  readonly component: string | undefined
  readonly host: string | undefined
  readonly type: string | undefined
  tokens: number
  refilledAt: number
  reasons: readonly Similar[]
}

export class EventCorrelator {
  readonly #objects = new Recent<Source[]>(rememberedObjects)

  /** What to write of this Event; undefined when its source writes too much. */
  correlate(event: CoreV1Event, now: number): Correlated | undefined {
    const source = this.#sourceOf(event, now)
    const { message = '' } = event
    const similar = similarOf(source, { reason: event.reason ?? '', message, now })
    similar.lastAt = now
    const combines = similar.messages.length >= similarLimit
    // One message makes room, so that the list does not grow while Events go on being similar.
    if (combines) similar.messages.shift()
    const counted = combines ? countCombined(similar, event) : countSame(similar, event)
    if (!mayWrite(source, now)) return undefined
    const { observation, isNew } = counted
    const text = combines ? `(combined from similar events): ${message}` : message
    const { count, name, firstTimestamp } = observation
    const lastTimestamp = formatTime(now)
    if (isNew) return { type: 'create', event: combines ? { ...event, message: text } : event }
    const metadata = { ...event.metadata, name }
    return {
      type: 'count',
      event: { ...event, metadata, message: text, count, firstTimestamp, lastTimestamp },
      patch: { count, lastTimestamp, message: text } as Partial<CoreV1Event>,
    }
  }

  #sourceOf({ involvedObject: on, source, type }: CoreV1Event, now: number): Source {
    const id = on.uid ?? `${on.apiVersion}|${on.kind}|${on.namespace}|${on.name}`
    const sources = this.#objects.get(id)
    const component = source?.component
    const host = source?.host
    for (const known of sources ?? nothing) {
      if (known.type === type && known.component === component && known.host === host) return known
    }
    const made: Source = { component, host, type, tokens: burst, refilledAt: now, reasons: nothing }
    if (sources === undefined) this.#objects.set(id, [made])
    else sources.push(made)
    return made
  }
}

// Lists here begin with what they hold, and grow by copies: pushing onto an empty list sets room for 17 aside, and there
// are several lists for each pod.
const nothing: readonly never[] = []

interface Said {
  readonly reason: string
  readonly message: string
  readonly now: number
}

function similarOf(source: Source, { reason, message, now }: Said): Similar {
  for (const known of source.reasons) {
    if (known.reason !== reason) continue
    if (now - known.lastAt > similarWindowMs) known.messages = [message]
    else if (!known.messages.includes(message)) known.messages.push(message)
    return known
  }
  const made: Similar = { reason, messages: [message], lastAt: now, seen: nothing, combined: undefined }
  source.reasons = source.reasons.length === 0 ? [made] : source.reasons.concat(made)
  return made
}

interface Counted {
  readonly observation: Observation
  readonly isNew: boolean
}

function countSame(similar: Similar, event: CoreV1Event): Counted {
  const { message = '', involvedObject } = event
  for (const known of similar.seen) {
    if (known.message !== message || known.fieldPath !== involvedObject.fieldPath) continue
    known.count += 1
    return { observation: known, isNew: false }
  }
  const observation = observe(event)
  if (similar.seen.length === 0) similar.seen = [observation]
  else similar.seen = similar.seen.slice(similar.seen.length >= rememberedTexts ? 1 : 0).concat(observation)
  return { observation, isNew: true }
}

function countCombined(similar: Similar, event: CoreV1Event): Counted {
  const { combined } = similar
  if (combined !== undefined) {
    combined.count += 1
    return { observation: combined, isNew: false }
  }
  similar.combined = observe(event)
  return { observation: similar.combined, isNew: true }
}

const observe = ({ message = '', involvedObject, metadata, firstTimestamp = '' }: CoreV1Event): Observation => ({
  message,
  fieldPath: involvedObject.fieldPath,
  name: metadata.name ?? '',
  firstTimestamp,
  count: 1,
})

function mayWrite(source: Source, now: number): boolean {
  source.tokens = Math.min(burst, source.tokens + (now - source.refilledAt) / refillMs)
  source.refilledAt = now
  if (source.tokens < 1) return false
  source.tokens -= 1
  return true
}
