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

const refuse = (waiting: WaitingPods, one: typeof a, now: number): void => {
  waiting.park(one, byFit, now)
  waiting.landed(one.key)
}

describe('WaitingPods', () => {
  it('parks a pod until something helps, and tries it at once then', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    expect(waiting.delay(a.key, 0)).toBe(0)
    refuse(waiting, a, 0)
    expect(waiting.delay(a.key, 0)).toBe(300_000)
    expect(waiting.happened(placed, cluster)).toEqual([])
    expect(waiting.happened(gone, cluster)).toEqual([a.key])
    expect(waiting.delay(a.key, 1)).toBe(0)
  })

  it('backs off by twice as much each time, up to the most that is set', () => {
    const waiting = new WaitingPods({ initialSeconds: 1, maxSeconds: 10 })
    waiting.add(a.key, 0)
    const delays = Array.from({ length: 6 }, () => {
      waiting.retry(a.key, 0)
      return waiting.delay(a.key, 0)
    })
    expect(delays).toEqual([2000, 3000, 5000, 9000, 11_000, 11_000])
  })

  it('backs off, and waits for nothing else, when an attempt fails while it was held', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    waiting.hold(a, byFit, 0)
    waiting.retry(a.key, 0)
    expect(waiting.delay(a.key, 0)).toBe(2000)
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
    expect(waiting.before('low', 0)).toBe('high')
    expect(waiting.before('high', 0)).toBeUndefined()
    waiting.forget('high')
    expect(waiting.before('low', 0)).toBeUndefined()
  })

  it('pops a pod that backs off only when nothing is ready', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 1000)
    waiting.add('low', 0)
    refuse(waiting, a, 0)
    waiting.happened(gone, cluster)
    expect(waiting.before('low', 500)).toBeUndefined()
    expect(waiting.before(a.key, 500)).toBe('low')
    waiting.placed('low')
    expect([waiting.before(a.key, 500), waiting.delay(a.key, 500)]).toEqual([undefined, 0])
  })

  it('makes a pod ready with the end of the second in which its back-off ends', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 1000)
    waiting.add('low', 0)
    refuse(waiting, a, 400)
    waiting.happened(gone, cluster)
    expect(waiting.before('low', 1999)).toBeUndefined()
    expect(waiting.before('low', 2000)).toBe(a.key)
  })

  it('pops pods by the second in which their back-off ends, and the more important of one second first', () => {
    const waiting = new WaitingPods()
    const [early, late, high] = [pod('early'), pod('late'), pod('high')]
    for (const [one, priority, at] of [
      [late, 1000, 1100],
      [early, 0, 900],
      [high, 10, 100],
    ] as const) {
      waiting.add(one.key, priority)
      refuse(waiting, one, at)
    }
    waiting.happened(gone, cluster)
    expect(waiting.before(late.key, 1200)).toBe(high.key)
    expect(waiting.before(early.key, 1200)).toBe(high.key)
    waiting.placed(high.key)
    expect(waiting.before(late.key, 1200)).toBe(early.key)
    waiting.placed(early.key)
    expect(waiting.before(late.key, 1200)).toBeUndefined()
  })

  it('does not pop pods that failed with an error', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    waiting.retry(a.key, 300)
    waiting.changed({ type: 'podItself', pod: a, before: a }, cluster)
    expect(waiting.delay(a.key, 400)).toBe(1600)
    expect(waiting.delay(a.key, 2000)).toBe(0)
  })

  it('holds events against the pod as it is now, which alone may help it or not', () => {
    const waiting = new WaitingPods()
    const now = { ...a, labels: { now: 'so' } }
    const wakers: readonly Waker[] = [
      { plugin: 'P', hint: hint('podItself', (own, { pod: one, before }) => own === one && before === now) },
      { plugin: 'P', hint: hint('podGone', (own) => own === now) },
    ]
    waiting.add(a.key, 0)
    for (const change of [
      () => waiting.happened(gone, cluster),
      () => waiting.changed({ type: 'podItself', pod: now, before: now }, cluster),
    ]) {
      waiting.park(a, wakers, 0)
      waiting.landed(a.key)
      waiting.changed({ type: 'podItself', pod: now, before: a }, cluster)
      expect(waiting.delay(a.key, 1)).toBe(300_000 - 1)
      change()
      expect(waiting.delay(a.key, 1)).toBe(0)
    }
  })

  it('counts refusals and errors apart', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 0)
    for (let i = 0; i < 3; i += 1) refuse(waiting, a, 0)
    waiting.retry(a.key, 0)
    expect(waiting.delay(a.key, 0)).toBe(2000)
    refuse(waiting, a, 0)
    expect(waiting.of(a.key)).toMatchObject({ attempts: 5, backoffUntil: 9000 })
  })

  it('notes what happens while an attempt is written, and tries again after that', () => {
    const waiting = new WaitingPods()
    waiting.add(a.key, 1000)
    waiting.add('low', 0)
    waiting.park(a, byFit, 0)
    expect(waiting.happened(gone, cluster)).toEqual([a.key])
    expect(waiting.delay(a.key, 5000)).toBeGreaterThan(0)
    expect(waiting.before('low', 5000)).toBeUndefined()
    waiting.landed(a.key)
    expect(waiting.before('low', 5000)).toBe(a.key)
    expect(waiting.delay(a.key, 5000)).toBe(0)
  })
})
