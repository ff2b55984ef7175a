// How pods are spread: what is refused, what makes room for it, and what is only preferred.
import { describe, expect, it } from 'vitest'
import type { Pod, TopologySpreadConstraint } from '#kinds'
import {
  host,
  node,
  noVictims,
  type PodParts,
  pod,
  type Scene,
  scoresOf,
  spreadOver,
  taint,
  verdict,
  zone,
  zoned,
} from '../../../../test/support/scheduling-scene.ts'

const two = [node('a'), node('b')]

const spread = (key: string, more: Partial<TopologySpreadConstraint> = {}): PodParts => ({
  labels: { app: 'x' },
  ...spreadOver(key, more),
})

describe('PodTopologySpread', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'spreading by a label that some nodes have',
      pod('p', spread('rack')),
      {
        nodes: [node('n0', { labels: { rack: '1' } }), node('n1', { labels: { rack: '2' } }), node('n2')],
        pods: [
          pod('a', { labels: { app: 'x' }, nodeName: 'n0' }),
          pod('b', { labels: { app: 'x' }, nodeName: 'n0' }),
          pod('c', { nodeName: 'n1', requests: { cpu: '4' } }),
        ],
      },
      'on n1',
    ],
    [
      'spreading that is full where it could go on',
      pod('p', { ...spread('rack'), requests: { cpu: '1' } }),
      {
        nodes: [node('n0', { labels: { rack: '1' } }), node('n1', { labels: { rack: '2' } }), node('n2')],
        pods: [
          pod('a', { labels: { app: 'x' }, nodeName: 'n0' }),
          pod('b', { nodeName: 'n1', requests: { cpu: '4' } }),
        ],
      },
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label). no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
    ],
    [
      'fewer domains than wanted',
      pod('p', spread(zone, { minDomains: 4 })),
      {
        nodes: zoned,
        pods: zoned.map(({ metadata }, i) => pod(`q${i}`, { labels: { app: 'x' }, nodeName: metadata.name ?? '' })),
      },
      `0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.${noVictims(3)}`,
    ],
    [
      'nodes that node affinity excludes do not count for spreading',
      pod('p', { ...spread(zone), nodeSelector: { pool: 'big' } }),
      {
        nodes: [
          node('n0', { labels: { [zone]: 'a', pool: 'big' } }),
          node('n1', { labels: { [zone]: 'b', pool: 'small' } }),
        ],
        pods: [pod('q', { labels: { app: 'x' }, nodeName: 'n0' })],
      },
      'on n0',
    ],
    [
      'unless they are to be counted',
      pod('p', { ...spread(zone, { nodeAffinityPolicy: 'Ignore' }), nodeSelector: { pool: 'big' } }),
      {
        nodes: [
          node('n0', { labels: { [zone]: 'a', pool: 'big' } }),
          node('n1', { labels: { [zone]: 'b', pool: 'small' } }),
        ],
        pods: [pod('q', { labels: { app: 'x' }, nodeName: 'n0' })],
      },
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod topology spread constraints. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
    ],
    [
      'tainted nodes do not count for spreading where taints are honoured',
      pod('p', spread(zone, { nodeTaintsPolicy: 'Honor' })),
      {
        nodes: [
          node('n0', { labels: { [zone]: 'a' } }),
          node('n1', { labels: { [zone]: 'b' }, spec: { taints: [taint('k')] } }),
        ],
        pods: [pod('q', { labels: { app: 'x' }, nodeName: 'n0' })],
      },
      'on n0',
    ],
    [
      'less important pods make room for spreading too',
      pod('p', {
        ...spread(zone),
        priority: 10,
        nodeSelector: { [host]: 'node-a' },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: zone,
            whenUnsatisfiable: 'DoNotSchedule',
            nodeAffinityPolicy: 'Ignore',
            labelSelector: { matchLabels: { app: 'x' } },
          },
        ],
      }),
      { nodes: zoned, pods: [pod('q', { labels: { app: 'x' }, nodeName: 'node-a' })] },
      'makes room on node-a',
    ],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })

  it('scores: soft spreading', () => {
    expect(
      scoresOf('PodTopologySpread', pod('p', spread(host, { whenUnsatisfiable: 'ScheduleAnyway' })), {
        nodes: two,
        pods: [pod('q', { labels: { app: 'x' }, nodeName: 'a' }), pod('r', { labels: { app: 'x' }, nodeName: 'a' })],
      }),
    ).toEqual([0, 100])
  })
})
