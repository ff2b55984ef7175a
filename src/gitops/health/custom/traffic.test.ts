// Gateways, proxies and routes that are accepted, refused or not looked at.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const proxy = 'projectcontour.io/HTTPProxy'
const airlock = 'microgateway.airlock.com/AccessControlPolicy'
const valid = (status: string, observedGeneration = 2) => ({
  type: 'Valid',
  status,
  observedGeneration,
  message: 'why',
})
const described = (description: string, ...conditions: readonly object[]) => ({ status: { description, conditions } })
const ancestor = (name: string, ...conditions: readonly object[]) => ({ ancestorRef: { name }, conditions })
const accepted = { type: 'Accepted', status: 'True', observedGeneration: 2 }
const attached = (...ancestors: readonly object[]) => ({ status: { ancestors } })
const admitted = (status: string) => ({ conditions: [{ type: 'Admitted', status }] })

test.each([
  ['gloo.solo.io/Upstream', {}, 'Progressing: Update in progress'],
  ['gloo.solo.io/Upstream', { status: { state: 1 } }, 'Healthy: The resource has been validated'],
  ['gloo.solo.io/Upstream', { status: { state: 'Warning', reason: 'odd' } }, 'Degraded: odd'],
  [
    'gateway.solo.io/Gateway',
    { status: { statuses: { a: {}, b: { state: 'Rejected', reason: 'no' } } } },
    'Degraded: no',
  ],
  ['gateway.solo.io/Gateway', { status: { state: 0 } }, 'Suspended: The resource has not yet been validated'],
  [proxy, described('ok', valid('True')), 'Healthy: ok'],
  [proxy, described('old', valid('False', 1)), 'Progressing: Waiting for status'],
  [proxy, described('bad', valid('False')), 'Degraded: bad'],
  [
    proxy,
    { spec: { includes: [] }, ...described('bad', valid('False')) },
    'Healthy: HTTPProxy inclusions cannot be health checked',
  ],
  [proxy, { status: { currentStatus: 'NotReconciled', description: 'soon' } }, 'Progressing: soon'],
  ['projectcontour.io/ExtensionService', having(valid('False')), 'Degraded: why'],
  ['microgateway.airlock.com/Limits', {}, 'Healthy: Limits is healthy'],
  [airlock, {}, 'Progressing: Waiting for AccessControlPolicy status'],
  [airlock, attached(ancestor('gw', accepted)), 'Healthy: AccessControlPolicy is healthy'],
  [airlock, attached(ancestor('gw')), 'Degraded: Ancestor gw: AccessControlPolicy is not accepted'],
  [
    airlock,
    attached(ancestor('a', accepted), ancestor('gw', { ...accepted, observedGeneration: 1 })),
    'Progressing: Waiting for Ancestor gw to update AccessControlPolicy status',
  ],
  [
    airlock,
    attached(ancestor('gw', accepted, { ...accepted, type: 'ResolvedRefs', status: 'False', message: 'no secret' })),
    'Degraded: Ancestor gw: no secret',
  ],
  ['route.openshift.io/Route', { status: { ingress: [admitted('True')] } }, 'Healthy: Route is healthy'],
  [
    'route.openshift.io/Route',
    { status: { ingress: [admitted('True'), {}] } },
    'Progressing: Route is still getting admitted',
  ],
  [
    'route.openshift.io/Route',
    { status: { ingress: [admitted('True'), admitted('False')] } },
    'Degraded: Route is degraded',
  ],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})
