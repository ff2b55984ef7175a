// What may not change once an object exists.
import { expect, it } from 'vitest'
import { type AnyObject, applySchemaDefaults, decode } from '#objects'
import type { KindRules } from './kind.ts'
import { kindRules } from './registry.ts'
import { builtInSchema } from './schema/index.ts'

function made(apiVersion: string, kind: string, fields: object): { object: AnyObject; rules: KindRules<AnyObject> } {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const schema = builtInSchema(group, version, kind)
  const rules = kindRules.find(
    (one) => one.kind.kind === kind && one.kind.group === group,
  ) as unknown as KindRules<AnyObject>
  if (schema === undefined) throw new Error(`no ${kind}`)
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', creationTimestamp: '2025-01-01T00:00:00Z' }
  const decoded = decode({ apiVersion, kind, metadata, ...fields }, schema).value
  const object = applySchemaDefaults(decoded, schema) as AnyObject
  return { object: rules.defaults?.(object) ?? object, rules }
}

const container = { name: 'app', image: 'app:1' }
const workload = (app: string, replicas = 1, image = 'app:1'): object => ({
  spec: {
    replicas,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ ...container, image }] } },
  },
})
const pod = (spec: object): object => ({ spec: { containers: [container], ...spec } })
const service = (clusterIP: string): object => ({
  spec: {
    clusterIP,
    clusterIPs: [clusterIP],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ port: 80 }],
  },
})
const autoscaler = (minReplicas: number): object => ({
  spec: {
    minReplicas,
    maxReplicas: 1,
    scaleTargetRef: { kind: 'Deployment', name: 'a' },
    metrics: [{ type: 'External', external: { metric: { name: 'a' }, target: { type: 'Value', value: '1' } } }],
  },
})

it.each<[string, string, object, object, readonly string[]]>([
  ['apps/v1', 'Deployment', workload('a'), workload('a', 3, 'app:2'), []],
  ['apps/v1', 'Deployment', workload('a'), workload('b'), ['spec.selector']],
  ['apps/v1', 'ReplicaSet', workload('a'), workload('b'), ['spec.selector']],
  ['apps/v1', 'DaemonSet', workload('a'), workload('b'), ['spec.selector']],
  ['apps/v1', 'ReplicaSet', workload('a'), workload('a', -1), ['spec.replicas', 'spec.replicas']],
  ['apps/v1', 'StatefulSet', workload('a'), workload('a', 2, 'app:2'), []],
  ['apps/v1', 'StatefulSet', workload('a'), workload('b'), ['spec']],
  ['apps/v1', 'ControllerRevision', { revision: 1, data: 'text' }, { revision: 2, data: 'text' }, []],
  ['v1', 'ConfigMap', { data: { a: '1' } }, { data: { a: '2' } }, []],
  ['v1', 'ConfigMap', { data: { a: '1' }, immutable: true }, { data: { a: '2' }, immutable: true }, ['data']],
  ['v1', 'ConfigMap', { immutable: true }, {}, ['immutable']],
  ['v1', 'Secret', { type: 'a' }, { type: 'b' }, ['type']],
  ['v1', 'Pod', pod({}), pod({ containers: [{ ...container, image: 'app:2' }] }), []],
  ['v1', 'Pod', pod({}), pod({ activeDeadlineSeconds: 5 }), []],
  ['v1', 'Pod', pod({ activeDeadlineSeconds: 5 }), pod({ activeDeadlineSeconds: 6 }), ['spec.activeDeadlineSeconds']],
  ['v1', 'Pod', pod({}), pod({ hostname: 'b' }), ['spec']],
  ['v1', 'Pod', pod({}), pod({ containers: [container, { ...container, name: 'b' }] }), ['spec.containers']],
  ['v1', 'Pod', pod({}), pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }), []],
  ['v1', 'Service', service('10.96.0.5'), service('10.96.0.6'), ['spec.clusterIPs[0]']],
  ['v1', 'Service', service('10.96.0.5'), service('10.96.0.5'), []],
  ['storage.k8s.io/v1', 'StorageClass', { provisioner: 'a' }, { provisioner: 'b' }, ['provisioner']],
  [
    'networking.k8s.io/v1',
    'NetworkPolicy',
    { spec: {} },
    { spec: { podSelector: {}, ingress: [{ from: [{}] }] } },
    ['spec.ingress[0].from[0]', 'spec.ingress[0].from[0]'],
  ],
  [
    'networking.k8s.io/v1',
    'IngressClass',
    { spec: { controller: 'a.b/c' } },
    { spec: { controller: 'a' } },
    ['spec.controller', 'spec.controller'],
  ],
  [
    'networking.k8s.io/v1',
    'ServiceCIDR',
    { spec: { cidrs: ['10.0.0.0/8'] } },
    { spec: { cidrs: ['10.0.0.0/8', 'fd00::/8'] } },
    [],
  ],
  [
    'networking.k8s.io/v1',
    'ServiceCIDR',
    { spec: { cidrs: ['10.0.0.0/8'] } },
    { spec: { cidrs: ['11.0.0.0/8'] } },
    ['spec.cidrs[0]'],
  ],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler(0), autoscaler(0), []],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler(1), autoscaler(0), ['spec.minReplicas']],
  ['node.k8s.io/v1', 'RuntimeClass', { handler: 'a' }, { handler: 'b' }, ['handler']],
  [
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    { driverName: 'a', parameters: { a: 'b' } },
    { driverName: 'b', parameters: { a: 'b' } },
    ['driverName'],
  ],
  [
    'storage.k8s.io/v1',
    'StorageClass',
    { provisioner: 'a' },
    { provisioner: 'a', allowedTopologies: [{}] },
    ['allowedTopologies[0].matchLabelExpressions'],
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    { rules: [] },
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: '-' } }] } },
    ['matchLabels', '', 'matchLabels', ''].map(
      (field) => `aggregationRule.clusterRoleSelectors[0]${field === '' ? '' : `.${field}`}`,
    ),
  ],
  ['scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }, { value: 2 }, ['value']],
])('%s %s', (apiVersion, kind, before, after, fields) => {
  const old = made(apiVersion, kind, before)
  const next = made(apiVersion, kind, after)
  const faults = next.rules.validateUpdate?.(next.object, old.object) ?? next.rules.validate?.(next.object) ?? []
  expect(faults.map(({ field }) => field)).toEqual(fields)
})

it('needs a resourceVersion of these kinds alone', () => {
  const needing = kindRules.filter(
    ({ allowUnconditionalUpdate }: { allowUnconditionalUpdate?: boolean }) => allowUnconditionalUpdate === false,
  )
  expect(needing.map(({ kind }) => kind.kind).sort()).toEqual([
    'APIService',
    'CSIDriver',
    'CSINode',
    'CSIStorageCapacity',
    'CustomResourceDefinition',
    'Lease',
    'MutatingWebhookConfiguration',
    'PodDisruptionBudget',
    'RuntimeClass',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
    'VolumeAttachment',
  ])
})
