// Policies over a fleet: kept, broken, not reported, placed nowhere.

import { expect, test } from 'vitest'
import { told } from '../../../../test/support/custom-health.ts'

const fleet = 'policy.open-cluster-management.io/Policy'
const configuration = 'policy.open-cluster-management.io/ConfigurationPolicy'
const details = [{ conditions: [{ type: 'violation', message: 'no quota' }, { type: 'silent' }] }, {}]
const clusters = [
  { clustername: 'one', compliant: 'Compliant' },
  { clustername: 'two', compliant: 'NonCompliant' },
]
const binding = (kind: string, spec: object, aggregatedStatus?: readonly object[]) =>
  told(`work.karmada.io/${kind}`, { spec, status: { aggregatedStatus } })

test.each([
  [fleet, { spec: { disabled: true } }, 'Healthy: Policy is disabled'],
  [fleet, { spec: {}, status: { placement: [{}] } }, 'Healthy: No clusters match this policy'],
  [fleet, { spec: {}, status: {} }, 'Progressing: Waiting for the status to be reported'],
  [
    fleet,
    { spec: {}, status: { compliant: 'NonCompliant', status: clusters } },
    'Degraded: NonCompliant clusters: two',
  ],
  [fleet, { spec: {}, status: { compliant: 'Compliant', details: [] } }, 'Healthy: All templates are compliant'],
  [
    fleet,
    { spec: {}, status: { compliant: 'NonCompliant', details: [{ templateMeta: { name: 'quota' } }] } },
    'Degraded: NonCompliant templates: quota',
  ],
  [configuration, { status: { compliant: 'Compliant' } }, 'Progressing: Waiting for the status to be updated'],
  [
    configuration,
    { status: { compliant: 'NonCompliant', lastEvaluatedGeneration: 2, compliancyDetails: details } },
    'Degraded: violation - no quota',
  ],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})

test('a binding waits for every cluster that was chosen', () => {
  const insufficient = 'Progressing: Current resource status is insufficient'
  const well = { health: 'Healthy' }
  const two = { clusters: [{}, {}] }
  expect(binding('ResourceBinding', two, [well])).toBe(insufficient)
  expect(binding('ResourceBinding', two, [well, { health: 'Unknown', applied: true }])).toBe('Healthy: ')
  expect(binding('ResourceBinding', two, [well, { health: 'Unknown' }])).toBe(
    'Degraded: Current resource status is unhealthy',
  )
  expect(binding('ResourceBinding', {}, [well])).toBe('Healthy: ')
  expect(binding('ResourceBinding', { clusters: [] }, [well])).toBe(insufficient)
  expect(binding('ClusterResourceBinding', {}, [well])).toBe(insufficient)
})
