// Definitions and what they make the server serve.

import { describe, expect, it } from 'vitest'
import { isNotFound } from '#api'
import { CustomResourceDefinition } from '#kinds'
import type { AnyObject } from '#objects'
import { anyObject, definitionOf, objectOf, Widget } from '../support/custom-kinds.ts'
import { startServer, tester } from './server.ts'
import { ref, serverWithWidgets, WidgetV2, widget } from './widgets.ts'

describe('custom resources', () => {
  it('are served once the names of their definition are accepted', async () => {
    const { client } = await serverWithWidgets()
    const { status } = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' })
    expect(status?.conditions?.map(({ type, status: state }) => `${type}=${state}`).sort()).toEqual([
      'Established=True',
      'NamesAccepted=True',
    ])
    expect((await client.list(Widget, { namespace: 'default' })).items).toEqual([])
  })

  it('get defaults, lose unknown fields and are checked by their schema', async () => {
    const { client } = await serverWithWidgets()
    const made = await client.create(Widget, widget({ color: 'red', unknown: 1 }))
    expect(made['spec']).toEqual({ size: 3, color: 'red' })
    expect(made.metadata.generation).toBe(1)
    const bad = { ...made, spec: { size: 0, color: 'green' } }
    await expect(client.update(Widget, bad)).rejects.toThrow(
      'Widget.example.com "w" is invalid: [spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, spec.color: Unsupported value: "green": supported values: "red", "blue"]',
    )
  })

  it('keep spec and status apart', async () => {
    const { client } = await serverWithWidgets()
    const made = await client.create(Widget, { ...widget({ size: 1 }), status: { ready: 9 } })
    expect(made['status']).toBeUndefined()
    const reported = await client.updateStatus(Widget, { ...made, spec: { size: 7 }, status: { ready: 2 } })
    expect(reported).toMatchObject({ spec: { size: 1 }, status: { ready: 2 }, metadata: { generation: 1 } })
    const grown = await client.update(Widget, { ...reported, spec: { size: 4 }, status: { ready: 0 } })
    expect(grown).toMatchObject({ spec: { size: 4 }, status: { ready: 2 }, metadata: { generation: 2 } })
  })

  it('can be scaled where their definition says so', async () => {
    const { client } = await serverWithWidgets()
    await client.create(Widget, widget({ size: 2 }))
    const patch = { spec: { replicas: 5 } }
    const scale = await client.patch(Widget, ref, patch, { type: 'application/merge-patch+json', subresource: 'scale' })
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } })
    expect((await client.get(Widget, ref))['spec']).toMatchObject({ size: 5 })
  })

  it('are read in each served version', async () => {
    const { client } = await serverWithWidgets()
    await client.create(Widget, widget({ size: 2 }))
    expect(await client.get(WidgetV2, ref)).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 2 } })
  })

  it('are watched until their definition says something else', async () => {
    const { client, world, handle } = await serverWithWidgets()
    const answered = await handle({ verb: 'watch', resource: Widget, caller: tester }, new AbortController().signal)
    if (answered.body.type !== 'watch') throw new Error('no watch')
    const feed = answered.body.events[Symbol.asyncIterator]()
    const next = world.drive(async () => {
      const found = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' })
      // What only its status says does not matter.
      await client.updateStatus(CustomResourceDefinition, found)
      await client.create(Widget, widget({}))
      const { value } = await feed.next()
      const { spec } = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' })
      await client.patch(
        CustomResourceDefinition,
        { name: 'widgets.example.com' },
        { spec: { names: { ...spec.names, shortNames: ['wd'] } } },
        { type: 'application/merge-patch+json' },
      )
      return [value?.length, (await feed.next()).done]
    })
    expect(await next).toEqual([1, true])
  })

  it('go with their definition, which waits for those that are held', async () => {
    const { client, world } = await serverWithWidgets()
    const held = widget({})
    await client.create(Widget, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } })
    await client.delete(CustomResourceDefinition, { name: 'widgets.example.com' })
    await world.settle()
    expect((await client.get(Widget, ref)).metadata.deletionTimestamp).toBeDefined()
    await client.patch(Widget, ref, { metadata: { finalizers: null } }, { type: 'application/merge-patch+json' })
    await world.settle()
    await expect(client.get(CustomResourceDefinition, { name: 'widgets.example.com' })).rejects.toSatisfy(isNotFound)
    await expect(client.list(Widget)).rejects.toSatisfy(isNotFound)
  })
})

describe('definitions as well-known projects write them', () => {
  const rules = (...list: readonly object[]) => ({ 'x-kubernetes-validations': list })
  const openAPIV3Schema = objectOf({
    spec: objectOf({
      port: {
        type: 'string',
        maxLength: 63,
        ...rules({ rule: '!format.dns1123Label().validate(self).hasValue()', message: 'no label' }),
      },
      method: {
        type: 'string',
        maxLength: 100,
        ...rules({ rule: "self.matches('^(?i)[a-z]+$')", messageExpression: "'not: %s'.format([self])" }),
      },
      matches: {
        type: 'array',
        maxItems: 4,
        items: objectOf({
          path: { type: 'string', maxLength: 9 },
          hosts: { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 9 } },
        }),
        ...rules({
          rule: 'self.size() == 0 || has(self[0].path)',
          message: 'the first match needs a path',
          reason: 'FieldValueRequired',
        }),
      },
      template: { ...anyObject, 'x-kubernetes-embedded-resource': true },
    }),
  })
  const route = definitionOf(Widget, { versions: [{ schema: { openAPIV3Schema } }] })

  it('load, take what fits and say what does not', async () => {
    const { client, world } = startServer()
    await client.create(CustomResourceDefinition, route)
    await world.settle()
    const good = {
      port: 'http',
      method: 'GET',
      matches: [{ path: '/' }, {}],
      template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { any: 'thing' } },
    }
    const made = await client.create(Widget, widget(good))
    expect(made['spec']).toEqual(good)
    const bad = {
      port: 'A',
      method: 'x1',
      matches: [{}],
      template: { apiVersion: 'a/b/c', metadata: { labels: { '?': 'x' } } },
    }
    await expect(client.update(Widget, { ...made, spec: bad })).rejects.toThrow(
      'spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    )
    const { template: _template, ...ruled } = bad
    await expect(client.update(Widget, { ...made, spec: ruled })).rejects.toThrow(
      'Widget.example.com "w" is invalid: [spec.port: Invalid value: "string": no label, spec.method: Invalid value: "string": not: x1, spec.matches: Required value: the first match needs a path]',
    )
  })
})

describe('objects that are nested deeply', () => {
  const deep = (levels: number): object => {
    let value: object = {}
    for (let level = 0; level < levels; level++) value = { a: value }
    return value
  }

  it('go through every kind of write as far as texts may hold them', async () => {
    const server = startServer()
    await server.client.create(CustomResourceDefinition, definitionOf(Widget))
    await server.world.settle()
    const object = { ...widget(deep(490)), metadata: { name: 'w', namespace: 'default' } }
    const ref = { namespace: 'default', name: 'w' }
    await server.client.create(Widget, object)
    await server.client.apply(Widget, object, { fieldManager: 'a', force: true })
    await server.client.apply(Widget, { ...object, metadata: { ...object.metadata, name: 'x' } }, { fieldManager: 'a' })
    await server.client.patch(Widget, ref, { spec: deep(490) }, { type: 'application/merge-patch+json' })
    const live = await server.client.get(Widget, ref, { managedFields: true })
    expect(live.metadata.managedFields?.length).toBeGreaterThan(1)
    await server.client.update(Widget, { ...live, more: deep(490) } as AnyObject)
  })
})
