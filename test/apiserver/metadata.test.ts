// Owner references that are sent twice.

import { expect, it } from 'vitest'
import { ConfigMap } from '#kinds'
import { startServer, tester } from './server.ts'

const resource = { group: '', version: 'v1', resource: 'configmaps' } as const
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'u' }

it.each(['create', 'update'] as const)('are kept once, with a warning: %s', async (verb) => {
  const server = startServer()
  const metadata = { name: 'a', namespace: 'default' }
  const type = { apiVersion: 'v1', kind: 'ConfigMap' }
  if (verb === 'update') await server.client.create(ConfigMap, { ...type, metadata } as ConfigMap)
  const object = { ...type, metadata: { ...metadata, ownerReferences: [owner, owner] } }
  const body = { type: 'object', object } as never
  const name = verb === 'update' ? { name: 'a' } : {}
  const request = { verb, resource, namespace: 'default', ...name, body, caller: tester }
  const { warnings } = await server.handle(request, new AbortController().signal)
  expect(warnings).toEqual([
    expect.stringMatching(/^\.metadata\.ownerReferences contains duplicate entries; .*observed: u$/),
  ])
  const made = await server.client.get(ConfigMap, { namespace: 'default', name: 'a' })
  expect(made?.metadata.ownerReferences).toEqual([owner])
})
