import { describe, expect, it } from 'vitest'
import type { Kind, Node, Pod, PodSpec } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { simulatedWorld } from '#world'
import { attempt, nodesToFind } from './cycle.ts'
import { failureMessage } from './failure.ts'
import { podFacts } from './pod-facts.ts'
import { decidePreemption } from './preemption.ts'
import { Snapshot } from './snapshot.ts'

/** Objects as the cache would hold them. */
function cacheOf(objects: readonly KubeObject[]): Cache {
  const list = (kind: Kind, namespace?: string): readonly KubeObject[] =>
    objects.filter((o) => o.kind === kind.kind && (namespace === undefined || o.metadata.namespace === namespace))
  return {
    get: (kind: Kind, key: string) =>
      list(kind).find(
        ({ metadata: { namespace, name } }) => key === (namespace === undefined ? name : `${namespace}/${name}`),
      ),
    list,
    by: ({ kind, values }: Index<KubeObject>, value: string) => list(kind).filter((o) => values(o).includes(value)),
    ownedBy: () => [],
  } as unknown as Cache
}

const node = (name: string, more: Partial<Node['spec']> = {}, labels: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec: more,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
})

let serial = 0
const pod = (name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo', uid: `u${++serial}`, labels },
  spec: { containers: [{ name: 'app', image: 'busybox' }], ...spec },
})

const wanting = (requests: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: 'app', image: 'busybox', resources: { requests } }],
})

function snapshotOf(nodes: readonly Node[], pods: readonly Pod[], others: readonly KubeObject[] = []): Snapshot {
  const snapshot = new Snapshot(cacheOf(others))
  for (const each of nodes) snapshot.putNode(each)
  for (const each of pods) snapshot.putPod(`demo/${each.metadata.name}`, each)
  return snapshot
}

const { random } = simulatedWorld(1)
const tryPod = (wanted: Pod, snapshot: Snapshot) => attempt(podFacts(wanted), snapshot, { random, startAt: 0 })

/** The whole message, with what preemption says. */
function messageFor(wanted: Pod, snapshot: Snapshot): string {
  const result = tryPod(wanted, snapshot)
  if (result.type === 'found') return `on ${result.node.name}`
  const { refusals, cause } = result
  const outcome =
    cause === 'filters'
      ? decidePreemption(podFacts(wanted), { cluster: snapshot, random, refusals, budgets: () => [] })
      : undefined
  return outcome?.node === undefined ? failureMessage(result, outcome) : `makes room on ${outcome.node.name}`
}

const two = [node('a'), node('b')]
const anti = (key: string): Partial<PodSpec> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: key, labelSelector: { matchLabels: { app: 'x' } } },
      ],
    },
  },
})
const spread = (key: string, maxSkew = 1): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    { maxSkew, topologyKey: key, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } } },
  ],
})
const near: Partial<PodSpec> = {
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'y' } } },
      ],
    },
  },
}
const notHelpful =
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.'

describe('attempt', () => {
  it.each<[string, Pod, Snapshot, string]>([
    ['no nodes', pod('p'), snapshotOf([], []), 'no nodes available to schedule pods'],
    [
      'more than any node has',
      pod('p', wanting({ cpu: '100', memory: '1Ti' })),
      snapshotOf(two, []),
      `0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory. ${notHelpful}`,
    ],
    [
      'more than is left',
      pod('p', wanting({ cpu: '3' })),
      snapshotOf(two, [
        pod('1', { ...wanting({ cpu: '2' }), nodeName: 'a' }),
        pod('2', { ...wanting({ cpu: '2' }), nodeName: 'b' }),
      ]),
      '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
    ],
    [
      'cordoned and tainted',
      pod('p'),
      snapshotOf(
        [node('a', { unschedulable: true }), node('b', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] })],
        [],
      ),
      `0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${notHelpful}`,
    ],
    [
      'a label that no node has',
      pod('p', { nodeSelector: { disk: 'ssd' } }),
      snapshotOf(two, []),
      `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${notHelpful}`,
    ],
    [
      'a topology that no node is in',
      pod('p', spread('zone')),
      snapshotOf(two, []),
      `0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label). ${notHelpful}`,
    ],
    [
      'a claim that is missing',
      pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'absent' } }] }),
      snapshotOf(two, []),
      '0/2 nodes are available: persistentvolumeclaim "absent" not found. not found',
    ],
    [
      'a claim that is unbound',
      pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
      snapshotOf(
        two,
        [],
        [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c', namespace: 'demo' } }],
      ),
      '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'the host port is taken on one node',
      pod('p', { containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 80 }] }] }),
      snapshotOf(two, [
        pod('1', { nodeName: 'a', containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 80 }] }] }),
      ]),
      'on b',
    ],
    [
      'anti-affinity',
      pod('p', anti('kubernetes.io/hostname'), { app: 'x' }),
      snapshotOf(two, [pod('1', { nodeName: 'a' }, { app: 'x' })]),
      'on b',
    ],
    [
      'anti-affinity of a pod that is there',
      pod('p', {}, { app: 'x' }),
      snapshotOf(two, [pod('1', { ...anti('kubernetes.io/hostname'), nodeName: 'b' })]),
      'on a',
    ],
    ['affinity', pod('p', near), snapshotOf(two, [pod('1', { nodeName: 'b' }, { app: 'y' })]), 'on b'],
    [
      'affinity to nobody',
      pod('p', near),
      snapshotOf(two, []),
      `0/2 nodes are available: 2 node(s) didn't match pod affinity rules. ${notHelpful}`,
    ],
    [
      'spread',
      pod('p', spread('kubernetes.io/hostname'), { app: 'x' }),
      snapshotOf(two, [pod('1', { nodeName: 'a' }, { app: 'x' })]),
      'on b',
    ],
    ['less used', pod('p'), snapshotOf(two, [pod('1', { ...wanting({ cpu: '2' }), nodeName: 'a' })]), 'on b'],
    [
      'preference',
      pod('p', {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
            ],
          },
        },
      }),
      snapshotOf([node('a'), node('b', {}, { disk: 'ssd' })], []),
      'on b',
    ],
  ])('%s', (_name, wanted, snapshot, expected) => {
    expect(messageFor(wanted, snapshot)).toBe(expected)
  })

  it('looks for half of the nodes of a cluster of 200, and for a tenth of 5000', () => {
    expect([50, 200, 5000].map((count) => nodesToFind(count))).toEqual([50, 100, 500])
  })
})

describe('decidePreemption', () => {
  it('takes the node where the least important pods have to go', () => {
    const snapshot = snapshotOf(two, [
      pod('1', { ...wanting({ cpu: '3' }), nodeName: 'a', priority: 5 }),
      pod('2', { ...wanting({ cpu: '3' }), nodeName: 'b', priority: 1 }),
      pod('3', { ...wanting({ cpu: '500m' }), nodeName: 'b', priority: 1 }),
    ])
    const wanted = podFacts(pod('p', { ...wanting({ cpu: '2' }), priority: 10 }))
    const result = attempt(wanted, snapshot, { random, startAt: 0 })
    if (result.type === 'found') throw new Error('nothing should fit')
    const outcome = decidePreemption(wanted, {
      cluster: snapshot,
      random,
      refusals: result.refusals,
      budgets: () => [],
    })
    expect(outcome.node?.name).toBe('b')
    expect(outcome.node === undefined ? [] : outcome.victims.map(({ key }) => key)).toEqual(['demo/2'])
  })
})

describe('Snapshot', () => {
  it('counts and forgets pods as they come and go', () => {
    const snapshot = snapshotOf(two, [])
    const one = pod('1', { ...wanting({ cpu: '1' }), nodeName: 'a' })
    expect(snapshot.putPod('demo/1', one)?.type).toBe('podPlaced')
    expect(snapshot.putPod('demo/1', { ...one, status: { phase: 'Running' } })).toBeUndefined()
    expect(snapshot.node('a')?.milliCpu).toBe(1000)
    expect(snapshot.putPod('demo/1', { ...one, status: { phase: 'Succeeded' } })?.type).toBe('podGone')
    expect(snapshot.node('a')?.milliCpu).toBe(0)
  })

  it('gives up a placement when another pod has the name, though nobody saw the first one go', () => {
    const snapshot = snapshotOf(two, [])
    snapshot.putPod('demo/1', pod('1', { nodeName: 'a' }))
    const next = pod('1')
    expect(snapshot.putPod('demo/1', next)?.type).toBe('podGone')
    expect(snapshot.isPlaced('demo/1')).toBe(false)
    // One that was assumed, and is not shown with its node yet, stays.
    snapshot.assume(podFacts(next), 'a')
    expect(snapshot.putPod('demo/1', next)).toBeUndefined()
    expect(snapshot.isPlaced('demo/1')).toBe(true)
  })
})
