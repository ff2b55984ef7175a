import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { healthOf } from './health.ts'
import { healthWithoutOperators } from './unattended.ts'

const object = (apiVersion: string, kind: string, rest: object = {}) =>
  ({ apiVersion, kind, metadata: { name: 'x', generation: 1 }, ...rest }) as unknown as AnyObject

describe('where no operator runs', () => {
  test('a custom resource without a status is Healthy, and says why', () => {
    const certificate = object('cert-manager.io/v1', 'Certificate')
    expect(healthOf(certificate)?.status).toBe('Progressing')
    expect(healthWithoutOperators(certificate)).toEqual({
      status: 'Healthy',
      message: 'no controller in this cluster reports on it',
      proof: { field: 'status', rule: 'nobody writes it here' },
    })
  })

  test.each([
    [
      'one with a status',
      object('cert-manager.io/v1', 'Certificate', {
        status: { conditions: [{ type: 'Ready', status: 'False', message: 'no issuer' }] },
      }),
      'Degraded',
    ],
    [
      'one that its spec pauses',
      object('cluster.x-k8s.io/v1beta1', 'Cluster', { spec: { paused: true } }),
      'Suspended',
    ],
    [
      'one that is being deleted',
      object('cert-manager.io/v1', 'Certificate', {
        metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' },
      }),
      'Progressing',
    ],
    [
      'a set of applications, which has its controller',
      object('argoproj.io/v1alpha1', 'ApplicationSet'),
      'Progressing',
    ],
    ['a definition', object('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), 'Progressing'],
  ])('%s is judged by its rule', (_, value, status) => {
    expect(healthWithoutOperators(value)?.status).toBe(status)
  })
})
