// How nodes are scored by how evenly their resources are used.
import { describe, expect, it } from 'vitest'
import { node, pod, scoresOf } from '../../../../test/support/scheduling-scene.ts'

describe('NodeResourcesBalancedAllocation', () => {
  it('scores: balanced', () => {
    expect(
      scoresOf('NodeResourcesBalancedAllocation', pod('p', { requests: { cpu: '1', memory: '2Gi' } }), {
        nodes: [node('a'), node('b')],
        pods: [pod('q', { nodeName: 'a', requests: { cpu: '2', memory: '2Gi' } })],
      }),
    ).toEqual([87, 100])
  })
})
