// Warnings of workloads: for what is new in them.
import { expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import type { KindRules } from './kind.ts'
import { kindRules } from './registry.ts'

const template = {
  metadata: {},
  spec: { containers: [{ name: 'a', image: 'a' }], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
}
const spec = { template }
const dotted =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]'
const label = (path: string): string =>
  `${path}.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`

it.each<[string, string, number | undefined, object, readonly string[]]>([
  ['Deployment', 'a.b', undefined, spec, [dotted, label('spec.template')]],
  ['Deployment', 'a.b', 1, spec, []],
  ['ReplicaSet', 'a', 2, spec, [label('spec.template')]],
  [
    'StatefulSet',
    'a.b',
    undefined,
    { ...spec, revisionHistoryLimit: -1 },
    [
      label('spec.template'),
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
  ],
  [
    'StatefulSet',
    'a',
    undefined,
    { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '500m' } } } }] },
    [
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer',
    ],
  ],
  [
    'CronJob',
    'a.b',
    undefined,
    { schedule: '* * * * *', jobTemplate: { spec } },
    [dotted, label('spec.jobTemplate.spec.template')],
  ],
  [
    'CronJob',
    'a.b',
    1,
    { schedule: 'TZ=UTC * * * * *', jobTemplate: { spec } },
    [
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ],
  ],
  [
    'Node',
    'a',
    1,
    { externalID: 'x', podCIDRs: ['10.1.0.0/16', '10.1.0.0/8'] },
    [
      'spec.externalID: this field is deprecated, and is unused by Kubernetes',
      'spec.podCIDRs[1]: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)',
    ],
  ],
  // Required lists that were left out are null in what has been decoded.
  ['NetworkPolicy', 'a', undefined, { ingress: [{ from: null }], egress: null }, []],
])('%s %s', (kind, name, oldGeneration, fields, texts) => {
  const rules = kindRules.find((one) => one.kind.kind === kind) as unknown as KindRules<AnyObject>
  const at = (generation: number): AnyObject =>
    ({ metadata: { name, generation }, spec: fields }) as unknown as AnyObject
  const old = oldGeneration === undefined ? undefined : at(oldGeneration)
  expect(rules.warnings?.(at(1), old)).toEqual(texts)
})

it('finds nothing in slices without endpoints', () => {
  const rules = kindRules.find((one) => one.kind.kind === 'EndpointSlice') as unknown as KindRules<AnyObject>
  const slice = { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: null, ports: null }
  expect(rules.warnings?.(slice as unknown as AnyObject)).toEqual([])
  expect(rules.prepareForCreate?.(slice as unknown as AnyObject)).toBe(slice)
})

it.each<[string, object]>([
  ['Service', { loadBalancer: { ingress: [{ ip: '01.2.3.4' }] } }],
  ['Ingress', { loadBalancer: { ingress: [{ ip: '01.2.3.4' }] } }],
  ['Pod', { podIPs: [{ ip: '01.2.3.4' }] }],
])('tells of addresses in the status of a %s that are not in their standard form', (kind, status) => {
  const rules = kindRules.find((one) => one.kind.kind === kind) as unknown as KindRules<AnyObject>
  expect(rules.statusWarnings?.({ metadata: {}, status } as unknown as AnyObject)).toEqual([
    expect.stringContaining('non-standard IP address "01.2.3.4"'),
  ])
})
