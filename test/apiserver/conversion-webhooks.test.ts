// Definitions whose versions a webhook converts: what it is asked, what of its answer counts, and what becomes of
// requests while it fails.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WatchEvent } from '#api'
import {
  CustomResourceDefinition,
  EndpointSlice,
  type Kind,
  Pod,
  type ProfileWebhook,
  Service,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#kinds'
import type { AnyObject } from '#objects'
import { customKind, definitionOf, objectOf } from '../support/custom-kinds.ts'
import { made } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'
import { refusal } from './webhook-server.ts'

const V1 = customKind('Peer')
const V2 = { ...V1, version: 'v2' }

const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]))

const specOf = (spec: object) => ({
  openAPIV3Schema: objectOf({ spec: { type: 'object', ...spec } }),
})

/** v1 (which is stored) says `address: host:port`, v2 says `host` and `port`. */
const definition = (versions: readonly string[] = ['v1']) =>
  definitionOf(V1, {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: versions,
        clientConfig: { service: { namespace: 'default', name: 'hook', path: '/convert' } },
      },
    },
    versions: [
      { schema: specOf({ required: ['address'], properties: texts('address') }) },
      {
        schema: specOf({ properties: { ...texts('host', 'port'), ttl: { type: 'integer', default: 9 } } }),
        selectableFields: [{ jsonPath: '.spec.host' }],
      },
    ],
  })

const peer = (name: string, spec: object, kind = V2): AnyObject => ({
  apiVersion: `example.com/${kind.version}`,
  kind: 'Peer',
  metadata: { name, namespace: 'default' },
  spec,
})

interface Review {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly AnyObject[] }
}
type Response = { readonly uid?: string; readonly convertedObjects?: unknown; readonly result?: object }

/** What a sound webhook makes of an object. */
function convert(object: AnyObject, desired: string): AnyObject {
  const spec = object['spec'] as { readonly address?: string; readonly host?: string; readonly port?: string }
  if (desired.endsWith('v1')) return { ...object, apiVersion: desired, spec: { address: `${spec.host}:${spec.port}` } }
  const [host = '', port = ''] = spec.address?.split(':') ?? []
  return { ...object, apiVersion: desired, spec: { host, port } }
}

const sound = ({ request }: Review): Response => ({
  uid: request.uid,
  convertedObjects: request.objects.map((object) => convert(object, request.desiredAPIVersion)),
  result: { status: 'Success' },
})

let server: Server
let answer: (review: Review) => Response
/** Other than that of the review. */
let answerVersion: string | undefined
let asked: Review[]
let profile: ProfileWebhook
let test: TestServer

beforeEach(async () => {
  answer = sound
  answerVersion = undefined
  asked = []
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const review = JSON.parse(text) as Review
      asked.push(review)
      response.setHeader('content-type', 'application/json')
      const apiVersion = answerVersion ?? review.apiVersion
      response.end(JSON.stringify({ apiVersion, kind: 'ConversionReview', response: answer(review) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  profile = { forwardTo: `http://127.0.0.1:${(server.address() as AddressInfo).port}/convert` }
  test = startServer(1, {
    webhookNetwork: { troubleOf: () => undefined, knock: () => ({ result: 'ok' }), serverOf: () => profile },
  })
})

afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

/** The Service of the webhook and the pod behind it. */
async function listens(): Promise<void> {
  const metadata = { name: 'hook', namespace: 'default' }
  const { client } = test
  await client.create(ServiceAccount, made('ServiceAccount', 'v1', { metadata: { ...metadata, name: 'default' } }))
  await client.create(Service, made<Service>('Service', 'v1', { metadata, spec: { ports: [{ port: 443 }] } }))
  await client.create(
    Pod,
    made<Pod>('Pod', 'v1', { metadata, spec: { containers: [{ name: 'app', image: 'hook:1' }] } }),
  )
  await client.create(
    EndpointSlice,
    made<EndpointSlice>('EndpointSlice', 'discovery.k8s.io/v1', {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8443 }],
      endpoints: [{ addresses: ['10.1.0.9'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'hook' } }],
    }),
  )
}

async function serve(versions?: readonly string[]): Promise<void> {
  await test.client.create(CustomResourceDefinition, definition(versions))
  await test.world.settle()
}

const drive = <T>(work: () => Promise<T>): Promise<T> => test.world.drive(work)
const create = (object: AnyObject, kind = V2) => drive(() => test.client.create(kind, object))
const get = (kind: Kind<AnyObject>, name: string) => drive(() => test.client.get(kind, { namespace: 'default', name }))
const list = (kind: Kind<AnyObject>) => drive(() => test.client.list(kind, { namespace: 'default' }))
const stored = (name: string) => test.store.get('peers.example.com', `default/${name}`)?.value

describe('objects that a webhook converts', () => {
  beforeEach(async () => {
    await listens()
    await serve()
  })

  it('are kept in the storage version, and read in each', async () => {
    const made = await create(peer('a', { host: 'a.b', port: '80' }))
    expect(made).toMatchObject({ apiVersion: 'example.com/v2', spec: { host: 'a.b', port: '80', ttl: 9 } })
    expect(stored('a')).toMatchObject({ apiVersion: 'example.com/v1', spec: { address: 'a.b:80' } })
    expect((await get(V1, 'a'))['spec']).toEqual({ address: 'a.b:80' })
    expect((await get(V2, 'a'))['spec']).toEqual({ host: 'a.b', port: '80', ttl: 9 })
    const { apiVersion, request } = asked[0] as Review
    expect(apiVersion).toBe('apiextensions.k8s.io/v1')
    expect(request).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      desiredAPIVersion: 'example.com/v1',
      objects: [{ apiVersion: 'example.com/v2', metadata: { name: 'a' }, spec: { host: 'a.b', port: '80', ttl: 9 } }],
    })
  })

  it('are judged by the schema of the version of the request', async () => {
    const error = await refusal(create(peer('a', { address: 1 }, V1), V1))
    expect(error.message).toContain('spec.address')
    expect(asked).toEqual([])
  })

  it('are not sent where they are in the right version already', async () => {
    await create(peer('a', { address: 'a:1' }, V1), V1)
    await list(V1)
    expect(asked).toEqual([])
  })

  it('are listed, selected and watched in the version that is asked for', async () => {
    await create(peer('a', { address: 'a:1' }, V1), V1)
    await create(peer('b', { address: 'b:2' }, V1), V1)
    expect((await list(V2)).items.map(({ spec }) => (spec as { host: string }).host)).toEqual(['a', 'b'])
    const selected = await drive(() =>
      test.client.list(V2, { namespace: 'default', fieldSelector: 'spec.host=b' } as never),
    )
    expect(selected.items.map(({ metadata }) => metadata.name)).toEqual(['b'])
    const events: WatchEvent[] = []
    const stop = new AbortController()
    await drive(async () => {
      const answered = await test.handle(
        { verb: 'watch', resource: V2, caller: tester, query: { resourceVersion: '0', fieldSelector: 'spec.host!=b' } },
        stop.signal,
      )
      if (answered.body.type !== 'watch') throw new Error('no watch')
      const feed = answered.body.events[Symbol.asyncIterator]()
      events.push(...((await feed.next()).value ?? []))
      await test.client.create(V1, peer('c', { address: 'c:3' }, V1))
      events.push(...((await feed.next()).value ?? []))
      await test.client.patch(
        V1,
        { namespace: 'default', name: 'c' },
        { spec: { address: 'b:3' } },
        { type: 'application/merge-patch+json' },
      )
      events.push(...((await feed.next()).value ?? []))
    })
    stop.abort()
    expect(events.map(({ type, object }) => [type, object['spec']])).toEqual([
      ['ADDED', { host: 'a', port: '1', ttl: 9 }],
      ['ADDED', { host: 'c', port: '3', ttl: 9 }],
      ['DELETED', { host: 'c', port: '3', ttl: 9 }],
    ])
  })

  it('are patched, applied and deleted in each version', async () => {
    await create(peer('a', { address: 'a:1' }, V1), V1)
    const ref = { namespace: 'default', name: 'a' }
    const apply = (host: string, manager: string) =>
      drive(() =>
        test.client.patch(V2, ref, peer('a', { host }), {
          type: 'application/apply-patch+yaml',
          fieldManager: manager,
          force: true,
        } as never),
      )
    await apply('z', 'me')
    expect(stored('a')?.['spec']).toEqual({ address: 'z:1' })
    const patched = await drive(() =>
      test.client.patch(V2, ref, { spec: { port: '5' } }, { type: 'application/merge-patch+json' }),
    )
    expect(patched['spec']).toEqual({ host: 'z', port: '5', ttl: 9 })
    await drive(() => test.client.delete(V2, ref))
    expect(stored('a')).toBeUndefined()
  })

  it('meet policies that know another version', async () => {
    const policy = { metadata: { name: 'no-x' } }
    await test.client.create(
      ValidatingAdmissionPolicy,
      made<ValidatingAdmissionPolicy>('ValidatingAdmissionPolicy', 'admissionregistration.k8s.io/v1', {
        ...policy,
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['example.com'],
                apiVersions: ['v2'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['peers'],
              },
            ],
          },
          validations: [
            { expression: "object.spec.host != 'x'", message: 'not x' },
            { expression: 'oldObject == null || oldObject.spec.host == object.spec.host', message: 'host stays' },
          ],
        },
      }),
    )
    await test.client.create(
      ValidatingAdmissionPolicyBinding,
      made<ValidatingAdmissionPolicyBinding>('ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io/v1', {
        ...policy,
        spec: { policyName: 'no-x', validationActions: ['Deny'] },
      }),
    )
    expect((await refusal(create(peer('a', { address: 'x:1' }, V1), V1))).message).toContain('not x')
    await create(peer('b', { address: 'b:1' }, V1), V1)
    for (const [kind, spec] of [
      [V1, { address: 'c:1' }],
      [V2, { host: 'c' }],
    ] as const) {
      const change = drive(() =>
        test.client.patch(
          kind,
          { namespace: 'default', name: 'b' },
          { spec },
          { type: 'application/merge-patch+json' },
        ),
      )
      expect((await refusal(change)).message).toContain('host stays')
    }
  })

  it('keep their generation and revision while nothing changes but the version of the request', async () => {
    const created = await create(peer('a', { address: 'a:1' }, V1), V1)
    const read = await get(V2, 'a')
    const same = await drive(() => test.client.update(V2, read))
    expect(same.metadata).toEqual(created.metadata)
    const changed = await drive(() => test.client.update(V2, { ...read, spec: { host: 'b', port: '1' } }))
    expect(changed.metadata.generation).toBe(2)
  })
})

describe('an older webhook', () => {
  it('is asked in the first version that both know', async () => {
    await listens()
    await serve(['v7', 'v1beta1', 'v1'])
    // It need not say which question it answers.
    answer = (review) => ({ ...sound(review), uid: 'other' })
    await create(peer('a', { host: 'a', port: '1' }))
    expect(asked[0]?.apiVersion).toBe('apiextensions.k8s.io/v1beta1')
  })
})

describe('an answer that is none', () => {
  const head = 'conversion webhook for example.com/v1, Kind=Peer'
  const changed =
    (change: (object: AnyObject) => object) =>
    (review: Review): Response => ({
      ...sound(review),
      convertedObjects: review.request.objects.map((object) => change(convert(object, 'example.com/v2'))),
    })

  it.each<[string, (review: Review) => Response, string]>([
    ['failure', () => ({ result: { status: 'Failure', message: 'no idea' } }), `expected response.uid=`],
    [
      'failure with its uid',
      ({ request: { uid } }) => ({ uid, result: { status: 'Failure', message: 'no idea' } }),
      `${head} failed: no idea`,
    ],
    [
      'no status',
      ({ request: { uid } }) => ({ uid, result: {} }),
      `${head} failed: response.result.status was '', not 'Success'`,
    ],
    [
      'too few objects',
      ({ request: { uid } }) => ({ uid, result: { status: 'Success' }, convertedObjects: [] }),
      `${head} returned 0 objects, expected 1`,
    ],
    [
      'the wrong version',
      changed((object) => ({ ...object, apiVersion: 'example.com/v1' })),
      `${head} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
    ],
    [
      'another kind',
      changed((object) => ({ ...object, kind: 'Other' })),
      `${head} returned invalid object at index 0: invalid kind (expected Peer, received Other)`,
    ],
    [
      'another name',
      changed((object) => ({ ...object, metadata: { ...object.metadata, name: 'b' } })),
      `${head} returned invalid object: must have the same name: a != b`,
    ],
    [
      'no metadata',
      changed(({ metadata: _metadata, ...object }) => object),
      `${head} returned invalid object: must have the same name: a != `,
    ],
    [
      'labels that are none',
      changed((object) => ({ ...object, metadata: { ...object.metadata, labels: { '?': 'x' } } })),
      `${head} returned invalid metadata: metadata.labels: Invalid value: "?": name part must consist of`,
    ],
  ])('%s', async (_name, given, text) => {
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    answer = given
    const error = await refusal(get(V2, 'a'))
    expect(error).toMatchObject({ code: 500, reason: '' })
    expect(error.message).toContain(text)
  })

  it('in another version than the question', async () => {
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    answerVersion = 'apiextensions.k8s.io/v1beta1'
    expect((await refusal(get(V2, 'a'))).message).toBe(
      `${head} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1beta1, Kind=ConversionReview`,
    )
  })

  it('may change labels and annotations, nothing else of metadata, and leaves no unknown fields', async () => {
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    answer = changed((object) => ({
      ...object,
      spec: { host: 'a', unknown: 1 },
      metadata: { ...object.metadata, labels: { a: 'b' }, resourceVersion: '1', finalizers: ['x/y'] },
    }))
    const read = await get(V2, 'a')
    expect(read.metadata).toEqual({ ...stored('a')?.metadata, labels: { a: 'b' } })
    expect(read['spec']).toEqual({ host: 'a', ttl: 9 })
  })
})

describe('while the webhook cannot be reached', () => {
  it('only what it would have to convert fails', async () => {
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    const down = 'Post "https://hook.default.svc:443/convert?timeout=30s": service "hook" not found'
    for (const work of [
      () => get(V2, 'a'),
      () => list(V2),
      () => drive(() => test.client.delete(V2, { namespace: 'default', name: 'a' })),
    ])
      expect((await refusal(work())).message).toBe(`conversion webhook for example.com/v1, Kind=Peer failed: ${down}`)
    expect((await refusal(create(peer('b', { host: 'b', port: '1' })))).message).toBe(
      `conversion webhook for example.com/v2, Kind=Peer failed: ${down}`,
    )
    expect(stored('b')).toBeUndefined()
    expect((await list(V1)).items).toHaveLength(1)
    expect((await test.client.list(CustomResourceDefinition)).items.length).toBeGreaterThan(0)
    await create(peer('c', { address: 'c:1' }, V1), V1)
  })

  it('a watch that would show it ends with the error, and lists go on once it is back', async () => {
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    const events: WatchEvent[] = []
    await drive(async () => {
      const answered = await test.handle({ verb: 'watch', resource: V2, caller: tester }, new AbortController().signal)
      if (answered.body.type !== 'watch') throw new Error('no watch')
      for await (const batch of answered.body.events) {
        events.push(...batch)
        if (events.length > 1) continue
        answer = ({ request: { uid } }) => ({ uid, result: { status: 'Failure', message: 'broken' } })
        await test.client.create(V1, peer('b', { address: 'b:1' }, V1))
      }
    })
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ERROR'])
    expect(events[1]?.object).toMatchObject({
      code: 500,
      message: 'Internal error occurred: conversion webhook for example.com/v1, Kind=Peer failed: broken',
    })
    answer = sound
    expect((await list(V2)).items).toHaveLength(2)
  })

  it('a definition keeps the objects that it cannot convert, and says so', async () => {
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    // From now on v2 is stored: what is left in v1 has to be converted before it can be deleted.
    const ref = { name: 'peers.example.com' }
    const held = await test.client.get(CustomResourceDefinition, ref)
    const versions = held.spec.versions.map((one) => ({ ...one, storage: one.name === 'v2' }))
    await test.client.update(CustomResourceDefinition, { ...held, spec: { ...held.spec, versions } })
    answer = ({ request: { uid } }) => ({ uid, result: { status: 'Failure', message: 'broken' } })
    await drive(async () => {
      await test.client.delete(CustomResourceDefinition, ref)
      await test.world.clock.sleep(1000)
    })
    const { status } = await test.client.get(CustomResourceDefinition, ref)
    expect(status?.conditions?.find(({ type }) => type === 'Terminating')).toMatchObject({
      status: 'True',
      reason: 'InstanceDeletionFailed',
      message: 'could not list instances: conversion webhook for example.com/v1, Kind=Peer failed: broken',
    })
    answer = sound
    await drive(() => test.world.clock.sleep(60_000))
    expect((await refusal(test.client.get(CustomResourceDefinition, ref))).code).toBe(404)
    expect(stored('a')).toBeUndefined()
  })
})

describe('a webhook in a simulated pod', () => {
  it('passes objects on under the version that is wanted, unless its profile says that it cannot', async () => {
    profile = {}
    await listens()
    await serve()
    await create(peer('a', { address: 'a:1' }, V1), V1)
    expect(await get(V2, 'a')).toMatchObject({ apiVersion: 'example.com/v2', spec: { ttl: 9 } })
    profile = { conversionError: 'not today' }
    expect((await refusal(get(V2, 'a'))).message).toBe(
      'conversion webhook for example.com/v1, Kind=Peer failed: not today',
    )
  })
})
