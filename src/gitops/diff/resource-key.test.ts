import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { keyOf, keyText, shownName, trackedBy, withTracking } from './resource-key.ts'

const object = (apiVersion: string, kind: string, metadata: object): AnyObject =>
  ({ apiVersion, kind, metadata }) as unknown as AnyObject
const web = object('apps/v1', 'Deployment', { name: 'web', namespace: 'shop' })
const role = object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: 'system:web' })

test('names of an object', () => {
  expect(keyText(keyOf(web))).toBe('apps/Deployment:shop/web')
  expect(keyText(keyOf(object('v1', 'Namespace', { name: 'shop' })))).toBe('Namespace:shop')
  expect(shownName(keyOf(web))).toBe('Deployment shop/web')
})

describe('tracking', () => {
  const id = (tracked: AnyObject) => tracked.metadata.annotations?.['argocd.argoproj.io/tracking-id']
  test('is written as Argo CD writes it', () => {
    expect(id(withTracking(web, 'shop', 'default'))).toBe('shop:apps/Deployment:shop/web')
    expect(id(withTracking(object('v1', 'Service', { name: 'a', namespace: 'b' }), 'x', 'b'))).toBe('x:/Service:b/a')
    expect(id(withTracking(role, 'shop', 'shop'))).toBe('shop:rbac.authorization.k8s.io/ClusterRole:shop/system:web')
  })

  test('is read back, and a copy of an object is not a part', () => {
    const tracked = withTracking(web, 'shop', 'default')
    expect(trackedBy(tracked)).toBe('shop')
    expect(trackedBy(withTracking(role, 'shop', 'shop'))).toBe('shop')
    expect(trackedBy(web)).toBeUndefined()
    expect(trackedBy({ ...tracked, metadata: { ...tracked.metadata, name: 'copy' } })).toBeUndefined()
    expect(trackedBy({ ...tracked, metadata: { ...tracked.metadata, namespace: 'elsewhere' } })).toBeUndefined()
    expect(
      trackedBy(object('v1', 'Pod', { name: 'p', annotations: { 'argocd.argoproj.io/tracking-id': 'nonsense' } })),
    ).toBeUndefined()
  })
})
