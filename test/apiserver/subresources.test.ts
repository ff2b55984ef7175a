// Subresources, reviews and how answers look.

import { describe, expect, it } from 'vitest'
import { type ApiError, isConflict } from '#api'
import { createApiServer } from '#apiserver'
import { createClient } from '#client'
import { Deployment, Namespace, Pod, SelfSubjectAccessReview, ServiceAccount } from '#kinds'
import type { AnyObject } from '#objects'
import { createMemoryStore } from '#store'
import { simulatedWorld } from '#world'
import { object, ref } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'x' }] } }
const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }

async function serverWithPod(labels: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const server = startServer()
  await server.client.create(ServiceAccount, object(ServiceAccount, 'default'))
  const pod = object(Pod, 'a', { spec: template.spec })
  await server.client.create(Pod, { ...pod, metadata: { ...pod.metadata, labels } })
  return server
}

describe('the finalizers of a namespace', () => {
  it.each([
    ['kubernetes', undefined],
    ['example.com/mine', undefined],
    ['mine', 'name is neither a standard finalizer name nor is it fully qualified'],
    ['a b/c', 'prefix part a lowercase RFC 1123 subdomain'],
  ])('may be %s', async (finalizer, expected) => {
    const { client, world } = startServer()
    await world.settle()
    const namespace = await client.get(Namespace, { name: 'default' })
    const change = client.update(
      Namespace,
      { ...namespace, spec: { finalizers: [finalizer] } },
      { subresource: 'finalize' },
    )
    if (expected === undefined) expect((await change).spec?.finalizers).toEqual([finalizer])
    else await expect(change).rejects.toThrow(`spec.finalizers[0]: Invalid value: "${finalizer}": ${expected}`)
  })
})

describe('connections into containers', () => {
  it.each(['exec', 'attach'])('%s says that there is nothing to connect to', async (subresource) => {
    const { client } = await serverWithPod()
    const query = { command: 'echo\0a b', stdout: 'true' }
    const connect = () => client.request({ verb: 'create', resource: Pod, ...ref, subresource, query })
    const dry = { ...query, dryRun: 'All' }
    const inDryRun = client.request({ verb: 'create', resource: Pod, ...ref, subresource, query: dry })
    await expect(inDryRun).rejects.toThrow('dryRun is not supported')
    await expect(connect()).rejects.toThrow('pod a does not have a host assigned')
    await client.createSubresource(Pod, ref, 'binding', binding)
    const { body } = await connect()
    if (body.type !== 'session') throw new Error('no session')
    const streams = { stdin: (async function* () {})(), write: async () => {} }
    const { signal } = new AbortController()
    expect(await body.session.run(streams, signal)).toMatchObject({
      status: 'Failure',
      reason: 'InternalError',
      message: expect.stringContaining('node "n" is simulated, and so are its containers'),
    })
  })

  it('portforward says that there is nothing to connect to', async () => {
    const { client } = await serverWithPod()
    const connect = () => client.request({ verb: 'create', resource: Pod, ...ref, subresource: 'portforward' })
    await expect(connect()).rejects.toThrow('pod a does not have a host assigned')
    await client.createSubresource(Pod, ref, 'binding', binding)
    const { body } = await connect()
    if (body.type !== 'ports') throw new Error('no ports')
    const connection = { input: (async function* () {})(), write: async () => {} }
    const carried = body.ports.connect(80, connection, new AbortController().signal)
    await expect(carried).rejects.toThrow('node "n" is simulated, and so are its containers')
  })

  it('wants a container of the pod', async () => {
    const { client } = await serverWithPod()
    const query = { command: 'echo', container: 'other' }
    await expect(client.request({ verb: 'get', resource: Pod, ...ref, subresource: 'exec', query })).rejects.toThrow(
      'container other is not valid for pod a',
    )
  })
})

describe('scale', () => {
  it('shows and changes replicas', async () => {
    const { client } = startServer()
    const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template }
    await client.create(Deployment, object(Deployment, 'a', { spec }))
    const { body } = await client.request({ verb: 'get', resource: Deployment, ...ref, subresource: 'scale' })
    expect(body).toMatchObject({ object: { kind: 'Scale', spec: { replicas: 2 }, status: { selector: 'app=a' } } })
    await client.patch(
      Deployment,
      ref,
      { spec: { replicas: 5 } },
      { type: 'application/merge-patch+json', subresource: 'scale' },
    )
    expect(await client.get(Deployment, ref)).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } })
    const negative = { spec: { replicas: -1 } }
    await expect(
      client.patch(Deployment, ref, negative, { type: 'application/merge-patch+json', subresource: 'scale' }),
    ).rejects.toThrow(
      'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
  })

  it('has a table of its own', async () => {
    const { client } = startServer()
    const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template }
    await client.create(Deployment, object(Deployment, 'a', { spec }))
    const table = async (as: 'table' | 'partial') => {
      const request = { verb: 'get', resource: Deployment, ...ref, subresource: 'scale' } as const
      const { body } = await client.request({ ...request, accept: { as, managedFields: false } })
      return body.type === 'object' ? body.object : {}
    }
    expect(await table('table')).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }, { name: 'Desired' }, { name: 'Available' }, { name: 'Age' }],
      rows: [{ cells: ['a', 2, 0, '0s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
    })
    expect(await table('partial')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } })
  })
})

describe('binding', () => {
  it('puts a pod on a node, once', async () => {
    const { client } = await serverWithPod()
    await client.createSubresource(Pod, ref, 'binding', binding)
    const bound = await client.get(Pod, ref)
    expect(bound.spec?.nodeName).toBe('n')
    expect(bound.status?.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
    await expect(client.createSubresource(Pod, ref, 'binding', binding)).rejects.toSatisfy(isConflict)
  })
})

describe('log', () => {
  it('comes from the node, of the container that is meant', async () => {
    const world = simulatedWorld(1)
    const asked: string[] = []
    const nodeGateway = {
      async *logs(pod: AnyObject, options: { readonly container: string }) {
        asked.push(`${pod.metadata.name}/${options.container}`)
        yield 'one\n'
        yield 'two\n'
      },
    }
    const { handle } = createApiServer({ world, store: createMemoryStore(), nodeGateway })
    const client = createClient(handle, tester)
    await client.create(ServiceAccount, object(ServiceAccount, 'default'))
    await client.create(Pod, object(Pod, 'a', { spec: template.spec }))
    const read = (query: Record<string, string>) =>
      client.request({ verb: 'get', resource: Pod, ...ref, subresource: 'log', query })
    await expect(read({})).rejects.toThrow('pod a does not have a host assigned')
    await client.createSubresource(Pod, ref, 'binding', binding)
    const { body } = await read({})
    let text = ''
    if (body.type === 'bytes') for await (const chunk of body.chunks) text += String(chunk)
    expect([text, asked]).toEqual(['one\ntwo\n', ['a/c']])
    await expect(read({ container: 'other' })).rejects.toThrow('container other is not valid for pod a')
    const faults = (query: Record<string, string>) =>
      read(query).catch(({ details }: ApiError) => details?.causes?.map(({ field, message }) => `${field} ${message}`))
    expect(await faults({ sinceSeconds: '0', sinceTime: '2025-01-01T00:00:00Z', stream: 'Stdout' })).toEqual([
      '[] Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
      'stream Forbidden: may not be specified',
    ])
    expect(await faults({ sinceSeconds: '0', limitBytes: '0' })).toEqual([
      'limitBytes Invalid value: 0: must be greater than 0',
      'sinceSeconds Invalid value: 0: must be greater than 0',
    ])
  })
})

describe('reviews', () => {
  it('say what the authoriser says', async () => {
    const world = simulatedWorld(1)
    const decide = ({ verb }: { readonly verb: string }) =>
      verb === 'get' ? { allowed: true, reason: '' } : { allowed: false, reason: 'only reading is allowed' }
    const { handle } = createApiServer({ world, store: createMemoryStore(), decide })
    const client = createClient(handle, tester)
    const ask = async (verb: string) =>
      (
        await client.create(SelfSubjectAccessReview, {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          metadata: {},
          spec: { resourceAttributes: { verb, resource: 'pods', namespace: 'default' } },
        })
      ).status
    expect(await ask('get')).toEqual({ allowed: true })
    expect(await ask('delete')).toEqual({ allowed: false, reason: 'only reading is allowed' })
  })
})
