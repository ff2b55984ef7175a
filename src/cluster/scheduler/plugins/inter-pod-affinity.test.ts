// Which pods want to be together or apart, those that are there already included.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import {
  far,
  helpless,
  host,
  near,
  node,
  noVictims,
  pod,
  type Scene,
  scoresOf,
  verdict,
  zone,
  zoned,
} from '../../../../test/support/scheduling-scene.ts'

const two = [node('a'), node('b')]

describe('InterPodAffinity', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'affinity to nobody',
      pod('p', near(host, 'db')),
      {},
      `0/5 nodes are available: 5 node(s) didn't match pod affinity rules.${helpless()}`,
    ],
    [
      'anti-affinity of both sides',
      pod('p', { ...far(zone, 'y'), labels: { app: 'x' } }),
      {
        nodes: zoned,
        pods: [
          pod('a', { labels: { app: 'y' }, nodeName: 'node-a' }),
          pod('b', { ...far(host, 'x'), nodeName: 'node-b' }),
          pod('c', { ...far(zone, 'x', { namespaceSelector: {} }), nodeName: 'node-c', namespace: 'other' }),
        ],
      },
      "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 node(s) didn't satisfy existing pods anti-affinity rules." +
        noVictims(3),
    ],
    [
      'the first of a group that wants to be together',
      pod('p', { ...near(zone, 'x'), labels: { app: 'x' } }),
      { nodes: zoned.slice(0, 1) },
      'on node-a',
    ],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })

  it('scores: required affinity of a pod that is there', () => {
    expect(
      scoresOf('InterPodAffinity', pod('p', { labels: { app: 'x' } }), {
        nodes: two,
        pods: [pod('q', { ...near(host, 'x'), nodeName: 'b' })],
      }),
    ).toEqual([0, 100])
  })

  it('scores: rounds as kube-scheduler does', () => {
    const rather = (weight: number, app: string) => ({
      weight,
      podAffinityTerm: { topologyKey: host, labelSelector: { matchLabels: { app } } },
    })
    const preferredDuringSchedulingIgnoredDuringExecution = [rather(29, 'x'), rather(100, 'y')]
    expect(
      scoresOf(
        'InterPodAffinity',
        pod('p', { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } }),
        {
          nodes: [...two, node('c')],
          pods: [pod('q', { labels: { app: 'x' }, nodeName: 'a' }), pod('r', { labels: { app: 'y' }, nodeName: 'b' })],
        },
      ),
    ).toEqual([28, 100, 0])
  })

  it('leaves what others would rather have out where the profile says so, for pods without wishes of their own', () => {
    const rather = (app: string) => ({
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, podAffinityTerm: { topologyKey: host, labelSelector: { matchLabels: { app } } } },
          ],
        },
      },
    })
    const args = { interPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: true } }
    const scene = { nodes: two, pods: [pod('q', { ...rather('x'), nodeName: 'b' })], args }
    const labels = { app: 'x' }
    expect(scoresOf('InterPodAffinity', pod('p', { labels }), scene)).toEqual([-1, -1])
    expect(scoresOf('InterPodAffinity', pod('p', { labels, ...rather('nobody') }), scene)).toEqual([0, 100])
  })

  it('leaves required affinity of others out where the profile says so', () => {
    const args = { interPodAffinity: { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: false } }
    const scene = { nodes: two, pods: [pod('q', { ...near(host, 'x'), nodeName: 'b' })], args }
    expect(scoresOf('InterPodAffinity', pod('p', { labels: { app: 'x' } }), scene)).toEqual([-1, -1])
  })
})
