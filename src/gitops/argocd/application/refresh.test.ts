// When an Application is due, and which versions of it need no look.
import { expect, test } from 'vitest'
import type { Application } from '#kinds'
import { expiresAt, isOnlyRefreshed } from './refresh.ts'

const old: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'argocd', resourceVersion: '1', labels: { a: '1' } },
  spec: { project: 'default', destination: { namespace: 'shop' } },
  status: { reconciledAt: '2026-01-01T00:00:00Z', sync: { status: 'Synced' } },
}
const status = { ...old.status, reconciledAt: '2026-01-01T00:02:00Z' }
const metadata = { ...old.metadata, resourceVersion: '2' }

test.each<readonly [string, Partial<Application>, boolean]>([
  ['another time alone', {}, true],
  ['the same time (the version that is deleted, or comes once more)', { status: old.status ?? {} }, false],
  ['another state too', { status: { ...status, sync: { status: 'OutOfSync' } } }, false],
  ['something more in the status', { status: { ...status, summary: {} } }, false],
  ['another spec', { spec: { ...old.spec, project: 'other' } }, false],
  ['an operation', { operation: { sync: {} } }, false],
  ['an annotation', { metadata: { ...metadata, annotations: { 'argocd.argoproj.io/refresh': 'normal' } } }, false],
  ['another label', { metadata: { ...metadata, labels: { a: '2' } } }, false],
  ['its deletion', { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:02:00Z' } }, false],
])('%s', (_what, change, expected) => {
  expect(isOnlyRefreshed({ ...old, metadata, status, ...change }, old)).toBe(expected)
})

test('comparisons expire after two to three minutes', () => {
  const { status: _, ...neverCompared } = old
  expect(expiresAt(neverCompared, 0)).toBeUndefined()
  expect(expiresAt(neverCompared, 120_000)).toBe(0)
  const expiry = (expiresAt(old, 120_000) ?? 0) - Date.UTC(2026, 0, 1)
  expect(expiry).toBeGreaterThanOrEqual(120_000)
  expect(expiry).toBeLessThan(180_000)
})
