import { describe, expect, it } from 'vitest'
import { type Json, strategicMergePatch } from '#objects'
import { schemaById } from './resolve.ts'

function merge(type: string, original: Json, patch: Json): Json {
  const schema = schemaById(`io.k8s.api.${type}`)
  if (schema === undefined) throw new Error(type)
  return strategicMergePatch(original, patch, schema)
}

const podSpec = {
  containers: [
    {
      name: 'a',
      image: 'app:1',
      args: ['x', 'y'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    },
    { name: 'b', image: 'app:1' },
  ],
  volumes: [
    { name: 'v', emptyDir: {} },
    { name: 'w', configMap: { name: 'c' } },
  ],
  tolerations: [{ key: 'k1', operator: 'Exists' }],
  nodeSelector: { a: '1' },
}
const pod = (patch: Json) => merge('core.v1.PodSpec', podSpec, patch) as typeof podSpec

describe('strategic merge patch', () => {
  it('merges lists by their merge key and shares what it does not touch', () => {
    const patched = pod({
      containers: [
        {
          name: 'a',
          image: 'app:2',
          env: [
            { name: 'B', value: '3' },
            { name: 'C', value: '4' },
          ],
        },
      ],
    })
    expect(patched.containers[0]).toEqual({
      name: 'a',
      image: 'app:2',
      args: ['x', 'y'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '3' },
        { name: 'C', value: '4' },
      ],
    })
    expect(patched.containers[1]).toBe(podSpec.containers[1])
    expect(patched.volumes).toBe(podSpec.volumes)
  })

  it('puts new elements in front of live ones that no order is known for', () => {
    expect(pod({ containers: [{ name: 'z', image: 'z' }] }).containers.map(({ name }) => name)).toEqual(['z', 'a', 'b'])
  })

  it('replaces atomic lists', () => {
    expect(pod({ tolerations: [{ key: 'k2' }], containers: [{ name: 'a', args: ['q'] }] })).toMatchObject({
      tolerations: [{ key: 'k2' }],
      containers: [{ name: 'a', args: ['q'] }, { name: 'b' }],
    })
  })

  it('deletes with null, and elements with $patch: delete', () => {
    const patched = pod({ containers: [{ name: 'b', $patch: 'delete' }], nodeSelector: null, volumes: null })
    expect(patched.containers.map(({ name }) => name)).toEqual(['a'])
    expect(Object.keys(patched)).toEqual(['containers', 'tolerations'])
  })

  it('replaces maps and lists with $patch: replace', () => {
    expect(pod({ nodeSelector: { $patch: 'replace', b: '2' } }).nodeSelector).toEqual({ b: '2' })
    expect(pod({ nodeSelector: { $patch: 'delete' } }).nodeSelector).toEqual({})
    expect(pod({ containers: [{ $patch: 'replace' }, { name: 'z' }] }).containers).toEqual([{ name: 'z' }])
  })

  it('keeps the listed keys only with $retainKeys', () => {
    const patched = pod({ volumes: [{ name: 'w', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] })
    expect(patched.volumes).toEqual([
      { name: 'v', emptyDir: {} },
      { name: 'w', emptyDir: {} },
    ])
    const strategy = { rollingUpdate: { maxSurge: '25%' }, type: 'RollingUpdate' }
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } }
    expect(merge('apps.v1.DeploymentSpec', { strategy }, patch)).toEqual({ strategy: { type: 'Recreate' } })
    expect(() => pod({ volumes: [{ name: 'w', $retainKeys: ['name'], emptyDir: {} }] })).toThrow(
      'invalid patch format of retainKeys',
    )
  })

  it('orders lists with $setElementOrder', () => {
    const patched = pod({
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'z' }, { name: 'a' }],
      containers: [{ name: 'z', image: 'z' }],
    })
    expect(patched.containers.map(({ name }) => name)).toEqual(['b', 'z', 'a'])
    const turned = pod({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] })
    expect(turned.containers.map(({ name }) => name)).toEqual(['b', 'a'])
  })

  it('adds to and deletes from lists of scalars', () => {
    const meta = { finalizers: ['a.b/c', 'd.e/f'] }
    const type = 'core.v1.PodTemplateSpec'
    const of = (patch: Json) => (merge(type, { metadata: meta }, { metadata: patch }) as { metadata: Json }).metadata
    expect(of({ finalizers: ['g.h/i'] })).toEqual({ finalizers: ['g.h/i', 'a.b/c', 'd.e/f'] })
    expect(of({ '$deleteFromPrimitiveList/finalizers': ['a.b/c'] })).toEqual({ finalizers: ['d.e/f'] })
    expect(
      of({
        '$deleteFromPrimitiveList/finalizers': ['a.b/c'],
        '$setElementOrder/finalizers': ['d.e/f', 'g.h/i'],
        finalizers: ['g.h/i'],
      }),
    ).toEqual({ finalizers: ['d.e/f', 'g.h/i'] })
  })

  it.each<[Json, string]>([
    [{ containers: [{ image: 'x' }] }, 'map: map[image:x] does not contain declared merge key: name'],
    [{ nodeSelector: { $patch: 'merge' } }, 'unknown patch type: merge in map: map[$patch:merge]'],
    [{ '$setElementOrder/containers': 'x' }, 'invalid patch format of setElementOrder list'],
    [
      { volumes: ['x', null] },
      'list element types are not identical: [[map[emptyDir:map[] name:v] map[configMap:map[name:c] name:w]] [x <nil>]]',
    ],
  ])('refuses %j', (patch, message) => {
    expect(() => pod(patch)).toThrow(message)
  })

  it('hands back the same object when the patch changes nothing', () => {
    expect(pod({ containers: [{ name: 'b', image: 'app:1' }], nodeSelector: { a: '1', z: null } })).toBe(podSpec)
    expect(pod({ containers: [] })).toBe(podSpec)
  })
})
