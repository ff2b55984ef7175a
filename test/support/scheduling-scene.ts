// A cluster for the tests of the scheduler's plug-ins: nodes, pods and what else there is in one line each, and what an
// attempt over them comes to.

import type { Kind, Node, Pod, PodSpec, TopologySpreadConstraint } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { simulatedWorld } from '#world'
import { attempt } from '../../src/cluster/scheduler/cycle.ts'
import { failureMessage } from '../../src/cluster/scheduler/failure.ts'
import { defaultArgs, type PluginArgs } from '../../src/cluster/scheduler/plugin-args.ts'
import { podFacts } from '../../src/cluster/scheduler/pod-facts.ts'
import { decidePreemption } from '../../src/cluster/scheduler/preemption.ts'
import { defaultProfile, type Plugins, pluginsOf } from '../../src/cluster/scheduler/profiles.ts'
import { Snapshot } from '../../src/cluster/scheduler/snapshot.ts'

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

export const zone = 'topology.kubernetes.io/zone'
export const host = 'kubernetes.io/hostname'

export const node = (name: string, { labels = {}, spec = {}, allocatable = {} }: NodeParts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [host]: name, ...labels } },
  spec,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable } },
})

export interface PodParts extends Partial<PodSpec> {
  readonly labels?: Record<string, string>
  readonly requests?: Record<string, string>
  readonly namespace?: string
  readonly nominated?: string
}

let serial = 0
export function pod(
  name: string,
  { labels = {}, requests, namespace = 'demo', nominated, ...spec }: PodParts = {},
): Pod {
  serial += 1
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `u${serial}`, labels },
    spec: { containers: [{ name: 'a', image: 'a', ...(requests ? { resources: { requests } } : {}) }], ...spec },
    ...(nominated === undefined ? {} : { status: { nominatedNodeName: nominated } }),
  }
}

export const object = (kind: string, name: string, rest: object, namespace?: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...rest,
  }) as KubeObject

export const bound = { 'pv.kubernetes.io/bind-completed': 'yes' }
interface ClaimParts {
  readonly annotations?: Record<string, string>
  readonly metadata?: object
  readonly phase?: string
  readonly spec?: object
}
export const claim = (name: string, { annotations, metadata, phase, spec }: ClaimParts = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'demo', annotations, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase },
  }) as unknown as KubeObject
export const volume = (name: string, spec: object = {}, labels: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  }) as unknown as KubeObject
export const storageClass = (name: string, rest: object = {}): KubeObject =>
  object('StorageClass', name, { provisioner: 'csi.example.com', volumeBindingMode: 'WaitForFirstConsumer', ...rest })

export const using = (...claims: readonly string[]): PodParts => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
})

export interface Scene {
  readonly nodes?: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly objects?: readonly KubeObject[]
  readonly args?: Partial<PluginArgs>
}

export const five = [0, 1, 2, 3, 4].map((i) => node(`node-${i}`))

export function sceneOf({ nodes = five, pods = [], objects = [] }: Scene): Snapshot {
  const snapshot = new Snapshot(cacheOf([...objects, ...pods]))
  for (const each of nodes) snapshot.putNode(each)
  for (const each of pods) snapshot.putPod(keyOf(each), each)
  return snapshot
}

const pluginsWith = (args: Partial<PluginArgs> = {}): Plugins =>
  pluginsOf({ ...defaultProfile, args: { ...defaultArgs, ...args } })

const { random } = simulatedWorld(1)

/** `on NODE`, `makes room on NODE`, or the whole message. */
export function verdict(wanted: Pod, scene: Scene): string {
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

export const helpless = (count = 5): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`
export const noVictims = (count = 5): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} No preemption victims found for incoming pod.`

export const taint = (key: string, value?: string, effect: 'NoSchedule' | 'NoExecute' = 'NoSchedule') => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
})

const term = (key: string, app: string, more: object = {}) => ({
  topologyKey: key,
  labelSelector: { matchLabels: { app } },
  ...more,
})
/** Of pods labelled `app: x` at most one more in one place than in another. */
export const spreadOver = (key: string, more: Partial<TopologySpreadConstraint> = {}): PodParts => ({
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

export const near = (key: string, app: string, more: object = {}): PodParts => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(key, app, more)] } },
})
export const far = (key: string, app: string, more: object = {}): PodParts => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(key, app, more)] } },
})

export const zoned = ['a', 'b', 'c'].map((name) => node(`node-${name}`, { labels: { [zone]: name } }))

/** Scores of one plug-in by node. */
export function scoresOf(plugin: string, wanted: Pod, scene: Scene): readonly number[] {
  const result = attempt(podFacts(wanted), sceneOf(scene), { random, startAt: 0, plugins: pluginsWith(scene.args) })
  if (result.type !== 'found') throw new Error(result.message)
  const scores = [...result.scores()].sort((a, b) => (a.node < b.node ? -1 : 1))
  return scores.map(({ byPlugin }) => byPlugin.find((one) => one.plugin === plugin)?.score ?? -1)
}
