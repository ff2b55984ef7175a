import { describe, expect, it } from 'vitest'
import type { CoreV1Event } from '#kinds'
import { EventCorrelator } from './event-correlator.ts'

let made = 0
const event = (message: string, more: Partial<CoreV1Event> = {}): CoreV1Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `web.${(made++).toString(16)}`, namespace: 'default' },
  involvedObject: { kind: 'ReplicaSet', name: 'web', namespace: 'default', uid: 'u1' },
  reason: 'SuccessfulCreate',
  message,
  source: { component: 'replicaset-controller' },
  firstTimestamp: '1970-01-01T00:00:00Z',
  lastTimestamp: '1970-01-01T00:00:00Z',
  count: 1,
  type: 'Normal',
  ...more,
})

describe('event correlator', () => {
  it('counts the same event up by a patch', () => {
    const correlator = new EventCorrelator()
    const first = correlator.correlate(event('same'), 0)
    const second = correlator.correlate(event('same'), 60_000)
    expect(first?.type).toBe('create')
    expect(second).toMatchObject({
      type: 'count',
      patch: { count: 2, lastTimestamp: '1970-01-01T00:01:00Z', message: 'same' },
      event: { metadata: { name: first?.event.metadata.name } },
    })
  })

  it('combines similar events from the tenth on', () => {
    const correlator = new EventCorrelator()
    const results = Array.from({ length: 12 }, (_, i) => correlator.correlate(event(`Created pod: web-${i}`), 0))
    expect(results.map((result) => result?.type)).toEqual([...new Array(10).fill('create'), 'count', 'count'])
    expect(results[8]?.event.message).toBe('Created pod: web-8')
    expect(results[9]?.event.message).toBe('(combined from similar events): Created pod: web-9')
    expect(results[11]?.event).toMatchObject({
      count: 3,
      message: '(combined from similar events): Created pod: web-11',
    })
  })

  it('starts over when nothing similar came for ten minutes', () => {
    const correlator = new EventCorrelator()
    for (let i = 0; i < 9; i += 1) correlator.correlate(event(`m${i}`), 0)
    expect(correlator.correlate(event('late'), 600_001)?.event.message).toBe('late')
  })

  it('lets one source write 25 times about an object, then once in five minutes', () => {
    const correlator = new EventCorrelator()
    const written = (now: number): boolean => correlator.correlate(event('same'), now) !== undefined
    expect(Array.from({ length: 30 }, () => written(0)).filter(Boolean)).toHaveLength(25)
    expect(written(299_000)).toBe(false)
    expect(written(300_000)).toBe(true)
    const other = event('same', {
      involvedObject: { kind: 'ReplicaSet', name: 'api', namespace: 'default', uid: 'u2' },
    })
    expect(correlator.correlate(other, 300_000)?.type).toBe('create')
  })

  it('keeps containers apart by field path', () => {
    const correlator = new EventCorrelator()
    const of = (fieldPath: string): CoreV1Event =>
      event('Started', { involvedObject: { kind: 'Pod', name: 'p', fieldPath } })
    expect(correlator.correlate(of('spec.containers{a}'), 0)?.type).toBe('create')
    expect(correlator.correlate(of('spec.containers{b}'), 0)?.type).toBe('create')
  })
})
