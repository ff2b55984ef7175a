// What taints do to where pods run.
import { describe, expect, it } from 'vitest'
import { helpless, node, pod, scoresOf, taint, verdict } from '../../../../test/support/scheduling-scene.ts'

describe('TaintToleration', () => {
  it('several taints, with and without value', () => {
    expect(
      verdict(pod('p', { tolerations: [{ key: 'ok', operator: 'Exists' }] }), {
        nodes: [
          node('n0', { spec: { taints: [taint('ok'), taint('gpu', 'a100')] } }),
          node('n1', { spec: { taints: [taint('gpu', 'a100'), taint('other')] } }),
          node('n2', { spec: { taints: [taint('maintenance', undefined, 'NoExecute')] } }),
        ],
      }),
    ).toBe(`0/3 nodes are available: 3 node(s) had untolerated taint(s).${helpless(3)}`)
  })

  it('scores: taints that only ask', () => {
    expect(
      scoresOf('TaintToleration', pod('p'), {
        nodes: [node('a', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), node('b')],
      }),
    ).toEqual([0, 100])
  })
})
