// What is sent as a custom resource: what it must say of itself, and how what does not fit is refused.

import { describe, expect, it } from 'vitest'
import { Widget } from '../support/custom-kinds.ts'
import { ref, serverWithWidgets, widget } from './widgets.ts'

describe('custom resources', () => {
  it('say themselves what they are, in words of their own decoder', async () => {
    const { client } = await serverWithWidgets()
    const { kind: _kind, ...kindless } = widget({})
    const { apiVersion: _version, ...versionless } = widget({})
    const unlike = "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '"
    const text = JSON.stringify(kindless)
    const expected = 'does not match the expected API version (example.com/v1)'
    const post = (object: object, query = {}) =>
      client.request({
        verb: 'create',
        resource: Widget,
        namespace: 'default',
        query,
        body: { type: 'text', text: JSON.stringify(object), contentType: 'application/json' },
      })
    await expect(post(kindless)).rejects.toThrow(`${unlike}${text}' (${text.slice(0, 30)} ...)`)
    await expect(post(kindless, { fieldValidation: 'Ignore' })).rejects.toThrow(
      `Widget in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in '${text}'`,
    )
    await expect(post(versionless)).rejects.toThrow(`the API version in the data () ${expected}`)
    await expect(post({ ...widget({}), apiVersion: 'v1', kind: 'Other' })).rejects.toThrow(
      `the API version in the data (v1) ${expected}`,
    )
    await expect(post({ ...widget({}), kind: 'Other' })).rejects.toMatchObject({ code: 422 })
  })

  it('are kept as one kind, whatever version they are read in', async () => {
    const { client } = await serverWithWidgets()
    const hashOf = async (version: string) => {
      const { body } = await client.request({ verb: 'get', path: `/apis/example.com/${version}` })
      const { resources } = (body as unknown as { object: { resources: { storageVersionHash?: string }[] } }).object
      return resources[0]?.storageVersionHash
    }
    expect(await hashOf('v2')).toBe(await hashOf('v1'))
  })

  it('refuse a patch of their scale that does not fit', async () => {
    const { client } = await serverWithWidgets()
    await client.create(Widget, widget({ size: 2 }))
    const patch = (body: object) =>
      client.request({
        verb: 'patch',
        resource: Widget,
        ...ref,
        subresource: 'scale',
        body: { type: 'text', text: JSON.stringify(body), contentType: 'application/merge-patch+json' },
      })
    await expect(patch({ spec: { replicas: 'many' } })).rejects.toMatchObject({
      code: 422,
      message: expect.stringMatching(/^ "" is invalid: patch: Invalid value: "{.*of type int32$/),
    })
    await expect(patch({ metadata: { name: 'other' } })).rejects.toThrow('does not match the name on the URL (w)')
  })
})
