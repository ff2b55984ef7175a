// Event, of the core group and of events.k8s.io: one object behind two forms. The rules see the core form.

import { CoreV1Event, EventsV1Event } from '../generated/types.ts'
import type { Column, Kind, KindRules } from '../kind.ts'
import { nameColumn, text, wide } from '../table/columns.ts'
import { age } from '../table/duration.ts'
import { validateCoreEvent, validateEventsV1, validateEventsV1Update } from './validate.ts'

type Event = CoreV1Event

const source = ({ source: from, reportingComponent, reportingInstance }: Event): string => {
  const component = from?.component || reportingComponent || ''
  const instance = from?.host || reportingInstance || ''
  return instance === '' ? component : `${component}, ${instance}`
}

function objectText({ involvedObject }: Event): string {
  const kind = (involvedObject.kind ?? '').toLowerCase()
  return involvedObject.name ? `${kind}/${involvedObject.name}` : kind
}

function lastSeen(event: Event, now: number): string {
  if (event.series !== undefined) return age(event.series.lastObservedTime as string | undefined, now)
  return age((event.lastTimestamp ?? event.firstTimestamp ?? event.eventTime) as string | undefined, now)
}

const firstSeen = (event: Event, now: number): string =>
  age((event.firstTimestamp ?? event.eventTime) as string | undefined, now)

const columns: readonly Column<Event>[] = [
  text('Last Seen', 'The time at which the most recent occurrence of this event was recorded.', lastSeen),
  text(
    'Type',
    'Type of this event (Normal, Warning), new types could be added in the future',
    ({ type }) => type ?? '',
  ),
  text(
    'Reason',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ({ reason }) => reason ?? '',
  ),
  text('Object', 'The object that this event is about.', objectText),
  wide(
    text(
      'Subobject',
      'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
      ({ involvedObject }) => involvedObject.fieldPath ?? '',
    ),
  ),
  wide(text('Source', 'The component reporting this event. Should be a short machine understandable string.', source)),
  text('Message', 'A human-readable description of the status of this operation.', ({ message }) =>
    (message ?? '').trim(),
  ),
  wide(
    text(
      'First Seen',
      'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
      firstSeen,
    ),
  ),
  wide(
    text('Count', 'The number of times this event has occurred.', ({ series, count }) => series?.count ?? (count || 1)),
  ),
  wide(nameColumn),
]

const selectableFields: Readonly<Record<string, (event: Event) => string>> = {
  'involvedObject.kind': ({ involvedObject }) => involvedObject.kind ?? '',
  'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace ?? '',
  'involvedObject.name': ({ involvedObject }) => involvedObject.name ?? '',
  'involvedObject.uid': ({ involvedObject }) => involvedObject.uid ?? '',
  'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion ?? '',
  'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion ?? '',
  'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath ?? '',
  reason: ({ reason }) => reason ?? '',
  reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
  source: ({ source: from, reportingComponent }) => from?.component || reportingComponent || '',
  type: ({ type }) => type ?? '',
}

export const coreEventRules: KindRules<Event> = {
  kind: CoreV1Event,
  metaOnUpdate: '',
  nameRule: 'path',
  generation: 'none',
  allowCreateOnUpdate: true,
  validate: validateCoreEvent,
  columns,
  selectableFields,
}

// The source of an event cannot be selected by in this group.
const regarding = Object.fromEntries(
  Object.entries(selectableFields).flatMap(([field, value]) => {
    const name = field.replace(/^involvedObject\./, 'regarding.').replace(/^reportingComponent$/, 'reportingController')
    return name === 'source' ? [] : [[name, value]]
  }),
)

export const eventsV1Rules: KindRules<Event> = {
  kind: EventsV1Event as unknown as Kind<Event>,
  generation: 'none',
  allowCreateOnUpdate: true,
  validate: validateEventsV1,
  validateUpdate: validateEventsV1Update,
  columns,
  selectableFields: regarding,
}
