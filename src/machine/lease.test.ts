import { describe, expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { createMemoryStore } from '#store'
import { leaseOf } from './lease.ts'

const value = (revision: number): AnyObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: String(revision) },
})
const make = (revision: number) => ({ value: value(revision), attachment: undefined })

describe('a lease of the store', () => {
  it('reads and writes the store while it is held', () => {
    const store = createMemoryStore()
    const lease = leaseOf(store)
    lease.store.put('configmaps', 'default/a', 0, make)
    expect(store.get('configmaps', 'default/a')?.revision).toBe(1)
    expect(lease.store.revision).toBe(1)
  })

  it('writes nothing once it has ended, and leaves the store to others', () => {
    const store = createMemoryStore()
    const lease = leaseOf(store)
    const next = leaseOf(store)
    lease.end()
    expect(() => lease.store.put('configmaps', 'default/a', 0, make)).toThrow('the API server has ended')
    next.store.put('configmaps', 'default/a', 0, make)
    expect(() => lease.store.delete('configmaps', 'default/a', 1, value)).toThrow('the API server has ended')
    expect(lease.store.count('configmaps')).toBe(1)
  })
})
