// Which of many are named: each kind has its share, one cause is named once, and loops in trouble are told.
import { describe, expect, it } from 'vitest'
import { type Fault, Pod } from '#kinds'
import type { LoopFigures } from '#reconcile'
import type { Finding } from '../explain/finding.ts'
import { loopTroubles } from './loop-troubles.ts'
import { rootsOf } from './roots.ts'
import { fairShare } from './waiting.ts'

const stuck = (object: string, depth = 0): Finding => ({
  state: 'stuck',
  loop: 'scheduler',
  object,
  gap: 'no node fits',
  evidence: [],
  ...(depth === 0 ? {} : { depth }),
})

describe('one cause', () => {
  it('is named once, by the object nearest to it, with what it holds up', () => {
    const application = { findings: [stuck('Application a'), stuck('Deployment d', 1), stuck('Pod p', 2)] }
    const service = { findings: [stuck('Service s'), stuck('Pod p', 1)] }
    const deployment = { findings: [stuck('Deployment d'), stuck('Pod p', 1)] }
    const other = { findings: [stuck('Node n')] }
    expect(rootsOf([application, deployment, service, other])).toEqual([
      { item: deployment, holdsUp: ['Application a', 'Service s'] },
      { item: other, holdsUp: [] },
    ])
  })

  it('is one of several that hold an object up: each of them says so', () => {
    const both = { findings: [stuck('Application a'), stuck('Deployment d', 1), stuck('Deployment e', 1)] }
    const above = { findings: [stuck('Application b'), stuck('Application a', 1)] }
    const [d, e] = [{ findings: [stuck('Deployment d')] }, { findings: [stuck('Deployment e')] }]
    expect(rootsOf([above, both, d, e])).toEqual([
      { item: d, holdsUp: ['Application b', 'Application a'] },
      { item: e, holdsUp: ['Application b', 'Application a'] },
    ])
  })

  it('of its own keeps an object in the list', () => {
    const both = { findings: [stuck('Application a'), stuck('Deployment d', 1), stuck('ConfigMap c', 1)] }
    const d = { findings: [stuck('Deployment d')] }
    expect(rootsOf([both, d]).map(({ item }) => item)).toEqual([both, d])
  })

  it('that goes in a circle is not lost', () => {
    const a = { findings: [stuck('Application a'), stuck('Application b', 1)] }
    const b = { findings: [stuck('Application b'), stuck('Application a', 1)] }
    expect(rootsOf([a, b]).map(({ item }) => item)).toEqual([a, b])
  })
})

it('shares what can be explained fairly among kinds', () => {
  const many = Array.from({ length: 1000 }, (_, i) => i)
  expect(fairShare([[-1], many, [-2, -3]], 10)).toEqual([-1, 0, 1, 2, 3, 4, 5, 6, -2, -3])
  expect(fairShare([many, many.map((n) => -n)], 4)).toHaveLength(4)
  expect(fairShare([[1], [2]], 10)).toEqual([1, 2])
})

describe('loops in trouble', () => {
  const loop = (parts: Partial<LoopFigures>): LoopFigures =>
    ({ name: 'deployment', paused: false, synced: true, queueDepth: 0, backoff: [], ...parts }) as LoopFigures
  const cache = (parts: object) => ({ kind: Pod, paused: false, synced: true, ...parts }) as never
  const backoff = ['shop/web', 'shop/api'].map((key) => ({ key, failures: 3, error: 'no', nextTryAt: 0 }))

  it('are paused, without a first list, cut off, or fail on something that no object speaks of', () => {
    const fault = {
      metadata: { name: 'stop' },
      status: { phase: 'Active', targets: ['deployment'] },
    } as unknown as Fault
    const told = [{ findings: [stuck('Deployment shop/web')] }]
    const loops = [loop({ paused: true }), loop({ name: 'job', synced: false }), loop({ name: 'replicaset', backoff })]
    const troubles = loopTroubles({ loops, caches: [cache({}), cache({ paused: true })] }, told, [fault])
    expect(troubles.map(({ loop: name, trouble, key }) => [name, trouble, key])).toEqual([
      ['watch of Pod', 'hears nothing', undefined],
      ['deployment', 'is paused', undefined],
      ['job', 'has not begun', undefined],
      ['replicaset', 'fails', 'shop/api'],
    ])
    expect(troubles[1]?.error).toContain('kubectl delete fault stop')
  })

  it('are none when all work', () => {
    expect(loopTroubles({ loops: [loop({})], caches: [cache({})] }, [])).toEqual([])
  })
})
