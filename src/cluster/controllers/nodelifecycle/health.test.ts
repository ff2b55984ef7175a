import { describe, expect, it } from 'vitest'
import type { Lease, Node, NodeCondition, Taint } from '#kinds'
import { schedulingTaints, silentAt, unknownConditions } from './health.ts'
import { missingLabels } from './labels.ts'
import { decideEvictions } from './zones.ts'

const now = Date.parse('2026-01-01T01:00:00Z')
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1000).toISOString().replace(/\.\d+/, '')

interface Traits {
  readonly ready?: string
  readonly zone?: string
  readonly taints?: readonly Taint[]
  readonly conditions?: readonly NodeCondition[]
  readonly unschedulable?: boolean
}

function node(name: string, traits: Traits = {}): Node {
  const { ready = 'True', zone, taints, conditions, unschedulable } = traits
  const own = { type: 'Ready', status: ready, lastHeartbeatTime: at(100), lastTransitionTime: at(90) }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: at(3600),
      labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone },
    },
    spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: { conditions: conditions ?? [own] },
  }
}

const lease = (secondsAgo: number): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {},
  spec: { renewTime: new Date(now - secondsAgo * 1000).toISOString() },
})

describe('the health of a node', () => {
  it('counts silence from the last lease or status, whichever is later', () => {
    expect(silentAt(node('a'), lease(10))).toBe(now + 40_000)
    expect(silentAt(node('a'), undefined)).toBe(now - 50_000)
    expect(silentAt(node('a', { conditions: [] }), undefined)).toBe(now - 3_540_000)
  })

  it('says that nobody knows any more', () => {
    const conditions = unknownConditions(node('a'), now)
    expect(conditions[0]).toMatchObject({
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastHeartbeatTime: at(100),
    })
    expect(conditions[1]).toMatchObject({ type: 'MemoryPressure', status: 'Unknown', reason: 'NodeStatusNeverUpdated' })
    const unknown = { ...node('a'), status: { conditions } }
    expect(unknownConditions(unknown, now + 1000)).toBe(conditions)
  })

  it.each<readonly [string, Traits, readonly string[]]>([
    ['ready', {}, []],
    ['not ready', { ready: 'False' }, ['node.kubernetes.io/not-ready']],
    ['unknown', { ready: 'Unknown' }, ['node.kubernetes.io/unreachable']],
    ['cordoned', { unschedulable: true }, ['node.kubernetes.io/unschedulable']],
    [
      'cordoned and unknown',
      { ready: 'Unknown', unschedulable: true },
      ['node.kubernetes.io/unreachable', 'node.kubernetes.io/unschedulable'],
    ],
    ['ready again', { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] }, []],
    ['tainted by hand', { taints: [{ key: 'mine', effect: 'NoSchedule' }] }, ['mine']],
    ['short of disk', { conditions: [{ type: 'DiskPressure', status: 'True' }] }, ['node.kubernetes.io/disk-pressure']],
  ])('keeps new pods away from a node that is %s', (_, traits, keys) => {
    expect(schedulingTaints(node('a', traits), now).map(({ key }) => key)).toEqual(keys)
  })
})

describe('the labels of a node', () => {
  const labelled = (labels: Readonly<Record<string, string>>): Node => ({ ...node('a'), metadata: { labels } })
  it.each<readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>> | undefined]>([
    ['say its system by the old name too', { 'kubernetes.io/os': 'linux' }, { 'beta.kubernetes.io/os': 'linux' }],
    [
      'say what the new name says',
      { 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' },
      { 'beta.kubernetes.io/arch': 'arm64' },
    ],
    ['are left alone when they do', { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }, undefined],
    ['are left alone without the new name', { 'beta.kubernetes.io/os': 'linux' }, undefined],
  ])('%s', (_, labels, missing) => {
    expect(missingLabels(labelled(labels))).toEqual(missing)
  })
})

describe('evictions', () => {
  const tainted = (secondsAgo: number): readonly Taint[] => [
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: at(secondsAgo) },
  ]
  const lost = { ready: 'Unknown' }
  const names = (nodes: readonly Node[]) =>
    decideEvictions(nodes, now).changes.map((change) => change.node.metadata.name)

  it('taint one node every ten seconds', () => {
    const healthy = ['x', 'y', 'z'].map((name) => node(name))
    expect(names([...healthy, node('a', lost), node('b', lost)])).toEqual(['a'])
    const after = [...healthy, node('a', { ...lost, taints: tainted(4) }), node('b', lost)]
    expect(decideEvictions(after, now)).toEqual({ changes: [], nextAt: now + 6000 })
  })

  it('stop in a small zone that is mostly lost', () => {
    expect(names([node('x'), node('a', lost), node('b', lost), node('c', lost)])).toEqual([])
  })

  it('taint a node that the controller found silent when it looks again', () => {
    const silent = (secondsAgo: number): Node => {
      const own = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: at(secondsAgo) }
      return node('a', { conditions: [own] })
    }
    expect(decideEvictions([node('x'), silent(1)], now)).toEqual({ changes: [], nextAt: now + 4000 })
    expect(names([node('x'), silent(5)])).toEqual(['a'])
  })

  it('count a node that has never reported as lost, and do not taint it', () => {
    const silent = (name: string) => node(name, { conditions: [] })
    expect(names([node('x'), node('y'), node('z'), node('a', lost), silent('b')])).toEqual(['a'])
    expect(names([node('x'), node('y'), node('a', lost), silent('b'), silent('c')])).toEqual([])
    expect(names([node('a', { ...lost, taints: tainted(60) }), silent('b')])).toEqual(['a'])
  })

  it('taint nodes that do not count where it is asked how many are lost', () => {
    const excluded = (name: string): Node => {
      const { metadata, ...rest } = node(name, lost)
      return { ...rest, metadata: { ...metadata, labels: { 'node.kubernetes.io/exclude-disruption': '' } } }
    }
    expect(names([node('x'), node('a', lost), node('b', lost), excluded('c')])).toEqual(['a'])
    expect(names([node('x'), excluded('a'), excluded('b'), excluded('c')])).toEqual(['a'])
    expect(names([excluded('a'), excluded('b')])).toEqual(['a'])
  })

  it('stop everywhere when all zones are lost, and are taken back', () => {
    expect(names([node('a', { ...lost, taints: tainted(60) }), node('b', lost)])).toEqual(['a'])
    expect(decideEvictions([node('a', { ...lost, taints: tainted(60) })], now).changes[0]?.taints).toEqual([])
  })

  it('go on in a zone that is wholly lost while another is well', () => {
    expect(names([node('x', { zone: 'one' }), node('a', { ...lost, zone: 'two' })])).toEqual(['a'])
  })

  it('end when a node is back, and follow how it fails', () => {
    expect(decideEvictions([node('a', { taints: tainted(60) })], now).changes[0]?.taints).toEqual([])
    const failing = node('a', { ready: 'False', taints: tainted(60) })
    expect(decideEvictions([node('x'), failing], now).changes[0]?.taints).toMatchObject([
      { key: 'node.kubernetes.io/not-ready' },
    ])
  })
})
