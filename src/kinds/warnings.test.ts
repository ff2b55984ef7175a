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
    { schedule: 'TZ=UTC * * * * *', jobTemplate: { spec } },
    [
      dotted,
      label('spec.jobTemplate.spec.template'),
      'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
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
