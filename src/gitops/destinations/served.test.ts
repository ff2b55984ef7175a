import { describe, expect, it } from 'vitest'
import { ApiError, type ApiHandler, refusal } from '#api'
import { createClient } from '#client'
import type { AnyObject } from '#objects'
import { discover, versionOf } from './served.ts'

const never = new AbortController().signal
const caller = { user: '', groups: [], userAgent: 'test' }

/** A server that answers these paths. */
function clientOf(paths: Readonly<Record<string, object>>) {
  const handler: ApiHandler = async ({ path = '' }) => {
    const object = paths[path]
    return object === undefined
      ? refusal({ code: 503, reason: 'ServiceUnavailable', message: 'away' })
      : { status: 200, body: { type: 'object', object: object as AnyObject } }
  }
  return createClient(handler, caller)
}

const everything = ['create', 'get', 'list', 'watch']
const resources = (...names: readonly [string, string, boolean, readonly string[]][]) => ({
  resources: names.map(([name, kind, namespaced, verbs]) => ({ name, kind, namespaced, verbs })),
})

describe('what a cluster serves', () => {
  it('is read group by group where the server knows no other way, and an API that is away is left out', async () => {
    const served = await discover(
      clientOf({
        '/api': { kind: 'APIVersions', versions: ['v1'] },
        '/apis': {
          kind: 'APIGroupList',
          groups: [
            {
              name: 'example.com',
              versions: [{ version: 'v1beta1' }, { version: 'v1' }],
              preferredVersion: { version: 'v1' },
            },
            { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] },
          ],
        },
        '/api/v1': resources(
          ['configmaps', 'ConfigMap', true, everything],
          ['pods/log', 'Pod', true, ['get']],
          ['bindings', 'Binding', true, ['create']],
        ),
        '/apis/example.com/v1': resources(['widgets', 'Widget', false, everything]),
        '/apis/example.com/v1beta1': resources(['widgets', 'Widget', false, everything]),
      }),
      new Map(),
      never,
    )
    expect(served.kindOf('v1', 'ConfigMap')).toMatchObject({ resource: 'configmaps', namespaced: true })
    expect(served.kindOf('v1', 'Binding')).toBeUndefined()
    expect(served.preferred('example.com', 'Widget')).toMatchObject({ version: 'v1', namespaced: false })
    expect(served.apiVersions).toEqual([
      'example.com/v1',
      'example.com/v1/Widget',
      'example.com/v1beta1',
      'example.com/v1beta1/Widget',
      'v1',
      'v1/Binding',
      'v1/ConfigMap',
    ])
  })

  it('gives the same kinds at every asking', async () => {
    const known = new Map()
    const client = clientOf({
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', groups: [] },
      '/api/v1': resources(['configmaps', 'ConfigMap', true, everything]),
    })
    const [first, second] = [await discover(client, known, never), await discover(client, known, never)]
    expect(first.kindOf('v1', 'ConfigMap')).toBe(second.kindOf('v1', 'ConfigMap'))
  })
})

it.each([
  ['v1.34.0', '1.34.0'],
  ['v1.31.2-gke.100', '1.31.2'],
  ['1.30', '1.30'],
])('the version %s is %s', async (gitVersion, version) => {
  expect(await versionOf(clientOf({ '/version': { gitVersion } }), never)).toBe(version)
})

it('what is no Kubernetes has no version', async () => {
  await expect(versionOf(clientOf({ '/version': { hello: 'world' } }), never)).rejects.toThrow(ApiError)
})
