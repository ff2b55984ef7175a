import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import type { ClusterEvent } from './cluster-event.ts'
import { hint } from './plugin.ts'
import { podFacts } from './pod-facts.ts'
import { defaultPlugins, type Waker, wakersFor } from './profiles.ts'
import type { ClusterView } from './view.ts'
import { WaitingPods } from './waiting.ts'

const pod = (name: string) =>
  podFacts({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'demo' },
    spec: { containers: [] },
  } as Pod)
const [a, b] = [pod('a'), pod('b')]
const cluster = {} as ClusterView
const gone: ClusterEvent = { type: 'podGone', pod: b }
const placed: ClusterEvent = { type: 'podPlaced', pod: b }
const byFit = wakersFor(new Set(['NodeResourcesFit']), defaultPlugins)

describe('WaitingPods', () => {
  it('parks a pod until something helps, and backs off between attempts', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    expect(waiting.delay(a.key, 0)).toBe(0)
    waiting.park(a, byFit, 0)
    expect(waiting.delay(a.key, 0)).toBe(300_000)
    expect(waiting.happened(placed, cluster)).toEqual([])
    expect(waiting.happened(gone, cluster)).toEqual([a.key])
    expect(waiting.delay(a.key, 400)).toBe(600)
    expect(waiting.delay(a.key, 1000)).toBe(0)
    waiting.park(a, byFit, 1000)
    waiting.happened(gone, cluster)
    expect(waiting.delay(a.key, 1000)).toBe(2000)
  })

  it('backs off by twice as much each time, up to the most that is set', () => {
    const waiting = new WaitingPods({ initialSeconds: 1, maxSeconds: 10 })
    waiting.add(a.key, 0)
    const delays = Array.from({ length: 6 }, () => {
      waiting.retry(a.key, 0)
      return waiting.delay(a.key, 0)
    })
    expect(delays).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000])
  })

  it('backs off, and waits for nothing else, when an attempt fails while it was held', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    waiting.hold(a, byFit, 0)
    waiting.retry(a.key, 0)
    expect(waiting.delay(a.key, 0)).toBe(1000)
    expect(waiting.happened(gone, cluster)).toEqual([])
  })

  it('asks the hints of the plug-ins that refused a pod, and no others', () => {
    const waiting = new WaitingPods()
    const asked: string[] = []
    const waker: Waker = {
      plugin: 'P',
      hint: hint('podGone', (own, { pod: other }) => {
        asked.push(`${own.key} ${other.key}`)
        return own.key === a.key
      }),
    }
    for (const one of [a, b]) {
      waiting.add(one.key, 0)
      waiting.park(one, [waker], 0)
    }
    expect(waiting.happened(gone, cluster)).toEqual([a.key])
    expect(asked).toEqual(['demo/a demo/b', 'demo/b demo/b'])
    expect(waiting.of(b.key)?.wakers).toEqual([waker])
    expect(waiting.of(a.key)?.wakers).toEqual([])
  })

  it('lets more important pods go first', () => {
    const waiting = new WaitingPods()
    waiting.add('low', 0)
    waiting.add('high', 1000)
    expect(waiting.moreImportant('low', 0)).toBe('high')
    expect(waiting.moreImportant('high', 0)).toBeUndefined()
    waiting.forget('high')
    expect(waiting.moreImportant('low', 0)).toBeUndefined()
  })

  it('does not wait for a more important pod that still backs off', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 1000)
    waiting.add('low', 0)
    waiting.park(a, byFit, 0)
    waiting.happened(gone, cluster)
    expect(waiting.moreImportant('low', 500)).toBeUndefined()
    expect(waiting.delay(a.key, 1000)).toBe(0)
    expect(waiting.moreImportant('low', 1000)).toBe(a.key)
  })
})
