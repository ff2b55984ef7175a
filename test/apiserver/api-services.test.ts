// APIServices: one for each group and version, of the server's own, of definitions, and of servers behind Services.

import { describe, expect, it } from 'vitest'
import type { ApiResponse } from '#api'
import { APIService, CustomResourceDefinition, EndpointSlice, Pod, Service } from '#kinds'
import type { KubeObject } from '#objects'
import { customKind, definitionOf, Widget } from '../support/custom-kinds.ts'
import { made } from './objects.ts'
import { serve, startServer, type TestServer, tester } from './server.ts'

const merge = { type: 'application/merge-patch+json' } as const

const ask = ({ world, handle }: TestServer, path: string): Promise<ApiResponse> =>
  world.drive(() => handle({ verb: 'get', path, caller: tester }, new AbortController().signal))

async function groupsOf(server: TestServer): Promise<readonly string[]> {
  const { body } = await ask(server, '/apis')
  const list = (body as unknown as { readonly object: { readonly groups: readonly { readonly name: string }[] } })
    .object
  return list.groups.map(({ name }) => name)
}

const definition = (versions: readonly string[], kind = Widget): CustomResourceDefinition =>
  definitionOf(kind, { versions: versions.map((name) => ({ name })) })
const ref = (name: string) => ({ name })

describe('of the server itself', () => {
  it('are there from the start, are always available, and come back when it starts anew', async () => {
    const server = startServer()
    const { client, world, store } = server
    const apps = await client.get(APIService, ref('v1.apps'))
    expect(apps).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 },
      status: {
        conditions: [
          { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
        ],
      },
    })
    expect((await client.get(APIService, ref('v1.'))).spec).toEqual({
      version: 'v1',
      groupPriorityMinimum: 18000,
      versionPriority: 1,
    })
    await expect(client.get(APIService, ref('v1.apiregistration.k8s.io'))).rejects.toThrow('not found')
    await client.delete(APIService, ref('v1.apps'))
    await world.advance(1000)
    await expect(client.get(APIService, ref('v1.apps'))).rejects.toThrow('not found')
    expect((await serve(world, store).client.get(APIService, ref('v1.apps'))).metadata.uid).not.toBe(apps.metadata.uid)
  })

  it('say in which order groups are discovered', async () => {
    const server = startServer()
    expect((await groupsOf(server)).slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io'])
    await server.client.patch(APIService, ref('v1.apps'), { spec: { groupPriorityMinimum: 1 } }, merge)
    expect((await groupsOf(server)).at(-1)).toBe('apps')
  })
})

describe('of definitions', () => {
  it('come and go with them', async () => {
    const server = startServer(1, { installDefinitions: false })
    const { client, world } = server
    const name = ref('v1.example.com')
    await client.create(CustomResourceDefinition, definition(['v1', 'v1beta1']))
    await client.create(CustomResourceDefinition, definition(['v1'], customKind('Gadget')))
    expect(await client.get(APIService, name)).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    })
    await world.advance(1000)
    expect((await groupsOf(server)).at(-1)).toBe('example.com')
    await client.delete(CustomResourceDefinition, ref('widgets.example.com'))
    await world.advance(1000)
    await expect(client.get(APIService, ref('v1beta1.example.com'))).rejects.toThrow('not found')
    await client.get(APIService, name)
    await client.delete(CustomResourceDefinition, ref('gadgets.example.com'))
    await world.advance(1000)
    await expect(client.get(APIService, name)).rejects.toThrow('not found')
  })

  it('are put right when somebody deletes or changes them, while or before the server runs', async () => {
    const { client, world, store } = startServer()
    const name = ref('v1.example.com')
    await client.create(CustomResourceDefinition, definition(['v1']))
    await client.delete(APIService, name)
    await world.advance(1000)
    await client.patch(APIService, name, { spec: { versionPriority: 7 } }, merge)
    await world.advance(1000)
    expect((await client.get(APIService, name)).spec?.versionPriority).toBe(100)
    // As a server finds it that was killed between two writes.
    const entry = store.get('apiservices.apiregistration.k8s.io', 'v1.example.com')
    store.delete(
      'apiservices.apiregistration.k8s.io',
      'v1.example.com',
      entry?.revision ?? 0,
      (revision) =>
        ({
          ...(entry?.value as never as KubeObject),
          metadata: { ...entry?.value.metadata, resourceVersion: String(revision) },
        }) as never,
    )
    await serve(world, store).client.get(APIService, name)
  })
})

describe('of servers behind Services', () => {
  const group = 'external.example.com'
  const service = made<APIService>('APIService', 'apiregistration.k8s.io/v1', {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'backend' },
    },
  })
  const here = { namespace: 'default' }

  async function start(answer: (url: string) => number) {
    const asked: string[] = []
    const server = startServer(1, {
      admission: { disable: ['ServiceAccount'] },
      nodeGateway: {
        async *logs() {},
        async request(_pod, { url, method }) {
          asked.push(`${method} ${url}`)
          return { status: answer(url), contentType: 'application/json', text: '{"kind":"Answer"}' }
        },
      },
    })
    const { client, world } = server
    await client.create(APIService, service)
    const available = async () => {
      await world.advance(1000)
      const { status } = await client.get(APIService, ref(`v1.${group}`))
      return status?.conditions?.map(({ status: is, reason, message }) => ({ is, reason, message }))[0]
    }
    return { ...server, asked, available }
  }

  const backend = (port: number): Service =>
    made('Service', 'v1', {
      metadata: { name: 'backend', ...here },
      spec: { ports: [{ port, targetPort: 8443 }], clusterIP: '10.96.0.99' },
    })
  const slice = (ready: boolean): EndpointSlice =>
    made('EndpointSlice', 'discovery.k8s.io/v1', {
      metadata: { name: 'backend-1', ...here, labels: { 'kubernetes.io/service-name': 'backend' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready }, targetRef: { kind: 'Pod', name: 'p', ...here } }],
      ports: [{ name: '', port: 8443 }],
    })

  it('say step by step what is missing, and lead requests there once nothing is', async () => {
    const server = await start((url) => (url === `/apis/${group}/v1/broken` ? 500 : 200))
    const { client, available, asked } = server
    const things = `/apis/${group}/v1/things`
    expect(await available()).toEqual({
      is: 'False',
      reason: 'ServiceNotFound',
      message: 'service/backend in "default" is not present',
    })
    const refused = await ask(server, things)
    expect(refused).toMatchObject({ status: 503, body: { text: 'service unavailable\n' } })
    await client.create(Service, backend(80))
    expect(await available()).toMatchObject({
      reason: 'ServicePortError',
      message: 'service/backend in "default" is not listening on port 443',
    })
    await client.delete(Service, { name: 'backend', ...here })
    await client.create(Service, backend(443))
    expect(await available()).toMatchObject({ reason: 'EndpointsNotFound' })
    await client.create(EndpointSlice, slice(false))
    expect(await available()).toMatchObject({
      reason: 'MissingEndpoints',
      message: 'endpointslices for service/backend in "default" have no addresses with port name ""',
    })
    await client.create(
      Pod,
      made<Pod>('Pod', 'v1', {
        metadata: { name: 'p', ...here },
        spec: { nodeName: 'n', containers: [{ name: 'a', image: 'a' }] },
      }),
    )
    await client.patch(EndpointSlice, { name: 'backend-1', ...here }, { endpoints: slice(true).endpoints }, merge)
    expect(await available()).toEqual({ is: 'True', reason: 'Passed', message: 'all checks passed' })
    expect(asked).toEqual([`GET /apis/${group}/v1`])
    const resource = { group, version: 'v1', resource: 'things' }
    const answered = await server.handle(
      { verb: 'get', resource, namespace: 'default', name: 'a', caller: tester },
      new AbortController().signal,
    )
    expect(answered).toMatchObject({ status: 200, body: { text: '{"kind":"Answer"}' } })
    expect(asked.at(-1)).toBe(`GET /apis/${group}/v1/namespaces/default/things/a`)
    expect(await ask(server, `/apis/${group}/v1/broken`)).toMatchObject({ status: 500 })
  })

  it('are asked again while nobody answers as he should', async () => {
    let status = 404
    const { client, available, world } = await start(() => status)
    await client.create(Service, backend(443))
    await client.create(EndpointSlice, slice(true))
    const pod = { metadata: { name: 'p', ...here }, spec: { nodeName: 'n', containers: [{ name: 'a', image: 'a' }] } }
    await client.create(Pod, made<Pod>('Pod', 'v1', pod))
    const url = `https://10.96.0.99:443/apis/${group}/v1`
    await world.advance(31_000)
    expect(await available()).toEqual({
      is: 'False',
      reason: 'FailedDiscoveryCheck',
      message: `failing or missing response from ${url}: bad status from ${url}: 404`,
    })
    status = 200
    await world.advance(31_000)
    expect(await available()).toMatchObject({ reason: 'Passed' })
  })

  it('are discovered as groups of which nothing is known', async () => {
    const server = await start(() => 200)
    expect(await groupsOf(server)).toContain(group)
    expect(await ask(server, `/apis/${group}`)).toMatchObject({ status: 200 })
    const accept = { as: 'object', managedFields: false, aggregatedDiscovery: 'v2' } as const
    const { body } = await server.handle(
      { verb: 'get', path: '/apis', accept, caller: tester },
      new AbortController().signal,
    )
    expect(JSON.stringify(body)).toContain(
      `{"metadata":{"name":"${group}"},"versions":[{"version":"v1","freshness":"Stale"}]}`,
    )
  })
})
