// Each plug-in in words and numbers: what it says of nodes that it refuses, and how it scores those that fit.
import { describe, expect, it } from 'vitest'
import type { Kind, Node, Pod, PodSpec, TopologySpreadConstraint } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { simulatedWorld } from '#world'
import { attempt } from '../cycle.ts'
import { failureMessage } from '../failure.ts'
import { defaultArgs, type PluginArgs } from '../plugin-args.ts'
import { podFacts } from '../pod-facts.ts'
import { decidePreemption } from '../preemption.ts'
import { defaultProfile, type Plugins, pluginsOf } from '../profiles.ts'
import { Snapshot } from '../snapshot.ts'

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? (name ?? '') : `${namespace}/${name}`

function cacheOf(objects: readonly KubeObject[]): Cache {
  const list = (kind: Kind) => objects.filter((one) => one.kind === kind.kind)
  return {
    get: (kind: Kind, key: string) => list(kind).find((one) => keyOf(one) === key),
    list,
    by: ({ kind, values }: Index<KubeObject>, value: string) => list(kind).filter((o) => values(o).includes(value)),
    ownedBy: () => [],
  } as unknown as Cache
}

interface NodeParts {
  readonly labels?: Record<string, string>
  readonly spec?: Node['spec']
  readonly allocatable?: Record<string, string>
}

const zone = 'topology.kubernetes.io/zone'
const host = 'kubernetes.io/hostname'

const node = (name: string, { labels = {}, spec = {}, allocatable = {} }: NodeParts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [host]: name, ...labels } },
  spec,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable } },
})

interface PodParts extends Partial<PodSpec> {
  readonly labels?: Record<string, string>
  readonly requests?: Record<string, string>
  readonly namespace?: string
  readonly nominated?: string
}

let serial = 0
function pod(name: string, { labels = {}, requests, namespace = 'demo', nominated, ...spec }: PodParts = {}): Pod {
  serial += 1
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `u${serial}`, labels },
    spec: { containers: [{ name: 'a', image: 'a', ...(requests ? { resources: { requests } } : {}) }], ...spec },
    ...(nominated === undefined ? {} : { status: { nominatedNodeName: nominated } }),
  }
}

const object = (kind: string, name: string, rest: object, namespace?: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...rest,
  }) as KubeObject

const bound = { 'pv.kubernetes.io/bind-completed': 'yes' }
interface ClaimParts {
  readonly annotations?: Record<string, string>
  readonly metadata?: object
  readonly phase?: string
  readonly spec?: object
}
const claim = (name: string, { annotations, metadata, phase, spec }: ClaimParts = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'demo', annotations, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase },
  }) as unknown as KubeObject
const volume = (name: string, spec: object = {}, labels: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  }) as unknown as KubeObject
const storageClass = (name: string, rest: object = {}): KubeObject =>
  object('StorageClass', name, { provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer', ...rest })

const using = (...claims: readonly string[]): PodParts => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
})

const on = (hostname: string) => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: host, operator: 'In', values: [hostname] }] }] },
  },
})

interface Scene {
  readonly nodes?: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly objects?: readonly KubeObject[]
  readonly args?: Partial<PluginArgs>
}

const five = [0, 1, 2, 3, 4].map((i) => node(`node-${i}`))

function sceneOf({ nodes = five, pods = [], objects = [] }: Scene): Snapshot {
  const snapshot = new Snapshot(cacheOf([...objects, ...pods]))
  for (const each of nodes) snapshot.putNode(each)
  for (const each of pods) snapshot.putPod(keyOf(each), each)
  return snapshot
}

const pluginsWith = (args: Partial<PluginArgs> = {}): Plugins =>
  pluginsOf({ ...defaultProfile, args: { ...defaultArgs, ...args } })

const { random } = simulatedWorld(1)

/** `on NODE`, `makes room on NODE`, or the whole message. */
function verdict(wanted: Pod, scene: Scene): string {
  const cluster = sceneOf(scene)
  const plugins = pluginsWith(scene.args)
  const facts = podFacts(wanted)
  const result = attempt(facts, cluster, { random, startAt: 0, plugins })
  if (result.type === 'found') return `on ${result.node.name}`
  const { cause, refusals } = result
  const outcome =
    cause === 'filters' ? decidePreemption(facts, { cluster, random, refusals, budgets: () => [], plugins }) : undefined
  return outcome?.node === undefined ? failureMessage(result, outcome) : `makes room on ${outcome.node.name}`
}

const helpless = (count = 5): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`
const noVictims = (count = 5): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} No preemption victims found for incoming pod.`

const taint = (key: string, value?: string, effect: 'NoSchedule' | 'NoExecute' = 'NoSchedule') => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
})

const spread = (key: string, more: Partial<TopologySpreadConstraint> = {}): PodParts => ({
  labels: { app: 'x' },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: key,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'x' } },
      ...more,
    },
  ],
})

const term = (key: string, app: string, more: object = {}) => ({
  topologyKey: key,
  labelSelector: { matchLabels: { app } },
  ...more,
})
const near = (key: string, app: string, more: object = {}): PodParts => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(key, app, more)] } },
})
const far = (key: string, app: string, more: object = {}): PodParts => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(key, app, more)] } },
})

const requiring = (terms: readonly object[]): PodParts =>
  ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  }) as unknown as PodParts
const named = (...values: readonly string[]) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] })

const zoned = ['a', 'b', 'c'].map((name) => node(`node-${name}`, { labels: { [zone]: name } }))

describe('messages', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'several taints, with and without value',
      pod('p', { tolerations: [{ key: 'ok', operator: 'Exists' }] }),
      {
        nodes: [
          node('n0', { spec: { taints: [taint('ok'), taint('gpu', 'a100')] } }),
          node('n1', { spec: { taints: [taint('gpu', 'a100'), taint('other')] } }),
          node('n2', { spec: { taints: [taint('maintenance', undefined, 'NoExecute')] } }),
        ],
      },
      `0/3 nodes are available: 3 node(s) had untolerated taint(s).${helpless(3)}`,
    ],
    [
      'a cordoned node says so before its taint',
      pod('p'),
      { nodes: [node('n0', { spec: { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable')] } })] },
      `0/1 nodes are available: 1 node(s) were unschedulable.${helpless(1)}`,
    ],
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
      'never preempting',
      pod('p', { requests: { cpu: '100' }, preemptionPolicy: 'Never', priority: 10 }),
      {},
      '0/5 nodes are available: 5 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    ],
    [
      'a missing claim',
      pod('p', using('absent')),
      {},
      '0/5 nodes are available: persistentvolumeclaim "absent" not found. not found',
    ],
    [
      'a missing claim of an ephemeral volume',
      pod('p', { volumes: [{ name: 'v', ephemeral: {} }] }),
      {},
      '0/5 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v". not found',
    ],
    [
      'a claim of that name which is not of the pod',
      pod('p', { volumes: [{ name: 'v', ephemeral: {} }] }),
      { objects: [claim('p-v')] },
      '0/5 nodes are available: PVC demo/p-v was not created for pod demo/p (pod is not owner). not found',
    ],
    [
      'a claim without its class',
      pod('p', using('c')),
      { objects: [claim('c', { spec: { storageClassName: 'absent' } })] },
      '0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'a claim that names its volume and is not bound',
      pod('p', using('c')),
      {
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late', volumeName: 'pv' } }),
          volume('pv'),
        ],
      },
      '0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'a lost claim',
      pod('p', using('c')),
      { objects: [claim('c', { phase: 'Lost', spec: { volumeName: 'pv' }, annotations: bound })] },
      '0/5 nodes are available: persistentvolumeclaim "c" bound to non-existent persistentvolume "pv". not found',
    ],
    [
      'a claim that is being deleted',
      pod('p', using('c')),
      { objects: [claim('c', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
      '0/5 nodes are available: persistentvolumeclaim "c" is being deleted. not found',
    ],
    [
      'a volume that is gone',
      pod('p', using('c')),
      { objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound })] },
      '0/5 nodes are available: persistentvolume "pv" not found. not found',
    ],
    [
      'a local volume of another node',
      pod('p', { ...using('c'), nodeSelector: { [host]: 'node-1' } }),
      { objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound }), volume('pv', on('node-3'))] },
      `0/5 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 4 node(s) didn't match Pod's node affinity/selector.${helpless()}`,
    ],
    [
      'a volume of another zone',
      pod('p', using('c')),
      {
        nodes: zoned.slice(0, 2),
        objects: [claim('c', { spec: { volumeName: 'pv' }, annotations: bound }), volume('pv', {}, { [zone]: 'z' })],
      },
      `0/2 nodes are available: 2 node(s) had no available volume zone.${helpless(2)}`,
    ],
    [
      'no volume to bind',
      pod('p', using('c')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('c', { spec: { storageClassName: 'local' } }),
          volume('small', { storageClassName: 'local', capacity: { storage: '1Mi' } }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'two claims and one volume',
      pod('p', using('c', 'd')),
      {
        objects: [
          storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
          claim('c', { spec: { storageClassName: 'local' } }),
          claim('d', { spec: { storageClassName: 'local' } }),
          volume('pv', { storageClassName: 'local' }),
        ],
      },
      `0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind.${helpless()}`,
    ],
    [
      'topologies that the class does not allow',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['b'] }] }] }),
          claim('c', { spec: { storageClassName: 'late' } }),
        ],
      },
      'on node-b',
    ],
    [
      'storage of the driver',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late' } }),
          object('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } }),
          object(
            'CSIStorageCapacity',
            'b',
            { storageClassName: 'late', capacity: '500Mi', nodeTopology: { matchLabels: { [zone]: 'b' } } },
            'kube-system',
          ),
        ],
      },
      `0/3 nodes are available: 3 node(s) did not have enough free storage.${helpless(3)}`,
    ],
    [
      'storage of the driver in one zone',
      pod('p', using('c')),
      {
        nodes: zoned,
        objects: [
          storageClass('late'),
          claim('c', { spec: { storageClassName: 'late' } }),
          object('CSIDriver', 'csi.example.com', { spec: { storageCapacity: true } }),
          object(
            'CSIStorageCapacity',
            'b',
            { storageClassName: 'late', capacity: '5Gi', nodeTopology: { matchLabels: { [zone]: 'b' } } },
            'kube-system',
          ),
        ],
      },
      'on node-b',
    ],
    [
      'a claim for one pod only',
      pod('p', using('c')),
      {
        nodes: five.slice(0, 2),
        pods: [pod('q', { ...using('c'), nodeName: 'node-0' })],
        objects: [
          claim('c', { spec: { volumeName: 'pv', accessModes: ['ReadWriteOncePod'] }, annotations: bound }),
          volume('pv'),
        ],
      },
      `0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.${noVictims(2)}`,
    ],
    [
      'a claim for one pod only, which is less important',
      pod('p', { ...using('c'), priority: 5 }),
      {
        nodes: five.slice(0, 2),
        pods: [pod('q', { ...using('c'), nodeName: 'node-1' })],
        objects: [
          claim('c', { spec: { volumeName: 'pv', accessModes: ['ReadWriteOncePod'] }, annotations: bound }),
          volume('pv'),
        ],
      },
      'makes room on node-1',
    ],
    ['no nodes', pod('p'), { nodes: [] }, 'no nodes available to schedule pods'],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })

  it('are sorted as texts, as Kubernetes sorts them', () => {
    const nodes = Array.from({ length: 12 }, (_, i) =>
      node(`n${i}`, i < 10 ? { spec: { unschedulable: true } } : { spec: { taints: [taint('k', 'v')] } }),
    )
    expect(verdict(pod('p'), { nodes })).toMatch(
      /^0\/12 nodes are available: 10 node\(s\) were unschedulable, 2 node\(s\) had untolerated taint\(s\)\./,
    )
  })
})

describe('filters', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'the first of a group that wants to be together',
      pod('p', { ...near(zone, 'x'), labels: { app: 'x' } }),
      { nodes: zoned.slice(0, 1) },
      'on node-a',
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
      'resources that the profile ignores',
      pod('p', { requests: { 'example.com/foo': '1' } }),
      { nodes: five.slice(0, 1), args: { fit: { ...defaultArgs.fit, ignoredResourceGroups: ['example.com'] } } },
      'on node-0',
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

  it('look at one zone after the other', () => {
    const nodes = ['a', 'a', 'a', 'b', 'c', 'c'].map((name, i) => node(`n${i}`, { labels: { [zone]: name } }))
    expect(sceneOf({ nodes }).nodes.map(({ name }) => name)).toEqual(['n0', 'n3', 'n4', 'n1', 'n5', 'n2'])
  })
})

/** Scores of one plug-in by node. */
function scoresOf(plugin: string, wanted: Pod, scene: Scene): readonly number[] {
  const result = attempt(podFacts(wanted), sceneOf(scene), { random, startAt: 0, plugins: pluginsWith(scene.args) })
  if (result.type !== 'found') throw new Error(result.message)
  const scores = [...result.scores()].sort((a, b) => (a.node < b.node ? -1 : 1))
  return scores.map(({ byPlugin }) => byPlugin.find((one) => one.plugin === plugin)?.score ?? -1)
}

describe('scores', () => {
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
  it.each<readonly [string, string, Pod, Scene, readonly number[]]>([
    ['least allocated', 'NodeResourcesFit', wanted, { nodes: two, pods: taken }, [37, 75]],
    ['most allocated', 'NodeResourcesFit', wanted, strategy('MostAllocated'), [62, 25]],
    [
      'by a line, CPU three times',
      'NodeResourcesFit',
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
    ['balanced', 'NodeResourcesBalancedAllocation', wanted, { nodes: two, pods: taken }, [87, 100]],
    [
      'taints that only ask',
      'TaintToleration',
      pod('p'),
      { nodes: [node('a', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } }), node('b')] },
      [0, 100],
    ],
    [
      'affinity that the profile adds',
      'NodeAffinity',
      pod('p'),
      {
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
      },
      [0, 100],
    ],
    [
      'required affinity of a pod that is there',
      'InterPodAffinity',
      pod('p', { labels: { app: 'x' } }),
      { nodes: two, pods: [pod('q', { ...near(host, 'x'), nodeName: 'b' })] },
      [0, 100],
    ],
    [
      'soft spreading',
      'PodTopologySpread',
      pod('p', spread(host, { whenUnsatisfiable: 'ScheduleAnyway' })),
      {
        nodes: two,
        pods: [pod('q', { labels: { app: 'x' }, nodeName: 'a' }), pod('r', { labels: { app: 'x' }, nodeName: 'a' })],
      },
      [0, 100],
    ],
  ])('%s', (_name, plugin, asking, scene, expected) => {
    expect(scoresOf(plugin, asking, scene)).toEqual(expected)
  })

  it('leave required affinity of others out where the profile says so', () => {
    const args = { interPodAffinity: { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: false } }
    const scene = { nodes: two, pods: [pod('q', { ...near(host, 'x'), nodeName: 'b' })], args }
    expect(scoresOf('InterPodAffinity', pod('p', { labels: { app: 'x' } }), scene)).toEqual([-1, -1])
  })
})
