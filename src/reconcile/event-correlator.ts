// What becomes of an Event before it is written, as in client-go's EventCorrelator: from the tenth similar one within ten
// minutes on they are combined, repetitions raise the count of the Event that is there, and one source may write about
// one object 25 times at once and then once in five minutes. Remembers; does no I/O.

import type { CoreV1Event } from '#kinds'
import { formatTime } from '#objects'
import { Recent } from './recent.ts'

const remembered = 4096
const similarLimit = 10
const similarWindowMs = 600_000
const burst = 25
const refillMs = 300_000

export interface Observation {
  readonly name: string
  readonly firstTimestamp: string
  readonly count: number
}

export type Correlated =
  | { readonly type: 'create'; readonly event: CoreV1Event; readonly key: string }
  | { readonly type: 'count'; readonly event: CoreV1Event; readonly key: string; readonly patch: Partial<CoreV1Event> }

interface Similar {
  readonly messages: Set<string>
  lastAt: number
}

interface Bucket {
  tokens: number
  at: number
}

export class EventCorrelator {
  readonly #similar = new Recent<Similar>(remembered)
  readonly #observed = new Recent<Observation>(remembered)
  readonly #buckets = new Recent<Bucket>(remembered)

  /** What to write of this Event; undefined when its source writes too much. */
  correlate(event: CoreV1Event, now: number): Correlated | undefined {
    const source = sourceKey(event)
    const { event: combined, key } = this.#combine(event, source, now)
    const seen = this.#observed.get(key)
    const time = formatTime(now)
    const counted: CoreV1Event =
      seen === undefined
        ? combined
        : {
            ...combined,
            metadata: { ...combined.metadata, name: seen.name },
            count: seen.count + 1,
            firstTimestamp: seen.firstTimestamp,
            lastTimestamp: time,
          }
    this.#observed.set(key, {
      name: counted.metadata.name ?? '',
      firstTimestamp: counted.firstTimestamp ?? time,
      count: counted.count ?? 1,
    })
    // A real kubelet was seen to have one allowance for Normal Events and one for Warnings.
    if (!this.#mayWrite(`${source}|${event.type}`, now)) return undefined
    if (seen === undefined) return { type: 'create', event: counted, key }
    const { count, lastTimestamp, message } = counted
    const patch = { count, lastTimestamp, message } as Partial<CoreV1Event>
    return { type: 'count', event: counted, key, patch }
  }

  #combine(event: CoreV1Event, source: string, now: number): { readonly event: CoreV1Event; readonly key: string } {
    const similarKey = `${source}|${event.type}|${event.reason}`
    const message = event.message ?? ''
    let similar = this.#similar.get(similarKey)
    if (similar === undefined || now - similar.lastAt > similarWindowMs) {
      similar = { messages: new Set(), lastAt: now }
      this.#similar.set(similarKey, similar)
    }
    similar.messages.add(message)
    similar.lastAt = now
    if (similar.messages.size < similarLimit) {
      return { event, key: `${similarKey}|${event.involvedObject.fieldPath ?? ''}|${message}` }
    }
    // One message makes room, so that the set does not grow while Events go on being similar.
    const any = similar.messages.values().next()
    if (any.done !== true) similar.messages.delete(any.value)
    return { event: { ...event, message: `(combined from similar events): ${message}` }, key: similarKey }
  }

  #mayWrite(source: string, now: number): boolean {
    let bucket = this.#buckets.get(source)
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now }
      this.#buckets.set(source, bucket)
    }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMs)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}

function sourceKey({ source, involvedObject: on }: CoreV1Event): string {
  // A uid says it all, and short keys are quick to look up.
  const object = on.uid ?? `${on.apiVersion}|${on.kind}|${on.namespace}|${on.name}`
  return `${source?.component}|${source?.host ?? ''}|${object}`
}
