// What a failed attempt says that no plug-in of its own decides.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { node, pod, type Scene, taint, verdict } from '../../../test/support/scheduling-scene.ts'

describe('the message of a failed attempt', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'never preempting',
      pod('p', { requests: { cpu: '100' }, preemptionPolicy: 'Never', priority: 10 }),
      {},
      '0/5 nodes are available: 5 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    ],
    ['no nodes', pod('p'), { nodes: [] }, 'no nodes available to schedule pods'],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })

  it('has its reasons sorted as texts, as Kubernetes sorts them', () => {
    const nodes = Array.from({ length: 12 }, (_, i) =>
      node(`n${i}`, i < 10 ? { spec: { unschedulable: true } } : { spec: { taints: [taint('k', 'v')] } }),
    )
    expect(verdict(pod('p'), { nodes })).toMatch(
      /^0\/12 nodes are available: 10 node\(s\) were unschedulable, 2 node\(s\) had untolerated taint\(s\)\./,
    )
  })
})
