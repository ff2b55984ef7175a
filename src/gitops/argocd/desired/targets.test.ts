// What becomes of manifests before they are applied.
import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { makeTargets } from './targets.ts'

describe('targets', () => {
  const make = (objects: readonly object[], destinationNamespace = 'shop') =>
    makeTargets({
      app: 'web',
      destinationNamespace,
      sources: [
        {
          path: 'p',
          objects: objects.map((object, line) => ({ object: object as AnyObject, file: 'a.yaml', line })),
        },
      ],
      kindOf: (_version, kind) => ({ group: '', version: 'v1', kind, resource: 'x', namespaced: kind !== 'Namespace' }),
      scopeOf: () => undefined,
    })
  const map = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })

  test('get a namespace where they need one, and none where not', () => {
    const { targets } = make([
      map({ name: 'a' }),
      map({ name: 'b', namespace: 'own' }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', namespace: 'wrong' } },
    ])
    expect(targets.map((target) => target.key.namespace)).toEqual(['shop', 'own', ''])
    expect(make([map({ name: 'a' })], '')).toMatchObject({
      targets: [],
      incomplete: true,
      findings: [{ message: 'Namespace for a v1, Kind=ConfigMap is missing.' }],
    })
  })

  test('lose what only a server sets', () => {
    const { targets } = make([
      { ...map({ name: 'a', uid: 'u', resourceVersion: '1', managedFields: [], labels: { a: 'b' } }), status: {} },
    ])
    expect(targets[0]?.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        namespace: 'shop',
        labels: { a: 'b' },
        annotations: { 'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:shop/a' },
      },
    })
  })

  test('need a name of their own; only hooks may leave it to the server', () => {
    const hook = { 'argocd.argoproj.io/hook': 'PreSync' }
    const made = make([
      map({}),
      map({ generateName: 'a-' }),
      map({ generateName: 'a-', annotations: hook }),
      map({ name: 'a' }),
    ])
    expect(made.targets.map((target) => target.key.name)).toEqual(['', 'a'])
    expect(made.incomplete).toBe(true)
    expect(made.problems).toEqual([
      'p/a.yaml:0:1: ConfigMap: metadata.name is missing',
      'p/a.yaml:1:1: ConfigMap: metadata.generateName "a-" is only possible for hooks; give it a metadata.name',
    ])
  })

  test('of an unchanged manifest are the same object', () => {
    const object = map({ name: 'a' })
    expect(make([object]).targets[0]?.object).toBe(make([object]).targets[0]?.object)
  })
})
