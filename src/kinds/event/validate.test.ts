import { expect, it } from 'vitest'
import type { CoreV1Event } from '../generated/types.ts'
import { validateEventsV1Update } from './validate.ts'

const event: CoreV1Event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'n' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'n' },
  eventTime: '2025-01-01T00:00:00.000000Z',
  reportingComponent: 'c',
  reportingInstance: 'i',
  action: 'a',
  reason: 'r',
  type: 'Normal',
}

it.each<[string, Partial<CoreV1Event>, readonly string[]]>([
  ['nothing', {}, []],
  [
    'what it is about',
    { involvedObject: { kind: 'Pod', name: 'q', namespace: 'n', uid: 'u' } },
    [
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"n","Name":"q","UID":"u","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    ],
  ],
  ['the reason', { reason: 's' }, Array<string>(2).fill('reason: Invalid value: "s": field is immutable')],
  [
    'the series',
    { series: { count: 1, lastObservedTime: event.eventTime as string } },
    ['series.count: Invalid value: 1: should be at least 2'],
  ],
])('an update of an event that changes %s', (_what, change, expected) => {
  const faults = validateEventsV1Update({ ...event, ...change }, event)
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
})
