import { describe, expect, it } from 'vitest'
import { type Namespace, Pod } from '#kinds'
import { decideConditions, lookAgainMs } from './decide.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, spec: {} }
const pod = (finalizers: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', finalizers },
})

describe('the conditions of a namespace that is being deleted', () => {
  const of = (...objects: readonly ReturnType<typeof pod>[]) =>
    decideConditions({ namespace, remainders: objects.length === 0 ? [] : [{ kind: Pod, objects }], failures: [], now })

  it('say that nothing is left', () => {
    expect(of().map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions'],
      ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted'],
      ['NamespaceContentRemaining', 'False', 'ContentRemoved'],
      ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers'],
    ])
  })

  it('say what is left, and which finalizers hold it', () => {
    const conditions = of(pod(['example.com/x']), pod([]))
    expect(conditions.find(({ type }) => type === 'NamespaceContentRemaining')?.message).toBe(
      'Some resources are remaining: pods. has 2 resource instances',
    )
    expect(conditions.find(({ type }) => type === 'NamespaceFinalizersRemaining')?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances',
    )
  })

  it('stay the same list when nothing changed', () => {
    const conditions = of()
    const same = { ...namespace, status: { conditions } }
    expect(decideConditions({ namespace: same, remainders: [], failures: [], now: now + 5000 })).toBe(conditions)
  })

  it('waits half of the grace that pods have', () => {
    expect(lookAgainMs([{ kind: Pod, objects: [pod([])], graceSeconds: 30 }])).toBe(16_000)
    expect(lookAgainMs([{ kind: Pod, objects: [pod(['x'])] }])).toBe(8000)
  })
})
