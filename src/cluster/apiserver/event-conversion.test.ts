import { expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { convertEventToCore, convertEventToEventsV1 } from './event-conversion.ts'

const core = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'p' },
  reason: 'Why',
  message: 'Because',
  source: { component: 'c' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: null,
  count: 2,
  reportingComponent: '',
  reportingInstance: '',
} as unknown as AnyObject

it('turns core events into events.k8s.io and back', () => {
  const other = convertEventToEventsV1(core)
  expect(other).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: core.metadata,
    regarding: { kind: 'Pod', name: 'p' },
    reason: 'Why',
    note: 'Because',
    deprecatedSource: { component: 'c' },
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedLastTimestamp: null,
    deprecatedCount: 2,
  })
  expect(convertEventToCore(other)).toEqual(core)
})
