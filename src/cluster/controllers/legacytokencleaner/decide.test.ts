import { describe, expect, it } from 'vitest'
import type { Secret, ServiceAccount } from '#kinds'
import { decideFate, type Fate, isTrackedLongEnough } from './decide.ts'

const now = Date.parse('2026-06-15T12:00:00Z')
const used = 'kubernetes.io/legacy-token-last-used'
const invalid = 'kubernetes.io/legacy-token-invalid-since'

const secret = (labels: Record<string, string> = {}, more: Partial<Secret> = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: {
    name: 'robot-token',
    namespace: 'default',
    creationTimestamp: '2024-01-01T00:00:00Z',
    labels,
    annotations: { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'r' },
  },
  ...more,
})

const account = (names: readonly string[] = ['robot-token'], uid = 'r'): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'default', uid },
  secrets: names.map((name) => ({ name })),
})

describe('a token in a Secret', () => {
  it.each<readonly [string, Fate, Secret, ServiceAccount | undefined, boolean]>([
    ['was never used', 'marked', secret(), account(), false],
    ['was used a year ago', 'marked', secret({ [used]: '2025-06-14' }), account(), false],
    ['was used within the year', 'stays', secret({ [used]: '2025-06-15' }), account(), false],
    ['was used on no day', 'stays', secret({ [used]: 'lately' }), account(), false],
    ['is young', 'stays', secret({}, { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }), account(), false],
    ['is of another type', 'stays', secret({}, { type: 'Opaque' }), account(), false],
    ['was made by hand', 'stays', secret(), account([]), false],
    ['has no account', 'stays', secret(), undefined, false],
    ['is of an account that was there before', 'stays', secret(), account(['robot-token'], 'other'), false],
    ['is mounted', 'stays', secret(), account(), true],
    ['was marked within the year', 'stays', secret({ [invalid]: '2025-06-15' }), account(), false],
    ['was marked a year ago', 'goes', secret({ [invalid]: '2025-06-14' }), account(), false],
    ['was marked with no day', 'marked', secret({ [invalid]: 'yes' }), account(), false],
  ])('that %s %s', (_, fate, of, owner, isMounted) => {
    expect(decideFate({ secret: of, account: owner, isMounted: () => isMounted, now })).toBe(fate)
  })
})

describe('uses are noted for long enough', () => {
  it.each([
    ['2025-06-14', true],
    ['2025-06-15', false],
    ['sometime', false],
    [undefined, false],
  ])('since %s: %s', (since, enough) => {
    expect(isTrackedLongEnough(since, now)).toBe(enough)
  })
})
