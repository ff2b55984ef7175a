// The store in memory against a model: lists now and in the past, optimistic concurrency, watches, bounds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore, RevisionConflictError, RevisionGoneError, type Store, type StoreEvent } from './index.ts'

const value = (key: string, revision: number, content = '') => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: key, resourceVersion: String(revision) },
  content,
})

function put(store: Store, key: string, bucket = 'things', content = ''): number {
  const expected = store.get(bucket, key)?.revision ?? 0
  return store.put(bucket, key, expected, (revision) => ({
    value: value(key, revision, content),
    attachment: undefined,
  })).revision
}

function remove(store: Store, key: string, bucket = 'things'): StoreEvent {
  const expected = store.get(bucket, key)?.revision ?? 0
  return store.delete(bucket, key, expected, (revision) => value(key, revision))
}

const brief = (events: readonly StoreEvent[]): readonly string[] =>
  events.map(({ revision, current, previous }) => {
    const type = current === undefined ? 'del' : previous === undefined ? 'add' : 'mod'
    return `${revision} ${type} ${(current ?? previous)?.key}`
  })

describe('writes', () => {
  it('count one revision up and hand it to the value', () => {
    const store = createMemoryStore()
    expect(put(store, 'a')).toBe(1)
    expect(put(store, 'b', 'others')).toBe(2)
    expect(put(store, 'a')).toBe(3)
    expect(store.get('things', 'a')?.value.metadata.resourceVersion).toBe('3')
    expect(remove(store, 'a').deleted?.metadata.resourceVersion).toBe('4')
    expect(store.revision).toBe(4)
    expect(store.get('things', 'a')).toBeUndefined()
    expect(store.buckets()).toEqual(['others'])
  })

  it('refuse another revision than the expected one and leave no trace', () => {
    const store = createMemoryStore()
    put(store, 'a')
    const make = (revision: number) => ({ value: value('a', revision), attachment: undefined })
    expect(() => store.put('things', 'a', 0, make)).toThrow(RevisionConflictError)
    expect(() => store.put('things', 'b', 7, make)).toThrow('things/b is at revision 0')
    expect(() => store.delete('things', 'b', 0, () => value('b', 0))).toThrow(RevisionConflictError)
    expect(store.revision).toBe(1)
  })

  it('that fail while making their value, or write meanwhile, change nothing', () => {
    const store = createMemoryStore()
    const refuse = () => {
      throw new Error('refused')
    }
    expect(() => store.put('things', 'a', 0, refuse)).toThrow('refused')
    expect(store.count('things')).toBe(0)
    const nested = (revision: number) => {
      put(store, 'b')
      return { value: value('a', revision), attachment: undefined }
    }
    expect(() => store.put('things', 'a', 0, nested)).toThrow('may not write')
    expect(store.get('things', 'a')).toBeUndefined()
  })
})

const step = fc.record({
  key: fc.constantFrom('a/1', 'a/2', 'a/20', 'a-b/1', 'a.b/1', 'b/1', 'b/2', 'c/x', 'c/y'),
  remove: fc.boolean(),
  list: fc.boolean(),
})

describe('lists', () => {
  it('equal a model now and at every revision of the history, whole and in pages', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.constantFrom('', 'a/', 'a/2', 'b/', 'none/'),
        fc.integer({ min: 1, max: 4 }),
        (steps, prefix, limit) => {
          const store = createMemoryStore()
          const states: string[][] = [[]]
          const model = new Set<string>()
          for (const { key, remove: isRemoval, list } of steps) {
            if (isRemoval && !model.has(key)) continue
            if (isRemoval) remove(store, key)
            else put(store, key)
            if (isRemoval) model.delete(key)
            else model.add(key)
            states[store.revision] = [...model].filter((k) => k.startsWith(prefix)).sort()
            if (list) store.list('things')
          }
          for (const [revision, expected] of states.entries()) {
            const page = store.list('things', { prefix, revision })
            expect(page.entries.map(({ key }) => key)).toEqual(expected)
            expect(page.entries.every((entry) => entry.revision <= revision)).toBe(true)
            const keys: string[] = []
            let after: string | undefined
            for (let remaining = 1; remaining > 0; ) {
              const part = store.list('things', { prefix, revision, limit, ...(after === undefined ? {} : { after }) })
              keys.push(...part.entries.map(({ key }) => key))
              remaining = part.remaining
              expect(keys.length + remaining).toBe(expected.length)
              after = keys.at(-1)
            }
            expect(keys).toEqual(expected)
          }
          expect(store.count('things', prefix)).toBe(states.at(-1)?.length ?? 0)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('from before the history or from the future are gone', () => {
    const store = createMemoryStore({ history: { events: 3 } })
    for (let i = 0; i < 6; i += 1) put(store, `k${i}`)
    expect(store.list('things', { revision: 3 }).entries).toHaveLength(3)
    expect(() => store.list('things', { revision: 2 })).toThrow('too old resource version: 2 (3)')
    expect(() => store.list('things', { revision: 7 })).toThrow(RevisionGoneError)
  })
})

describe('trimming', () => {
  it('forgets the old events of busy buckets, but for their last ones', () => {
    const store = createMemoryStore()
    put(store, 'quiet', 'quiet')
    for (let i = 0; i < 6; i += 1) put(store, 'a')
    const before = store.history.bytes
    store.trim(6, 2)
    expect(store.history.events).toBe(3)
    expect(store.history.bytes).toBeLessThan(before)
    expect(brief(store.watch('quiet', { after: 0 }).take())).toEqual(['1 add quiet'])
    expect(brief(store.watch('things', { after: 5 }).take())).toEqual(['6 mod a', '7 mod a'])
    expect(() => store.watch('things', { after: 4 })).toThrow(RevisionGoneError)
    put(store, 'a')
    store.compact(7)
    expect(store.history.events).toBe(1)
  })

  it('ends watches that have not come so far', () => {
    const store = createMemoryStore()
    const watch = store.watch('things', { after: 0 })
    for (let i = 0; i < 6; i += 1) put(store, 'a')
    store.trim(6, 2)
    expect(watch.take()).toEqual([])
    expect(watch.overflowed).toBe(true)
  })
})

describe('watches', () => {
  it('hand on every event of their prefix after their revision, once and in order', () => {
    const store = createMemoryStore()
    put(store, 'a/1')
    put(store, 'b/1')
    const watch = store.watch('things', { after: 1 })
    const narrow = store.watch('things', { prefix: 'a/', after: 0 })
    put(store, 'a/2')
    remove(store, 'a/1')
    put(store, 'x', 'others')
    expect(brief(watch.take(1))).toEqual(['2 add b/1'])
    expect(watch.revision).toBe(2)
    expect(brief(watch.take())).toEqual(['3 add a/2', '4 del a/1'])
    expect(watch.take()).toEqual([])
    expect(watch.revision).toBe(5)
    expect(brief(narrow.take())).toEqual(['1 add a/1', '3 add a/2', '4 del a/1'])
  })

  it('wake once for an event of their own, at once if one is there, and when they end', () => {
    const store = createMemoryStore()
    const watch = store.watch('things', { prefix: 'a/' })
    let wakes = 0
    const wake = () => {
      wakes += 1
    }
    watch.onReady(wake)
    put(store, 'b/1')
    expect([wakes, watch.revision]).toEqual([0, 1])
    put(store, 'a/1')
    put(store, 'a/1')
    expect(wakes).toBe(1)
    watch.onReady(wake)
    expect(wakes).toBe(2)
    expect(brief(watch.take())).toEqual(['2 add a/1', '3 mod a/1'])
    watch.onReady(wake)
    watch.close()
    expect([wakes, watch.ended, watch.overflowed]).toEqual([3, true, false])
    expect(watch.take()).toEqual([])
  })

  it('may take and wait again inside of their wake-up', () => {
    const store = createMemoryStore()
    const watch = store.watch('things')
    const seen: string[] = []
    const wake = (): void => {
      seen.push(...brief(watch.take()))
      watch.onReady(wake)
    }
    watch.onReady(wake)
    put(store, 'a')
    put(store, 'b')
    expect(seen).toEqual(['1 add a', '2 add b'])
  })

  it('overflow when the history has left them behind, but not while they wait', () => {
    const store = createMemoryStore({ history: { events: 2 } })
    const slow = store.watch('things')
    const waiting = store.watch('things', { prefix: 'none/' })
    waiting.onReady(() => {})
    for (let i = 0; i < 3; i += 1) put(store, `k${i}`)
    expect([slow.take(), slow.overflowed, slow.ended]).toEqual([[], true, true])
    expect([waiting.take(), waiting.overflowed, waiting.revision]).toEqual([[], false, 3])
    expect(() => store.watch('things', { after: 0 })).toThrow(RevisionGoneError)
  })

  it('of a bucket that is seldom written reach back further than the busy ones', () => {
    const store = createMemoryStore({ history: { events: 10 } })
    for (let i = 0; i < 20; i += 1) put(store, `k${i}`)
    expect(brief(store.watch('quiet', { after: 5 }).take())).toEqual([])
    expect(() => store.watch('things', { after: 5 })).toThrow(RevisionGoneError)
  })

  it('end when the store is closed', async () => {
    const store = createMemoryStore()
    const watch = store.watch('things')
    let woken = false
    watch.onReady(() => {
      woken = true
    })
    await store.close()
    expect([woken, watch.ended]).toEqual([true, true])
    expect(() => put(store, 'a')).toThrow('closed')
  })
})

describe('history', () => {
  it('is bounded in bytes, charging only what the new version does not share', () => {
    const store = createMemoryStore({ history: { bytes: 20_000 } })
    for (let i = 0; i < 50; i += 1) put(store, 'a', 'things', 'x'.repeat(1000))
    expect(store.history.bytes).toBeLessThanOrEqual(20_000)
    expect(store.history.events).toBeGreaterThan(10)
    const shared = createMemoryStore({ history: { bytes: 20_000 } })
    const spec = { text: ['x'.repeat(5000)] }
    for (let i = 0; i < 30; i += 1) {
      shared.put('things', 'a', shared.get('things', 'a')?.revision ?? 0, (revision) => ({
        value: { ...value('a', revision), spec },
        attachment: undefined,
      }))
    }
    expect(shared.history.events).toBe(30)
  })

  it('is forgotten up to a revision by compaction', () => {
    const store = createMemoryStore()
    for (let i = 0; i < 6; i += 1) put(store, `k${i}`)
    const watch = store.watch('things', { after: 4 })
    store.compact(4)
    expect(() => store.watch('things', { after: 3 })).toThrow(RevisionGoneError)
    expect(() => store.watch('other', { after: 3 })).toThrow(RevisionGoneError)
    expect(brief(watch.take())).toEqual(['5 add k4', '6 add k5'])
    expect(store.list('things', { revision: 4 }).entries).toHaveLength(4)
    expect(() => store.list('things', { revision: 3 })).toThrow(RevisionGoneError)
  })

  it('keeps nothing of keys that come and go', () => {
    const store = createMemoryStore({ history: { events: 10 } })
    for (let i = 0; i < 20_000; i += 1) {
      put(store, `ns/k${i}`)
      remove(store, `ns/k${i}`)
    }
    expect(store.count('things', 'ns/')).toBe(0)
    expect(store.history.events).toBe(10)
  })
})
