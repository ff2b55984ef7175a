// What Events say of an object, as evidence.

export interface EventLike {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly eventTime?: string
  readonly involvedObject?: { readonly fieldPath?: string }
  readonly metadata: { readonly creationTimestamp?: string }
}

const timeOf = (event: EventLike): string =>
  event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? ''

/** The newest Event with one of these reasons. */
export const newestEvent = (events: readonly EventLike[], reasons: readonly string[]): EventLike | undefined =>
  events
    .filter((event) => event.reason !== undefined && reasons.includes(event.reason))
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))[0]

export function eventEvidence(events: readonly EventLike[], reasons: readonly string[]): readonly string[] {
  const newest = newestEvent(events, reasons)
  if (newest === undefined) return []
  const times = (newest.count ?? 1) > 1 ? ` (${newest.count} times)` : ''
  return [`event ${newest.reason}${times}: ${newest.message ?? ''}`]
}
