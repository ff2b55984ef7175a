// Managed resources, packages and roles that are synced, ready, paused or refused.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const bucket = 's3.aws.crossplane.io/Bucket'
const provider = 'pkg.crossplane.io/Provider'
const role = 'iammanager.keikoproj.io/Iamrole'
const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: `${reason}!` })

test.each([
  [bucket, {}, 'Progressing: Waiting for Bucket to be created'],
  [bucket, having(condition('Ready', 'True', 'Available'), condition('Synced', 'True', 'Done')), 'Healthy: Available'],
  [
    bucket,
    having(condition('Ready', 'False', 'Creating'), condition('Synced', 'True', 'Done')),
    'Progressing: Waiting for Bucket to be available',
  ],
  [bucket, having(condition('Synced', 'False', 'ReconcilePaused')), 'Suspended: ReconcilePaused'],
  [
    bucket,
    having(condition('Ready', 'True', 'Available'), condition('Synced', 'False', 'ReconcileError')),
    'Degraded: ReconcileError!',
  ],
  [provider, {}, 'Progressing: Waiting for provider to be installed'],
  [
    provider,
    having(condition('Healthy', 'True', 'Well'), condition('Installed', 'True', 'Active')),
    'Healthy: Active Well',
  ],
  [
    provider,
    having(condition('Installed', 'True', 'Active'), condition('Healthy', 'False', 'Ill')),
    'Degraded: Active Ill',
  ],
  [role, {}, 'Progressing: Waiting for Iamrole to be reconciled'],
  [
    role,
    { status: { state: 'Ready', roleName: 'r', roleARN: 'arn:r' } },
    "Healthy: Role 'r' exists with ARN 'arn:r' and ID '<none>'.",
  ],
  [
    role,
    { status: { state: 'Error', roleName: 'r', retryCount: 3, errorDescription: 'denied' } },
    "Degraded: Failed to reconcile the Iamrole (retry 3) for role 'r' with ARN '<none>' and ID '<none>'. Reconciliation error was: denied",
  ],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})
