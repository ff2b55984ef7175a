// Which nodes a pod asks for, by labels and by name, and what its profile adds.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import {
  helpless,
  host,
  node,
  type PodParts,
  pod,
  type Scene,
  scoresOf,
  verdict,
} from '../../../../test/support/scheduling-scene.ts'

const two = [node('a'), node('b')]

const requiring = (terms: readonly object[]): PodParts =>
  ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  }) as unknown as PodParts

const named = (...values: readonly string[]) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] })

describe('NodeAffinity', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'affinity on some nodes, CPU on the others',
      pod('p', {
        ...requiring([{ matchExpressions: [{ key: host, operator: 'In', values: ['node-1', 'node-2'] }] }]),
        requests: { cpu: '100' },
      }),
      {},
      `0/5 nodes are available: 2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector.${helpless()}`,
    ],
    [
      'a DaemonSet pod is looked at on its node alone',
      pod('p', { ...requiring([named('node-1')]), requests: { cpu: '3' } }),
      { pods: [pod('q', { nodeName: 'node-1', requests: { cpu: '2' } })] },
      "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/5 nodes are available: 1 No preemption victims found for incoming pod, 4 Preemption is not helpful for scheduling.",
    ],
    [
      'a node that is not there',
      pod('p', requiring([named('gone')])),
      {},
      `0/5 nodes are available: 5 node(s) didn't satisfy plugin(s) [NodeAffinity].${helpless()}`,
    ],
    [
      'fields that contradict each other',
      pod('p', requiring([{ matchFields: [...named('a').matchFields, ...named('b').matchFields] }])),
      {},
      '0/5 nodes are available: pod affinity terms conflict. not found',
    ],
    [
      'affinity of the profile',
      pod('p'),
      {
        args: {
          nodeAffinity: {
            addedAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }],
              },
            },
          },
        },
      },
      `0/5 nodes are available: 5 node(s) didn't match scheduler-enforced node affinity.${helpless()}`,
    ],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })

  it('scores: affinity that the profile adds', () => {
    expect(
      scoresOf('NodeAffinity', pod('p'), {
        nodes: two,
        args: {
          nodeAffinity: {
            addedAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 5, preference: { matchExpressions: [{ key: host, operator: 'In', values: ['b'] }] } },
              ],
            },
          },
        },
      }),
    ).toEqual([0, 100])
  })
})
