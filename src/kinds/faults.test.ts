// What is refused of new objects.
import { expect, it } from 'vitest'
import { made } from '../../test/support/made.ts'

const container = { name: 'app', image: 'app:1' }
const pod = (spec: object): object => ({ spec: { containers: [container], ...spec } })

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

it('prints what devices tolerate as Kubernetes keeps it', () => {
  const claim = (key: string): object => ({
    spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'b', tolerations: [{ key }] } }] } },
  })
  const [next, old] = [claim('x'), claim('y')].map(
    (fields) => made('resource.k8s.io/v1', 'ResourceClaim', fields).object,
  )
  const { rules } = made('resource.k8s.io/v1', 'ResourceClaim', claim('x'))
  if (next === undefined || old === undefined) throw new Error('no claim')
  expect(rules.validateUpdate?.(next, old).map(({ message }) => message)).toEqual([
    expect.stringContaining(
      '"Tolerations":[{"Key":"x","Operator":"Equal","Value":"","Effect":"","TolerationSeconds":null}]',
    ),
  ])
})
