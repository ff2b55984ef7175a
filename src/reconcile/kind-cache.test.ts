import { describe, expect, it } from 'vitest'
import { Pod } from '#kinds'
import type { KubeObject } from '#objects'
import type { Index } from './cache.ts'
import { KindCache } from './kind-cache.ts'

const pod = (
  name: string,
  revision: number,
  more: { namespace?: string; owner?: string; node?: string } = {},
): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: more.namespace ?? 'default',
      resourceVersion: String(revision),
      ...(more.owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: more.owner }] }),
    },
    spec: { nodeName: more.node },
  }) as KubeObject

const byNode: Index<KubeObject> = {
  name: 'node',
  kind: Pod as Index<KubeObject>['kind'],
  values: (object) => [(object as { spec?: { nodeName?: string } }).spec?.nodeName ?? ''],
}

const names = (objects: readonly KubeObject[]): (string | undefined)[] => objects.map((object) => object.metadata.name)

describe('kind cache', () => {
  it('keeps its indexes through changes and deletions', () => {
    const cache = new KindCache(Pod)
    cache.put(pod('a', 1, { owner: 'u1' }))
    cache.put(pod('b', 2, { owner: 'u1', node: 'n1', namespace: 'shop' }))
    expect(names(cache.by(byNode, 'n1'))).toEqual(['b'])
    cache.put(pod('a', 3, { owner: 'u1', node: 'n1' }))
    expect(names(cache.by(byNode, 'n1'))).toEqual(['b', 'a'])
    expect(cache.by(byNode, '')).toEqual([])
    expect(names(cache.ownedBy('u1'))).toEqual(['a', 'b'])
    cache.put(pod('a', 4, { node: 'n1' }))
    expect(names(cache.ownedBy('u1'))).toEqual(['b'])
    cache.remove(pod('b', 5, { namespace: 'shop' }))
    expect([cache.ownedBy('u1'), names(cache.list()), cache.list('shop')]).toEqual([[], ['a'], []])
  })

  it('gives snapshots: a list in hand does not change, and an unchanged list is the same one', () => {
    const cache = new KindCache(Pod)
    cache.put(pod('a', 1))
    const before = cache.list()
    expect(cache.list()).toBe(before)
    cache.put(pod('b', 2))
    expect([names(before), names(cache.list())]).toEqual([['a'], ['a', 'b']])
  })

  it('never goes back to an older state of an object', () => {
    const cache = new KindCache(Pod)
    const newer = pod('a', 7)
    expect(cache.put(newer)).toEqual({ object: newer, old: undefined, deleted: false })
    expect(cache.put(pod('a', 5))).toBeUndefined()
    expect(cache.put(pod('a', 7))).toBeUndefined()
    expect(cache.remove(pod('a', 6))).toBeUndefined()
    expect(cache.get('default/a')).toBe(newer)
    expect(cache.remove(pod('a', 8))?.deleted).toBe(true)
    expect(cache.remove(pod('a', 8))).toBeUndefined()
  })

  it('takes a list as the truth, even with lower revisions, and reports what vanished', () => {
    const cache = new KindCache(Pod)
    cache.put(pod('a', 7))
    cache.put(pod('b', 8))
    expect(cache.putListed(pod('a', 2))?.old?.metadata.resourceVersion).toBe('7')
    const gone = cache.retain(new Set(['default/a']))
    expect(gone.map((change) => [change.object.metadata.name, change.deleted])).toEqual([['b', true]])
    expect(names(cache.list())).toEqual(['a'])
  })
})
