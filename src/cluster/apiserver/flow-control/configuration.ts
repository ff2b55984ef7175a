// The FlowSchemas and PriorityLevelConfigurations that every cluster has, as tables
// (apiserver/pkg/apis/flowcontrol/bootstrap/default.go).

import { FlowSchema, type Kind, PriorityLevelConfiguration } from '#kinds'
import type { KubeObject } from '#objects'

/** What the server makes where it is missing. */
export interface KeptObject {
  readonly kind: Kind
  readonly name: string
  /** Changes of its spec are undone, whatever its annotation says. */
  readonly mandatory: boolean
  readonly object: KubeObject
}

/** Whether the server may bring the spec up to date. */
export const autoUpdate = 'apf.kubernetes.io/autoupdate-spec'

const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all'])

function kept(kind: Kind, name: string, spec: object): KeptObject {
  const metadata = { name, annotations: { [autoUpdate]: 'true' } }
  const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata, spec }
  return { kind, name, mandatory: mandatory.has(name), object: object as KubeObject }
}

/** name: shares, lendable percent; queues and hand size where requests wait. */
const limited: Readonly<Record<string, readonly [number, number, number?, number?]>> = {
  system: [30, 33, 64, 6],
  'node-high': [40, 25, 64, 6],
  'leader-election': [10, 0, 16, 4],
  'workload-high': [40, 50, 128, 6],
  'workload-low': [100, 90, 128, 6],
  'global-default': [20, 50, 128, 6],
  'catch-all': [5, 0],
}

const levels = [
  ...Object.entries(limited).map(([name, [shares, lendable, queues, handSize]]) => {
    const queuing = { queues, handSize, queueLengthLimit: 50 }
    const limitResponse = queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing }
    const spec = { type: 'Limited', limited: { ...shared(shares, lendable), limitResponse } }
    return kept(PriorityLevelConfiguration, name, spec)
  }),
  kept(PriorityLevelConfiguration, 'exempt', { type: 'Exempt', exempt: shared(0, 0) }),
]

function shared(nominalConcurrencyShares: number, lendablePercent: number): object {
  return { nominalConcurrencyShares, lendablePercent }
}

const groups = (...names: readonly string[]): readonly object[] =>
  names.map((name) => ({ kind: 'Group', group: { name: `system:${name}` } }))
const users = (...names: readonly string[]): readonly object[] =>
  names.map((name) => ({ kind: 'User', user: { name: `system:${name}` } }))
const ofSystem = [{ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'kube-system' } }]
const everybody = groups('unauthenticated', 'authenticated')

function resources(verbs: readonly string[], group: string, names: readonly string[], clusterScope = false): object {
  const rule = { verbs, apiGroups: [group], resources: names, namespaces: ['*'] }
  return clusterScope ? { ...rule, clusterScope } : rule
}

const everything = {
  resourceRules: [resources(['*'], '*', ['*'], true)],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const probes = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] }
const elections = { resourceRules: [resources(['get', 'create', 'update'], 'coordination.k8s.io', ['leases'])] }
const heartbeats = {
  resourceRules: [
    resources(['*'], '', ['nodes', 'nodes/status'], true),
    resources(['*'], 'coordination.k8s.io', ['leases']),
  ],
}

type Row = readonly [
  name: string,
  level: string,
  precedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  subjects: readonly object[],
  rules: object,
]

const schemas: readonly Row[] = [
  ['system-nodes', 'system', 500, 'ByUser', groups('nodes'), everything],
  ['system-node-high', 'node-high', 400, 'ByUser', groups('nodes'), heartbeats],
  ['probes', 'exempt', 2, undefined, everybody, probes],
  [
    'system-leader-election',
    'leader-election',
    100,
    'ByUser',
    [...users('kube-controller-manager', 'kube-scheduler'), ...ofSystem],
    elections,
  ],
  ['kube-controller-manager', 'workload-high', 800, 'ByNamespace', users('kube-controller-manager'), everything],
  ['kube-scheduler', 'workload-high', 800, 'ByNamespace', users('kube-scheduler'), everything],
  ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', ofSystem, everything],
  ['service-accounts', 'workload-low', 9000, 'ByUser', groups('serviceaccounts'), everything],
  ['global-default', 'global-default', 9900, 'ByUser', everybody, everything],
  ['exempt', 'exempt', 1, undefined, groups('masters'), everything],
  ['catch-all', 'catch-all', 10_000, 'ByUser', everybody, everything],
]

/** Levels first, so that no schema is ever without its own. */
export const flowControl: readonly KeptObject[] = [
  ...levels,
  ...schemas.map(([name, level, matchingPrecedence, distinguisher, subjects, rules]) =>
    kept(FlowSchema, name, {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: [{ subjects, ...rules }],
    }),
  ),
]
