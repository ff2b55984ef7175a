// What may not change once an object exists.
import { expect, it } from 'vitest'
import { made } from '../../test/support/made.ts'
import { kindRules } from './registry.ts'

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
const withClaims = (volumeClaimTemplates: readonly object[]): object => {
  const { spec } = workload('a') as { spec: object }
  return { spec: { ...spec, volumeClaimTemplates } }
}
const lonely = (app: string): object => {
  const { spec } = workload('a') as { spec: object }
  return { spec: { ...spec, selector: { matchLabels: { app } } } }
}
const suspended = (labels: object | undefined): object => ({
  spec: {
    suspend: true,
    manualSelector: true,
    selector: { matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }] },
    template: { metadata: { ...(labels && { labels }) }, spec: { containers: [container], restartPolicy: 'Never' } },
  },
})
const disk = (storage: string): object => ({
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
})
const claimFrom = (apiGroup: string): object => {
  const source = { apiGroup, kind: 'Backup', name: 'a' }
  const resources = { requests: { storage: '1Gi' } }
  return { spec: { accessModes: ['ReadWriteOnce'], resources, dataSource: source, dataSourceRef: source } }
}
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
  ['apps/v1', 'ReplicaSet', workload('a'), workload('a', -1), ['spec.replicas']],
  ['apps/v1', 'StatefulSet', workload('a'), workload('a', 2, 'app:2'), []],
  ['apps/v1', 'StatefulSet', workload('a'), workload('b'), ['spec']],
  ['apps/v1', 'StatefulSet', withClaims([]), withClaims([{ metadata: { name: 'v' } }]), ['spec']],
  ['apps/v1', 'DaemonSet', workload('a'), lonely('b'), ['spec.selector', 'spec.template.metadata.labels']],
  ['batch/v1', 'Job', suspended({ a: 'b' }), suspended(undefined), []],
  [
    'v1',
    'PersistentVolume',
    disk('1Gi'),
    disk('-1'),
    ['spec.capacity[storage]', 'spec.capacity[storage]'].flatMap((f) => [f, f]),
  ],
  ['v1', 'PersistentVolumeClaim', claimFrom('a.b'), claimFrom('A'), ['spec']],
  ['v1', 'ResourceQuota', { spec: { scopes: ['BestEffort'] } }, { spec: { scopes: ['BestEffort', 'BestEffort'] } }, []],
  ['v1', 'Pod', pod({}), pod({ ephemeralContainers: [{ ...container, name: 'b' }] }), ['spec']],
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
    'VolumeAttributesClass',
    { driverName: 'a', parameters: { a: 'b' } },
    { driverName: 'a' },
    ['parameters', 'parameters', 'parameters'],
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
