import { expect, it } from 'vitest'
import type { CoreV1Event } from '../generated/types.ts'
import { validateCoreEvent, validateEventsV1, validateEventsV1Update } from './validate.ts'

const event = (fields: object): CoreV1Event =>
  ({
    metadata: { name: 'a', namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
    eventTime: '2025-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'Made',
    action: 'Make',
    reportingComponent: 'a/b',
    reportingInstance: 'a',
    ...fields,
  }) as unknown as CoreV1Event
const texts = (faults: readonly { field: string; message: string }[]): readonly string[] =>
  faults.map(({ field, message }) => `${field}: ${message}`)

it('asks those of events.k8s.io for more', () => {
  const wrong = event({ type: 'Other', count: 2, lastTimestamp: '2025-01-01T00:00:00Z', source: { host: 'a' } })
  expect(validateCoreEvent(wrong)).toEqual([])
  expect(texts(validateEventsV1(wrong))).toEqual([
    'type: Invalid value: "": has invalid value: Other',
    'lastTimestamp: Invalid value: "": needs to be unset',
    'count: Invalid value: "": needs to be unset',
    'source: Invalid value: "": needs to be unset',
  ])
})

it('lets nothing of them change but the series', () => {
  const series = { count: 1, lastObservedTime: '2025-01-01T00:00:00.000000Z' }
  expect(validateEventsV1Update(event({ source: { host: 'a' } }), event({ source: { host: 'a' } }))).toEqual([])
  expect(
    texts(validateEventsV1Update(event({ series, reason: 'B', related: { kind: 'Pod', name: 'b' } }), event({}))),
  ).toEqual([
    'series.count: Invalid value: "": should be at least 2',
    'reason: Invalid value: "B": field is immutable',
    'reason: Invalid value: "B": field is immutable',
    'related: Invalid value: {"Kind":"Pod","Namespace":"","Name":"b","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
  ])
})
