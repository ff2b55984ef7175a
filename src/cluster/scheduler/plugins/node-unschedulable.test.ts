// What is said of cordoned nodes.
import { describe, expect, it } from 'vitest'
import { helpless, node, pod, taint, verdict } from '../../../../test/support/scheduling-scene.ts'

describe('NodeUnschedulable', () => {
  it('a cordoned node says so before its taint', () => {
    expect(
      verdict(pod('p'), {
        nodes: [node('n0', { spec: { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable')] } })],
      }),
    ).toBe(`0/1 nodes are available: 1 node(s) were unschedulable.${helpless(1)}`)
  })
})
