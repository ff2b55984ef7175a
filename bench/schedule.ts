// What placing one pod costs as clusters grow: nodes filtered and scored, and CPU time, at 100, 1,000 and 5,000 nodes of
// 30 pods each, for plain pods and for those with spread constraints and affinity. Kubernetes' rule lets the nodes that are
// looked at grow (100, 420, 500 that fit); beyond that, a pod should cost the same.

import type { Kind, Node, Pod, PodSpec } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { simulatedWorld } from '#world'
import { attempt } from '../src/cluster/scheduler/cycle.ts'
import { podFacts } from '../src/cluster/scheduler/pod-facts.ts'
import { Snapshot } from '../src/cluster/scheduler/snapshot.ts'
// The room's face starts whole schedulers; here one attempt is measured alone.
import { whole } from '../test/support/tool.ts'
import type { Measurement } from './measurement.ts'

const podsPerNode = 30
const replicas = 100
const zones = ['a', 'b', 'c']
const zone = 'topology.kubernetes.io/zone'
const host = 'kubernetes.io/hostname'

const nothing = {
  get: (): undefined => undefined,
  list: (): readonly KubeObject[] => [],
  by: (_index: Index<KubeObject>, _value: string): readonly KubeObject[] => [],
  ownedBy: (_kind: Kind, _uid: string): readonly KubeObject[] => [],
} as unknown as Cache

const nodeOf = (i: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `node-${i}`, labels: { [host]: `node-${i}`, [zone]: zones[i % zones.length] ?? '' } },
  spec: {},
  status: { allocatable: { cpu: '64', memory: '256Gi', pods: '250' } },
})

const selecting = (app: string) => ({ labelSelector: { matchLabels: { app } } })

const specs: Readonly<Record<string, (app: string) => Partial<PodSpec>>> = {
  plain: () => ({}),
  'spread over zones and hosts': (app) => ({
    topologySpreadConstraints: [
      { maxSkew: 5, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', ...selecting(app) },
      { maxSkew: 3, topologyKey: host, whenUnsatisfiable: 'DoNotSchedule', ...selecting(app) },
    ],
  }),
  'softly spread': (app) => ({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'ScheduleAnyway', ...selecting(app) },
      { maxSkew: 1, topologyKey: host, whenUnsatisfiable: 'ScheduleAnyway', ...selecting(app) },
    ],
  }),
  'anti-affinity by host': (app) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: host, ...selecting(app) }],
      },
    },
  }),
  'affinity by zone, preferred': (app) => ({
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, podAffinityTerm: { topologyKey: zone, ...selecting(app) } },
        ],
      },
    },
  }),
}

function templateOf(kind: string, app: string): { readonly labels: Record<string, string>; readonly spec: PodSpec } {
  const containers = [{ name: 'app', image: 'nginx', resources: { requests: { cpu: '50m', memory: '64Mi' } } }]
  return { labels: { app }, spec: { containers, ...specs[kind]?.(app) } }
}

let serial = 0
const podOf = ({ labels, spec }: ReturnType<typeof templateOf>, nodeName?: string): Pod => {
  serial += 1
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${serial}`, namespace: 'bench', uid: `u${serial}`, labels },
    spec: nodeName === undefined ? spec : { nodeName, ...spec },
  }
}

/** A cluster whose pods have, in turn, every kind of wish. */
function clusterOf(nodes: number): Snapshot {
  const snapshot = new Snapshot(nothing)
  for (let i = 0; i < nodes; i += 1) snapshot.putNode(nodeOf(i))
  const kinds = Object.keys(specs)
  const apps = Math.ceil((nodes * podsPerNode) / replicas)
  let at = 0
  for (let app = 0; app < apps; app += 1) {
    const template = templateOf(kinds[app % kinds.length] ?? '', `app-${app}`)
    for (let i = 0; i < replicas; i += 1, at += 1) {
      const pod = podOf(template, `node-${at % nodes}`)
      snapshot.putPod(`bench/${pod.metadata.name}`, pod)
    }
  }
  return snapshot
}

interface Row {
  readonly nodes: number
  readonly kind: string
  readonly filtered: number
  readonly scored: number
  readonly cpuMicroseconds: number
}

function measure(snapshot: Snapshot, kind: string, pods: number): Row {
  const { random } = simulatedWorld(1)
  let [at, filtered, scored] = [0, 0, 0]
  const place = (count: number, app: string): void => {
    const template = templateOf(kind, app)
    for (let i = 0; i < count; i += 1) {
      const facts = podFacts(podOf(template))
      const result = attempt(facts, snapshot, { random, startAt: at })
      if (result.type !== 'found') throw new Error(`${kind}: ${result.message}`)
      at = (at + result.evaluated) % snapshot.nodes.length
      filtered += result.evaluated
      scored += result.feasible
      snapshot.assume(facts, result.node.name)
    }
  }
  place(50, `warm-${kind}`)
  ;[filtered, scored] = [0, 0]
  const before = process.cpuUsage()
  for (let done = 0; done < pods; done += replicas) place(Math.min(replicas, pods - done), `${kind}-${done}`)
  const { user, system } = process.cpuUsage(before)
  const each = (sum: number): number => Math.round(sum / pods)
  const nodes = snapshot.nodes.length
  return { nodes, kind, filtered: each(filtered), scored: each(scored), cpuMicroseconds: each(user + system) }
}

export const schedule: Measurement = (command) =>
  command
    .description('what placing one pod costs at 100, 1,000 and 5,000 nodes')
    .option('--pods <count>', 'how many are placed of each kind', whole(1), 500)
    .action(measureAll)

function measureAll({ pods, json }: { readonly pods: number; readonly json?: true }): void {
  const rows: Row[] = []
  for (const nodes of [100, 1000, 5000]) {
    const snapshot = clusterOf(nodes)
    for (const kind of Object.keys(specs)) {
      const row = measure(snapshot, kind, pods)
      rows.push(row)
      console.log(
        `${String(nodes).padStart(5)} nodes  ${kind.padEnd(28)} ${row.filtered} filtered, ${row.scored} scored, ` +
          `${row.cpuMicroseconds} µs a pod (${(row.cpuMicroseconds / Math.max(1, row.scored)).toFixed(2)} µs a node scored)`,
      )
    }
  }
  if (json === true) console.log(JSON.stringify(rows))
}
