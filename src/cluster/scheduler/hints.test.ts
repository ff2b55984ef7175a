// Which events may change the mind of a plug-in that has refused a pod, as the queueing hints of kube-scheduler say.
import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '#kinds'
import {
  host,
  node,
  type PodParts,
  pod,
  sceneOf,
  spreadOver,
  taint,
  zone,
} from '../../../test/support/scheduling-scene.ts'
import { type ClusterEvent, nodeEvents } from './cluster-event.ts'
import { podFacts } from './pod-facts.ts'
import { defaultPlugins, wakersFor } from './profiles.ts'

const scene = sceneOf({})

const helps = (plugin: string, waiting: Pod, event: ClusterEvent): boolean =>
  wakersFor(new Set([plugin]), defaultPlugins).some(
    ({ hint }) => hint.on === event.type && hint.helps?.(podFacts(waiting), event, scene) !== false,
  )

const becomes = (type: 'podRelabelled' | 'podShrunk' | 'podItself', before: PodParts, now: PodParts): ClusterEvent => ({
  type,
  pod: podFacts(pod('other', now)),
  before: podFacts(pod('other', before)),
})

const cpu = (amount: string): PodParts => ({ requests: { cpu: amount } })
const app = (name: string): PodParts => ({ labels: { app: name } })
const tolerating = (key: string): PodParts => ({ tolerations: [{ key, operator: 'Exists' }] })
const cordon = 'node.kubernetes.io/unschedulable'
const spread = (more: object = {}): PodParts => spreadOver(zone, more)

describe('what may help a refused pod', () => {
  it.each<readonly [string, string, PodParts, ClusterEvent, boolean]>([
    ['less of what it wants', 'NodeResourcesFit', cpu('1'), becomes('podShrunk', cpu('2'), cpu('1')), true],
    [
      'less of something else',
      'NodeResourcesFit',
      { requests: { memory: '1Gi' } },
      becomes('podShrunk', cpu('2'), cpu('1')),
      false,
    ],
    ['it wants less', 'NodeResourcesFit', cpu('1'), becomes('podItself', cpu('2'), cpu('1')), true],
    [
      'it has another label',
      'NodeResourcesFit',
      cpu('1'),
      becomes('podItself', cpu('1'), { ...cpu('1'), ...app('x') }),
      false,
    ],
    ['it tolerates a taint', 'TaintToleration', {}, becomes('podItself', {}, tolerating('gpu')), true],
    ['its labels change', 'TaintToleration', {}, becomes('podItself', {}, app('x')), false],
    ['it tolerates what cordons', 'NodeUnschedulable', {}, becomes('podItself', {}, tolerating(cordon)), true],
    ['it tolerates something else', 'NodeUnschedulable', {}, becomes('podItself', {}, tolerating('gpu')), false],
    ['promised room', 'NodeResourcesFit', cpu('1'), { type: 'promiseGone', pod: podFacts(pod('other')) }, true],
    [
      'room promised to a less important pod',
      'NodeResourcesFit',
      { ...cpu('1'), priority: 1 },
      { type: 'promiseGone', pod: podFacts(pod('other')) },
      false,
    ],
    ['a pod counts from now on', 'PodTopologySpread', spread(), becomes('podRelabelled', app('y'), app('x')), true],
    ['a pod counts no more', 'PodTopologySpread', spread(), becomes('podRelabelled', app('x'), app('y')), true],
    [
      'a pod counts as before',
      'PodTopologySpread',
      spread(),
      becomes('podRelabelled', app('x'), { labels: { app: 'x', b: '' } }),
      false,
    ],
    ['it counts itself', 'PodTopologySpread', spread(), becomes('podItself', app('y'), app('x')), true],
    [
      'it tolerates, and that counts',
      'PodTopologySpread',
      spread({ nodeTaintsPolicy: 'Honor' }),
      becomes('podItself', {}, tolerating('gpu')),
      true,
    ],
    [
      'it tolerates, which is the same',
      'PodTopologySpread',
      spread(),
      becomes('podItself', {}, tolerating('gpu')),
      false,
    ],
  ])('%s (%s)', (_name, plugin, waiting, event, expected) => {
    expect(helps(plugin, pod('p', waiting), event)).toBe(expected)
  })

  const inZone = (name: string): Node => node('n', { labels: { [zone]: name } })
  it.each<readonly [string, string, PodParts, Node | undefined, Node, boolean]>([
    ['more of what it wants', 'NodeResourcesFit', cpu('1'), node('n'), node('n', { allocatable: { cpu: '5' } }), true],
    ['room for more pods', 'NodeResourcesFit', cpu('1'), node('n'), node('n', { allocatable: { pods: '11' } }), true],
    ['less than before', 'NodeResourcesFit', cpu('1'), node('n'), node('n', { allocatable: { cpu: '3' } }), false],
    [
      'more of something else',
      'NodeResourcesFit',
      cpu('1'),
      node('n'),
      node('n', { allocatable: { memory: '9Gi' } }),
      false,
    ],
    ['still not enough', 'NodeResourcesFit', cpu('9'), node('n'), node('n', { allocatable: { cpu: '5' } }), false],
    ['a node in a zone', 'PodTopologySpread', spread(), undefined, inZone('a'), true],
    ['a node in none', 'PodTopologySpread', spread(), undefined, node('n'), false],
    ['a node moves', 'PodTopologySpread', spread(), inZone('a'), inZone('b'), true],
    ['a node leaves its zone', 'PodTopologySpread', spread(), inZone('a'), node('n'), true],
    [
      'a node without zone changes',
      'PodTopologySpread',
      spread(),
      node('n'),
      node('n', { labels: { disk: 'ssd' }, spec: { taints: [taint('gpu')] } }),
      false,
    ],
    [
      'other labels',
      'PodTopologySpread',
      spread({ topologyKey: host }),
      node('n'),
      node('n', { labels: { disk: 'ssd' } }),
      false,
    ],
    [
      'other taints',
      'PodTopologySpread',
      spread({ topologyKey: host }),
      node('n'),
      node('n', { spec: { taints: [taint('gpu')] } }),
      true,
    ],
  ])('of nodes: %s (%s)', (_name, plugin, waiting, old, now, expected) => {
    expect(nodeEvents(now, old).some((event) => helps(plugin, pod('p', waiting), event))).toBe(expected)
  })
})
