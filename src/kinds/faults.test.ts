// What is refused of new objects, and what may not change once an object exists.
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

const template = (metadata: object, spec: object): object => ({
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' }, ...metadata }, spec: { containers: [container], ...spec } },
  },
})
const slice = (addressType: string, addresses: readonly string[], hints = {}): object => ({
  addressType,
  endpoints: [{ addresses, hints }],
})
const quota = (hard: object, scopes: readonly string[]): object => ({ spec: { hard, scopes } })
const badLabel =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const badSubdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

it.each<[string, string, object, readonly string[]]>([
  ['apps/v1', 'StatefulSet', template({}, { hostname: 'A', subdomain: 'a.b' }), []],
  [
    'apps/v1',
    'StatefulSet',
    template({ labels: { app: 'a', b: '-' } }, {}),
    Array<string>(2).fill(`spec.template.labels: Invalid value: "-": ${badLabel}`),
  ],
  [
    'v1',
    'Pod',
    pod({ resources: { limits: { pods: '1' } } }),
    ['spec.resources.limits[pods]: Unsupported value: "pods": supported values: "cpu", "hugepages-", "memory"'],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice('IPv4', ['x', 'fd00::1']),
    [
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address',
    ],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice('IPv6', ['FD00::1', '1.2.3.4']),
    [
      'endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in canonical form ("fd00::1")',
      'endpoints[0].addresses: Invalid value: "1.2.3.4": must be an IPv6 address',
    ],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice('FQDN', ['a.b.', '', 'a', 'A.b']),
    [
      'endpoints[0].addresses[1]: Required value',
      'endpoints[0].addresses[2]: Invalid value: "a": should be a domain with at least two segments separated by dots',
      `endpoints[0].addresses[3]: Invalid value: "A.b": ${badSubdomain}`,
    ],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    slice('IPv4', ['1.2.3.4'], { forZones: [{ name: 'a/b' }, { name: '' }], forNodes: [{ name: 'A' }] }),
    [
      `endpoints[0].hints.forZones[0].name: Invalid value: "a/b": ${badLabel}`,
      `endpoints[0].hints.forNodes[0].name: Invalid value: "A": ${badSubdomain}`,
    ],
  ],
  ['v1', 'ResourceQuota', quota({ pods: 1, 'requests.cpu': 1, 'count/jobs.batch': 1 }, ['NotTerminating']), []],
  [
    'v1',
    'ResourceQuota',
    quota({ 'requests.ephemeral-storage': 1, 'hugepages-2Mi': 1 }, ['NotBestEffort']),
    Array<string>(2).fill('spec.scopes: Invalid value: ["NotBestEffort"]: unsupported scope applied to resource'),
  ],
  [
    'v1',
    'ResourceQuota',
    quota({ secrets: 1 }, ['Other']),
    ['spec.scopes: Invalid value: ["Other"]: unsupported scope'],
  ],
  [
    'networking.k8s.io/v1',
    'IngressClass',
    { spec: { controller: 'a.b/c', parameters: {} } },
    ['spec.parameters.kind: Required value', 'spec.parameters.name: Required value'],
  ],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    { spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: '/v1' } } },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group'],
  ],
  [
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    {},
    ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4', endpoints: [], ports: [{ protocol: '' }] },
    ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [
    'resource.k8s.io/v1',
    'ResourceClaimTemplate',
    {
      spec: {
        metadata: { labels: { a: '-' }, finalizers: ['a/b'] },
        spec: { devices: { constraints: [{ distinctAttribute: 'a' }] } },
      },
    },
    [
      `spec.metadata.labels: Invalid value: "-": ${badLabel}`,
      'spec.metadata.finalizers: Forbidden: cannot be set',
      'spec.spec.devices.constraints[0].distinctAttribute: Invalid value: "a": must include a domain',
    ],
  ],
])('%s %s, a new one', (apiVersion, kind, fields, faults) => {
  const { object, rules } = made(apiVersion, kind, fields)
  expect(rules.validate?.(object).map(({ field, message }) => `${field}: ${message}`)).toEqual(faults)
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
