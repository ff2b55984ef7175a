import { describe, expect, it } from 'vitest'
import type { ApiHandler } from '#api'
import { ConfigMap, CoreV1Event, EventsV1Event, Secret } from '#kinds'
import { objectKey, splitKey } from '#objects'
import {
  done,
  followKind,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  recordSeriesEvent,
  requeueAfter,
  TerminalError,
  watching,
} from '#reconcile'
import { watchFaults } from '../support/faults.ts'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'
import { configMap } from '../support/manifests.ts'

interface Visit {
  readonly key: string
  readonly at: number
}

type Reconcile = (key: string, kit: Kit, visit: number) => Promise<Outcome> | Outcome

const namespaceOf = (key: string): string => splitKey(key).namespace ?? ''

/** A machine with one loop, over ConfigMaps in `default`, that notes every visit. */
function withLoop(reconcile: Reconcile, more: Partial<LoopDefinition> = {}, options: TestMachineOptions = {}) {
  const visits: Visit[] = []
  const loop: LoopDefinition = {
    name: 'probe',
    user: 'system:serviceaccount:kube-system:probe-controller',
    manager: 'kube-controller-manager',
    workers: 2,
    watches: [watching(ConfigMap, (object) => (object.metadata.namespace === 'default' ? [objectKey(object)] : []))],
    ...more,
    async reconcile(key, kit) {
      visits.push({ key, at: kit.world.clock.now() })
      return reconcile(key, kit, visits.length)
    },
  }
  const test = startMachine({ loops: () => false, extraLoops: [loop], ...options })
  const figures = () => {
    const found = test.machine.runtime.figures().loops[0]
    if (found === undefined) throw new Error('no loop')
    return found
  }
  const configMaps = () => test.machine.runtime.figures().caches.find((cache) => cache.kind === ConfigMap)
  return { ...test, visits, figures, configMaps }
}

const ready = (test: TestMachine): Promise<void> => test.until(() => test.machine.runtime.synced())

const patchData = (test: TestMachine, name: string, data: Readonly<Record<string, string>>): Promise<ConfigMap> =>
  test.client.patch(ConfigMap, { namespace: 'default', name }, { data }, { type: 'application/merge-patch+json' })

describe('a loop', () => {
  it('looks at every object once at the start, and again after each change', async () => {
    const test = withLoop(() => done())
    await test.client.create(ConfigMap, configMap('early'))
    await ready(test)
    await test.world.settle()
    expect(test.visits.map((visit) => visit.key)).toEqual(['default/early'])
    await test.client.create(ConfigMap, configMap('late'))
    await patchData(test, 'early', { a: '1' })
    await test.world.settle()
    expect(
      test.visits
        .map((visit) => visit.key)
        .slice(1)
        .sort(),
    ).toEqual(['default/early', 'default/late'])
    await test.client.delete(ConfigMap, { namespace: 'default', name: 'late' })
    await test.world.settle()
    expect(test.visits.at(-1)?.key).toBe('default/late')
    await test.stop()
  })

  it('comes back when it asked to, and backs off when it fails', async () => {
    const test = withLoop((_key, _kit, visit) => {
      if (visit <= 3) throw new Error('not yet')
      return visit === 4 ? requeueAfter(60_000) : done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.until(() => test.visits.length === 5)
    const gaps = test.visits.slice(1).map((visit, i) => visit.at - (test.visits[i]?.at ?? 0))
    expect(gaps).toEqual([5, 10, 20, 60_000])
    expect(test.figures()).toMatchObject({
      errors: 3,
      reconciles: 5,
      backoff: [],
      lastError: { key: 'default/a', message: 'not yet' },
    })
    await test.stop()
  })

  it('shows a failing key with its next try, and does not retry what cannot be mended', async () => {
    const test = withLoop((key) => {
      throw key === 'default/bad' ? new TerminalError('never') : new Error('broken')
    })
    await test.client.create(ConfigMap, configMap('bad'))
    await test.client.create(ConfigMap, configMap('ill'))
    await test.world.advance(20)
    expect(test.visits.filter((visit) => visit.key === 'default/bad')).toHaveLength(1)
    expect(test.figures().backoff).toEqual([
      { key: 'default/ill', failures: 3, error: 'broken', nextTryAt: expect.any(Number) },
    ])
    await test.stop()
  })

  it('reads only kinds that it declared', async () => {
    const test = withLoop((_key, kit) => {
      kit.cache.list(Secret)
      return done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.until(() => test.visits.length > 0)
    expect(test.figures().lastError?.message).toContain('loop probe reads Secret from the cache')
    await test.stop()
  })

  it('may follow a further kind while it runs', async () => {
    const keys = (secret: Secret): string[] => [`secret ${secret.metadata.name}`]
    const test = withLoop((_key, kit) => {
      followKind(kit, Secret, keys)
      return done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.settle()
    await test.client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
    })
    await test.until(() => test.visits.some((visit) => visit.key === 'secret s'))
    await test.stop()
  })

  it('is woken from outside of the cluster until it ends', async () => {
    let wake: ((key: string) => void) | undefined
    const test = withLoop(() => done(), {
      wakes: (call) => {
        wake = call
        return () => {
          wake = undefined
        }
      },
    })
    await ready(test)
    wake?.('outside')
    await test.until(() => test.visits.some((visit) => visit.key === 'outside'))
    await test.stop()
    expect(wake).toBeUndefined()
  })
})

describe('reading its own writes', () => {
  it('holds a key until the cache shows what it wrote, at most 5 s', async () => {
    let writes = 0
    const test = withLoop(async (key, kit) => {
      const map = kit.cache.get(ConfigMap, key)
      if (map === undefined || writes === 0) return done()
      await kit.client.update(ConfigMap, { ...map, data: { n: String(writes--) } })
      return requeueAfter(10)
    })
    await test.client.create(ConfigMap, configMap('a'))
    await ready(test)
    await test.world.settle()
    // The watch hangs: the loop's own write does not arrive.
    test.machine.runtime.pauseWatch(ConfigMap)
    writes = 1
    test.visits.length = 0
    test.machine.runtime.enqueue('probe', 'default/a')
    await test.world.advance(4999)
    expect([test.visits.length, test.figures().held]).toEqual([1, 1])
    await test.world.advance(1)
    expect([test.visits.length, test.figures().held]).toEqual([2, 0])
    test.machine.runtime.resumeWatch(ConfigMap)
    await test.world.settle()
    // With the watch alive, the same write holds the key for a moment only.
    writes = 1
    test.visits.length = 0
    test.machine.runtime.enqueue('probe', 'default/a')
    await test.world.advance(10)
    expect(test.visits.length).toBeGreaterThan(1)
    await test.stop()
  })

  it('never acts on a state from before its last write', async () => {
    const seen: number[] = []
    const test = withLoop(async (key, kit) => {
      const map = kit.cache.get(ConfigMap, key)
      const n = Number(map?.data?.['n'] ?? 0)
      seen.push(n)
      if (map === undefined || n >= 20) return done()
      await kit.client.update(ConfigMap, { ...map, data: { n: String(n + 1) } })
      return requeueAfter(0)
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.until(() => seen.at(-1) === 20)
    expect(seen.filter((n, i) => i > 0 && n < (seen[i - 1] ?? 0))).toEqual([])
    expect(test.figures().errors).toBe(0)
    await test.stop()
  })

  it('is not held by deletes and kinds without a cache', async () => {
    const test = withLoop(async (_key, kit, visit) => {
      if (visit > 1) return done()
      const secret = await kit.client.create(Secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'default' },
      })
      await kit.client.delete(Secret, { namespace: 'default', name: secret.metadata.name ?? '' })
      return requeueAfter(0)
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.settle()
    expect(test.visits).toHaveLength(2)
    await test.stop()
  })
})

describe('the cache', () => {
  it('resumes a broken watch where it was, without listing again', async () => {
    const test = withLoop(() => done())
    await ready(test)
    test.machine.runtime.pauseWatch(ConfigMap)
    for (const name of ['a', 'b', 'c']) await test.client.create(ConfigMap, configMap(name))
    await test.client.delete(ConfigMap, { namespace: 'default', name: 'b' })
    await test.world.advance(1000)
    expect(test.visits).toEqual([])
    test.machine.runtime.resumeWatch(ConfigMap)
    await test.world.advance(1)
    expect(new Set(test.visits.map((visit) => visit.key))).toEqual(new Set(['default/a', 'default/b', 'default/c']))
    expect(test.configMaps()).toMatchObject({ lists: 1, errors: 0 })
    await test.stop()
  })

  it('lists again when its revision is gone, and notices what vanished meanwhile', async () => {
    const test = withLoop(() => done())
    await test.client.create(ConfigMap, configMap('old'))
    await ready(test)
    await test.world.settle()
    test.machine.runtime.pauseWatch(ConfigMap)
    await test.client.delete(ConfigMap, { namespace: 'default', name: 'old' })
    await test.client.create(ConfigMap, configMap('new'))
    test.machine.store.compact(test.machine.store.revision)
    test.visits.length = 0
    test.machine.runtime.resumeWatch(ConfigMap)
    await test.world.advance(10)
    expect(test.visits.map((visit) => visit.key).sort()).toEqual(['default/new', 'default/old'])
    expect(test.configMaps()?.lists).toBe(2)
    await test.stop()
  })

  it('repairs lost events by its resync, every 10 hours or when asked', async () => {
    const faults: { wrap?: (next: ApiHandler) => ApiHandler } = {}
    const test = withLoop(
      () => done(),
      {},
      { wrap: (next) => (request, signal) => (faults.wrap?.(next) ?? next)(request, signal) },
    )
    const fault = watchFaults(test.world, { lose: 1 })
    faults.wrap = fault.wrap
    await ready(test)
    await test.world.advance(1)
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.advance(3_600_000)
    expect(test.visits).toEqual([])
    await test.world.advance(9 * 3_600_000)
    expect(test.visits.map((visit) => visit.key)).toEqual(['default/a'])
    test.machine.runtime.resync()
    await test.world.advance(1)
    expect(test.visits).toHaveLength(2)
    await test.stop()
  })

  it.each([1, 2, 3, 4])('looks at all when the last of its kinds was listed again (seed %i)', async (seed) => {
    const faults: { wrap?: (next: ApiHandler) => ApiHandler } = {}
    const seen: (string | undefined)[] = []
    const ref = { namespace: 'default', name: 'read' }
    const test = withLoop(
      (_key, { cache }) => {
        seen.push(cache.get(Secret, 'default/read')?.data?.['a'])
        return done()
      },
      { reads: [Secret] },
      { seed, wrap: (next) => (request, signal) => (faults.wrap?.(next) ?? next)(request, signal) },
    )
    await test.client.create(ConfigMap, configMap('a'))
    await test.client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: ref, stringData: { a: '1' } })
    await ready(test)
    const fault = watchFaults(test.world, { lose: 1 })
    faults.wrap = fault.wrap
    test.machine.runtime.resync()
    await test.world.advance(1)
    await test.client.patch(Secret, ref, { stringData: { a: '2' } }, { type: 'application/merge-patch+json' })
    await test.world.advance(1000)
    seen.length = 0
    test.machine.runtime.resync()
    await test.world.advance(1)
    expect(seen).toEqual([Buffer.from('2').toString('base64')])
    await test.stop()
  })

  it('hears the end of an object whose namesake came and went, of which only that was heard', async () => {
    let deaf = false
    const ends: string[] = []
    const test = withLoop(
      () => done(),
      {
        watches: [
          watching(ConfigMap, (object, _old, cache) => {
            if (cache.get(ConfigMap, objectKey(object)) === undefined) ends.push(object.metadata.uid ?? '')
            return []
          }),
        ],
      },
      {
        wrapLoops: (next) => async (request, signal) => {
          const response = await next(request, signal)
          if (response.body.type !== 'watch') return response
          const { events } = response.body
          const heard = async function* () {
            for await (const batch of events) if (!deaf) yield batch
          }
          return { ...response, body: { type: 'watch', events: heard() } }
        },
      },
    )
    await ready(test)
    const made = async (): Promise<string> =>
      (await test.client.create(ConfigMap, configMap('twice'))).metadata.uid ?? ''
    const first = await made()
    await test.world.settle()
    deaf = true
    await test.client.delete(ConfigMap, { namespace: 'default', name: 'twice' })
    const second = await made()
    await test.world.settle()
    deaf = false
    await test.client.delete(ConfigMap, { namespace: 'default', name: 'twice' })
    await test.world.settle()
    expect(ends).toEqual([first, second])
    await test.stop()
  })

  it('backs off from a server in trouble and recovers', async () => {
    let down = true
    const unavailable: ApiHandler = async () => ({
      status: 503,
      body: { type: 'text', contentType: 'text/plain', text: 'down' },
    })
    const test = withLoop(
      () => done(),
      {},
      { wrap: (next) => (request, signal) => (down ? unavailable : next)(request, signal) },
    )
    await test.world.advance(20_000)
    const errors = test.configMaps()?.errors ?? 0
    expect(errors).toBeGreaterThan(2)
    expect(errors).toBeLessThan(7)
    down = false
    await ready(test)
    await test.stop()
  })
})

describe('one loop of a runtime', () => {
  it('can be paused and resumed', async () => {
    const test = withLoop(() => done())
    await ready(test)
    test.machine.runtime.pauseLoop('probe')
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.advance(1000)
    expect([test.visits.length, test.figures().queueDepth, test.figures().paused]).toEqual([0, 1, true])
    test.machine.runtime.resumeLoop('probe')
    await test.world.settle()
    expect(test.visits).toHaveLength(1)
    await test.stop()
  })

  it('takes no further step once it is restarted, and begins anew', async () => {
    const steps: string[] = []
    const test = withLoop(async (key, kit, visit) => {
      steps.push(`${visit} begins`)
      await kit.client.get(ConfigMap, { namespace: namespaceOf(key), name: 'a' })
      if (visit === 1) test.machine.runtime.restartLoop('probe')
      await kit.client.get(ConfigMap, { namespace: namespaceOf(key), name: 'a' })
      steps.push(`${visit} ends`)
      return done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.advance(10)
    expect(steps).toEqual(['1 begins', '2 begins', '2 ends'])
    await test.stop()
  })
})

describe('events', () => {
  it('are created once and counted up', async () => {
    const test = withLoop(async (key, kit, visit) => {
      const map = kit.cache.get(ConfigMap, key)
      if (map === undefined) return done()
      recordEvent(kit, { object: map, type: 'Warning', reason: 'Looked', message: 'looked at it' })
      return visit < 3 ? requeueAfter(1000) : done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.advance(5000)
    const { items } = await test.client.list(CoreV1Event, { namespace: 'default' })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      count: 3,
      reason: 'Looked',
      source: { component: 'probe-controller' },
      reportingComponent: 'probe-controller',
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default' },
      lastTimestamp: '2026-01-01T00:00:02Z',
    })
    expect(items[0]?.metadata.name).toMatch(/^a\.[0-9a-f]{16}$/)
    await test.stop()
  })

  it('of the newer kind become series', async () => {
    const test = withLoop(async (key, kit, visit) => {
      const object = kit.cache.get(ConfigMap, key)
      if (object === undefined) return done()
      const words = { type: 'Normal', reason: 'Looked', action: 'Looking', note: 'looked' } as const
      recordSeriesEvent(kit, { object, ...words, controller: 'probe', instance: 'probe-host' })
      return visit < 3 ? requeueAfter(1000) : done()
    })
    await test.client.create(ConfigMap, configMap('a'))
    await test.world.advance(5000)
    const list = await test.client.list(EventsV1Event, { namespace: 'default' })
    expect(list.items.map((event) => event.series?.count)).toEqual([2])
    await test.world.advance(720_000)
    const later = await test.client.list(EventsV1Event, { namespace: 'default' })
    expect(later.items[0]).toMatchObject({ series: { count: 3 }, note: 'looked', reportingController: 'probe' })
    await test.stop()
  })
})
