// Manifests of all common kinds, as people write them into a repository. Names are given when they are put together.

import fc from 'fast-check'
import type { AnyObject } from '#objects'
import { headless, ingress, networkPolicy, outside, service } from './network.ts'
import {
  annotations,
  type Body,
  type Fields,
  intOrPercent,
  labels,
  named,
  podSpec,
  some,
  spec,
  text,
  withSome,
  word,
} from './pods.ts'
import { claim, cronJob, daemonSet, deployment, jobFields, replicaSet, selector, statefulSet } from './workloads.ts'

const dataKey = fc.constantFrom('a', 'b.yaml', 'C_D')
const configMap: Body = some({
  data: fc.dictionary(dataKey, fc.oneof(text, fc.constant('')), { minKeys: 1, maxKeys: 3 }),
  binaryData: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('AAEC', '/w=='), { minKeys: 1, maxKeys: 2 }),
})
const secret: Body = some({
  type: fc.constantFrom('Opaque', 'example.com/own'),
  data: fc.dictionary(dataKey, fc.constantFrom('YQ==', 'c2VjcmV0', ''), { minKeys: 1, maxKeys: 2 }),
  stringData: fc.dictionary(dataKey, text, { minKeys: 1, maxKeys: 2 }),
})

const metric = fc.constantFrom<Fields>(
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '0.5Gi' } } },
)
const autoscaler = spec(
  withSome(
    {
      scaleTargetRef: fc.constant({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }),
      maxReplicas: fc.constantFrom(5, 10),
    },
    {
      minReplicas: fc.constantFrom(1, 2),
      metrics: fc.array(metric, { minLength: 1, maxLength: 2 }),
      behavior: fc.constant({ scaleDown: { stabilizationWindowSeconds: 60 } }),
    },
  ),
)
const autoscalerV1 = spec(
  withSome(
    {
      scaleTargetRef: fc.constant({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' }),
      maxReplicas: fc.constantFrom(5, 10),
    },
    { minReplicas: fc.constantFrom(1, 2), targetCPUUtilizationPercentage: fc.constantFrom(50, 80) },
  ),
)
const disruptionBudget = spec(
  fc.oneof(fc.record({ selector, minAvailable: intOrPercent }), fc.record({ selector, maxUnavailable: intOrPercent })),
)
const rules = fc.array(
  fc.record({
    apiGroups: fc.constantFrom([''], ['apps', '']),
    resources: fc.constantFrom(['pods'], ['pods', 'pods/log']),
    verbs: fc.constantFrom(['get'], ['get', 'list']),
  }),
  { maxLength: 2 },
)
const roleBody: Body = fc.record({ rules })
const aggregated: Body = fc.constant({
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/gathers': 'x' } }] },
})
const subjects = fc.constantFrom<Fields[]>(
  [{ kind: 'ServiceAccount', name: 'default', namespace: 'shop' }],
  [
    { kind: 'User', name: 'ada' },
    { kind: 'Group', name: 'ops', apiGroup: 'rbac.authorization.k8s.io' },
  ],
)
const binding = (kind: string): Body =>
  withSome({ roleRef: fc.constant({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'view' }) }, { subjects })

const limitRange = spec(
  fc.record({ limits: fc.constant([{ type: 'PersistentVolumeClaim', max: { storage: '0.5Ti' } }]) }),
)
const quota = spec(withSome({ hard: fc.constantFrom<Fields>({ pods: '1000' }, { services: 1000, pods: 500 }) }, {}))
const volume = spec(
  fc.record({
    capacity: fc.record({ storage: fc.constantFrom('1Gi', '1024Mi') }),
    accessModes: fc.constant(['ReadWriteOnce']),
    hostPath: withSome({ path: fc.constant('/data') }, { type: fc.constantFrom('', 'Directory') }),
    storageClassName: fc.constant('by-hand'),
  }),
)
const storageClass: Body = withSome(
  { provisioner: fc.constant('example.com/none') },
  {
    parameters: labels,
    allowVolumeExpansion: fc.boolean(),
    mountOptions: fc.constant(['ro']),
    volumeBindingMode: fc.constantFrom('Immediate', 'WaitForFirstConsumer'),
  },
)
const widgetSpec = withSome(
  { size: fc.integer({ min: 1, max: 5 }) },
  {
    share: intOrPercent,
    parts: named(
      withSome({ id: word }, { amount: fc.nat(3), tags: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }) }),
      ({ id }) => id,
    ),
    order: fc.array(word, { minLength: 1, maxLength: 3 }),
    free: fc.constantFrom<Fields>({ a: [1, { b: null }], c: {} }, { d: [] }),
    template: fc.record({ spec: podSpec(undefined) }),
  },
)

/** Kinds with what they hold beside metadata; the last word is whether they have a namespace. */
const kinds: readonly (readonly [string, string, Body, boolean])[] = [
  ['apps/v1', 'Deployment', deployment, true],
  ['apps/v1', 'StatefulSet', statefulSet, true],
  ['apps/v1', 'DaemonSet', daemonSet, true],
  ['apps/v1', 'ReplicaSet', replicaSet, true],
  ['batch/v1', 'Job', spec(jobFields), true],
  ['batch/v1', 'CronJob', cronJob, true],
  ['v1', 'Pod', spec(podSpec(fc.constantFrom('Always', 'Never'))), true],
  ['v1', 'Service', fc.oneof(service, headless, outside), true],
  ['v1', 'ConfigMap', configMap, true],
  ['v1', 'Secret', secret, true],
  [
    'v1',
    'ServiceAccount',
    some({ automountServiceAccountToken: fc.boolean(), imagePullSecrets: fc.constant([{ name: 'a' }]) }),
    true,
  ],
  ['v1', 'PersistentVolumeClaim', spec(claim), true],
  ['v1', 'LimitRange', limitRange, true],
  ['v1', 'ResourceQuota', quota, true],
  ['networking.k8s.io/v1', 'Ingress', ingress, true],
  ['networking.k8s.io/v1', 'NetworkPolicy', networkPolicy, true],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler, true],
  ['autoscaling/v1', 'HorizontalPodAutoscaler', autoscalerV1, true],
  ['policy/v1', 'PodDisruptionBudget', disruptionBudget, true],
  ['rbac.authorization.k8s.io/v1', 'Role', roleBody, true],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', binding('ClusterRole'), true],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', fc.oneof(roleBody, aggregated), false],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', binding('ClusterRole'), false],
  ['v1', 'Namespace', fc.constant<Fields>({}), false],
  ['v1', 'PersistentVolume', volume, false],
  ['storage.k8s.io/v1', 'StorageClass', storageClass, false],
  [
    'scheduling.k8s.io/v1',
    'PriorityClass',
    withSome({ value: fc.nat(100) }, { description: text, globalDefault: fc.constant(false) }),
    false,
  ],
  ['networking.k8s.io/v1', 'IngressClass', spec(fc.record({ controller: fc.constant('example.com/none') })), false],
  ['example.com/v1', 'Widget', spec(widgetSpec), true],
]

const metadata = some({ labels, annotations, finalizers: fc.constant(['example.com/keep']) })

/** Of one kind, by its place among all; for each kind its own turn comes. */
const manifestOf = (place: number): fc.Arbitrary<AnyObject> => {
  const [apiVersion = '', kind = '', body = fc.constant<Fields>({})] = kinds[place % kinds.length] ?? []
  return fc.tuple(metadata, body).map(([meta, rest]) => {
    const { finalizers: _kept, ...plain } = meta
    const given = kind === 'ConfigMap' ? meta : plain
    return {
      apiVersion,
      kind,
      metadata: { name: `${kind.toLowerCase()}-${place}`, ...given },
      ...rest,
    } as unknown as AnyObject
  })
}

const manifest: fc.Arbitrary<AnyObject> = fc
  .nat(kinds.length - 1)
  .chain((place) => fc.nat(2).chain((turn) => manifestOf(place + turn * kinds.length)))

/** What an application brings; no two objects of one name. */
export const manifests: fc.Arbitrary<AnyObject[]> = fc.uniqueArray(manifest, {
  selector: ({ kind, metadata: { name } }) => `${kind}/${name}`,
  minLength: 1,
  maxLength: 8,
})

/** Every kind once. */
export const everyKind: fc.Arbitrary<AnyObject[]> = fc.tuple(...kinds.map((_, place) => manifestOf(place)))
