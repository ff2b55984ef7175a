// What fits on a node, and how nodes are scored by what is left of them.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import {
  five,
  helpless,
  node,
  noVictims,
  pod,
  type Scene,
  scoresOf,
  verdict,
} from '../../../../test/support/scheduling-scene.ts'
import { defaultArgs } from '../plugin-args.ts'

const two = [node('a'), node('b')]
const taken = [pod('q', { nodeName: 'a', requests: { cpu: '2', memory: '2Gi' } })]
const wanted = pod('p', { requests: { cpu: '1', memory: '2Gi' } })

const strategy = (type: 'MostAllocated' | 'RequestedToCapacityRatio', more: object = {}): Scene => ({
  nodes: two,
  pods: taken,
  args: {
    fit: {
      ...defaultArgs.fit,
      scoringStrategy: { ...defaultArgs.fit.scoringStrategy, type, ...more },
    },
  },
})

describe('NodeResourcesFit', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'too many pods and too little memory',
      pod('p', { requests: { memory: '1Ti' } }),
      { nodes: [node('n0', { allocatable: { pods: '0' } })] },
      `0/1 nodes are available: 1 Insufficient memory, 1 Too many pods.${helpless(1)}`,
    ],
    [
      'too many pods',
      pod('p'),
      { nodes: [node('n0', { allocatable: { pods: '1' } })], pods: [pod('q', { nodeName: 'n0' })] },
      `0/1 nodes are available: 1 Too many pods.${noVictims(1)}`,
    ],
    [
      'an extended resource that no node has',
      pod('p', { requests: { 'nvidia.com/gpu': '1', 'ephemeral-storage': '1Gi' } }),
      {},
      `0/5 nodes are available: 5 Insufficient ephemeral-storage, 5 Insufficient nvidia.com/gpu.${helpless()}`,
    ],
    [
      'resources that the profile ignores',
      pod('p', { requests: { 'example.com/foo': '1' } }),
      { nodes: five.slice(0, 1), args: { fit: { ...defaultArgs.fit, ignoredResourceGroups: ['example.com'] } } },
      'on node-0',
    ],
  ])('%s', (_name, asking, scene, expected) => {
    expect(verdict(asking, scene)).toBe(expected)
  })

  it.each<readonly [string, Pod, Scene, readonly number[]]>([
    ['least allocated', wanted, { nodes: two, pods: taken }, [37, 75]],
    ['most allocated', wanted, strategy('MostAllocated'), [62, 25]],
    [
      'by a line, CPU three times',
      wanted,
      strategy('RequestedToCapacityRatio', {
        resources: [
          { name: 'cpu', weight: 3 },
          { name: 'memory', weight: 1 },
        ],
        shape: [
          { utilization: 0, score: 0 },
          { utilization: 100, score: 10 },
        ],
      }),
      [69, 25],
    ],
  ])('scores: %s', (_name, asking, scene, expected) => {
    expect(scoresOf('NodeResourcesFit', asking, scene)).toEqual(expected)
  })
})
