import { expect, it } from 'vitest'
import type { ServiceSpec } from '../generated/types.ts'
import { serviceWarnings } from './warnings.ts'

it.each<[string, ServiceSpec, readonly string[]]>([
  ['sound', { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], sessionAffinity: 'None' }, []],
  [
    'headless',
    { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'], externalIPs: ['01.2.3.4'], sessionAffinity: 'None' },
    [
      'spec.externalIPs is ignored for headless services',
      'spec.externalIPs[0]: non-standard IP address "01.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
    ],
  ],
  [
    'of a balancer with ranges',
    { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.1.0.0/8'], externalName: 'x' },
    [
      'spec.loadBalancerSourceRanges[0]: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
  ],
])('a Service that is %s', (_what, spec, expected) => {
  expect(serviceWarnings({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec })).toEqual(expected)
})
