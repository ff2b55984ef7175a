// Which fields the objects of a kind can be selected by, and what is said of all others.

import { expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import { Pod, ServiceAccount } from '#kinds'
import { startServer, tester } from './server.ts'

type Place = Pick<ApiRequest, 'resource' | 'namespace' | 'name'>

const core = (resource: string, more: Omit<Place, 'resource'> = {}): Place => ({
  resource: { group: '', version: 'v1', resource },
  ...more,
})
const of = (group: string, resource: string): Place => ({ resource: { group, version: 'v1', resource } })

const names = 'only "metadata.name", "metadata.namespace"'
const refusals: readonly [what: Place, selector: string, message: string][] = [
  [core('persistentvolumes'), 'name=a', `"name" is not a known field selector: ${names}`],
  [core('configmaps'), 'toString=a', `"toString" is not a known field selector: ${names}`],
  [of('apps', 'replicasets'), 'status.replicas=1', `"status.replicas" is not a known field selector: ${names}`],
  [core('namespaces'), 'name=a', 'field label not supported: name'],
  [core('nodes'), 'metadata.namespace=a', 'field label not supported: metadata.namespace'],
  [core('pods'), 'spec.constructor=a', 'field label not supported: spec.constructor'],
  [of('batch', 'jobs'), 'status.failed=1', 'field label "status.failed" not supported for Job'],
  [of('events.k8s.io', 'events'), 'source=a', 'field label not supported: source'],
  [
    of('resource.k8s.io', 'resourceslices'),
    'metadata.namespace=a',
    'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: metadata.namespace',
  ],
  // The definition of Applications names no fields.
  [
    { resource: { group: 'argoproj.io', version: 'v1alpha1', resource: 'applications' } },
    'spec.project=a',
    'field label not supported: spec.project',
  ],
]

it.each(refusals)('says what may not be selected by: %j %s', async (what, selector, message) => {
  const { handle } = startServer()
  const request: ApiRequest = { verb: 'list', ...what, query: { fieldSelector: selector }, caller: tester }
  const { status, body } = await handle(request, new AbortController().signal)
  expect({ status, body }).toMatchObject({ status: 400, body: { object: { message } } })
})

it('knows the fields of pods under their old names too', async () => {
  const { client, handle } = startServer()
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] }
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } }
  await client.create(ServiceAccount, account)
  await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' }, spec })
  const count = async (selector: string): Promise<unknown> => {
    const { body } = await handle(
      { verb: 'list', ...core('pods'), query: { fieldSelector: selector }, caller: tester },
      new AbortController().signal,
    )
    return body.type === 'object' ? (body.object as { readonly items?: readonly unknown[] }).items?.length : undefined
  }
  expect(await count('spec.host=node-1')).toBe(1)
  expect(await count('spec.host!=node-1')).toBe(0)
  expect(await count('status.podIPs=')).toBe(1)
})

it('refuses a watch of one object that selects another', async () => {
  const { handle } = startServer()
  const watch = (selector: string) =>
    handle(
      {
        verb: 'watch',
        ...core('configmaps', { namespace: 'default', name: 'a' }),
        query: { fieldSelector: selector },
        caller: tester,
      },
      new AbortController().signal,
    )
  const message = "fieldSelector metadata.name doesn't match requested name"
  for (const selector of ['metadata.name=b', 'metadata.name!=a', 'metadata.namespace=default'])
    expect(await watch(selector)).toMatchObject({ status: 400, body: { object: { message } } })
  expect(await watch('metadata.name=a,metadata.namespace=default')).toMatchObject({ status: 200 })
})
