// Subscriptions of operators, services of SAP, Keycloak and old external secrets.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const subscription = (spec: object, status: object) => told('operators.coreos.com/Subscription', { spec, status })
const pending = { type: 'InstallPlanPending', status: 'True', reason: 'RequiresApproval' }
const sources = { type: 'CatalogSourcesUnhealthy', status: 'False' }

test('an upgrade that waits for approval is healthy only where something is installed and approval is manual', () => {
  const waiting = { state: 'UpgradePending', conditions: [pending, sources] }
  const installed = { ...waiting, installedCSV: 'operator.v1' }
  expect(subscription({ installPlanApproval: 'Manual' }, installed)).toBe(
    "Healthy: 2: CatalogSourcesUnhealthy | False\n.status.state is 'UpgradePending' (manual InstallPlan approval pending; treated as healthy)\n",
  )
  for (const [spec, status] of [
    [{ installPlanApproval: 'Manual' }, waiting],
    [{ installPlanApproval: 'Automatic' }, installed],
  ] as const) {
    expect(subscription(spec, status)).toBe(
      "Progressing: 1: InstallPlanPending | True\n2: CatalogSourcesUnhealthy | False\n.status.state is 'UpgradePending'\n",
    )
  }
})

test.each([
  [{}, 'Progressing: An install plan for a subscription is pending installation'],
  [{ conditions: [] }, 'Progressing: .status.state not yet known\n'],
  [{ conditions: [], state: 'AtLatestKnown' }, "Healthy: .status.state is 'AtLatestKnown'\n"],
  [{ conditions: [], state: 'UpgradeFailed' }, "Degraded: .status.state is 'UpgradeFailed'\n"],
  [
    { conditions: [{ type: 'ResolutionFailed', status: 'True' }] },
    'Degraded: 1: ResolutionFailed | True\n.status.state not yet known\n',
  ],
])('Subscription %j', (status, expected) => {
  expect(subscription({}, status)).toBe(expected)
})

const instance = 'services.cloud.sap.com/ServiceInstance'
const keycloak = 'k8s.keycloak.org/Keycloak'
const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2030-01-02T00:00:00Z' }
const errors = { type: 'HasErrors', status: 'True', message: 'no database' }

test.each([
  [instance, {}, 'Progressing: Waiting for status'],
  [instance, having(), 'Healthy: Ready to use'],
  [instance, having({ type: 'Failed', status: 'True', message: 'quota' }), 'Degraded: quota'],
  [instance, having({ type: 'Ready', observedGeneration: 1 }), 'Progressing: Waiting for spec update to be observed'],
  [
    keycloak,
    having({ ...errors, lastTransitionTime: '2030-01-01T00:00:00Z' }, ready),
    'Degraded: Has Errors: no database',
  ],
  [keycloak, having(errors, ready), 'Healthy: '],
  [keycloak, having({ ...ready, status: 'False' }), 'Progressing: '],
  ['kubernetes-client.io/ExternalSecret', { status: { status: 'ERROR, no such key' } }, 'Degraded: no such key'],
  ['kubernetes-client.io/ExternalSecret', { status: { status: 'SUCCESS' } }, 'Healthy: Fetched ExternalSecret.'],
  ['kubernetes-client.io/ExternalSecret', {}, 'Progressing: Waiting for ExternalSecret.'],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})
