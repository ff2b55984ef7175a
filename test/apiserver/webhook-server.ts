// A webhook server whose answers the tests choose, behind Services of the cluster: each path is one webhook.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach } from 'vitest'
import { ApiError } from '#api'
import {
  ConfigMap,
  Deployment,
  EndpointSlice,
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  Pod,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '#kinds'
import { made } from './objects.ts'
import { startServer, type TestServer } from './server.ts'

export interface Asked {
  readonly uid: string
  readonly operation: string
  readonly name?: string
  readonly namespace?: string
  readonly subResource?: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly requestKind: { readonly version: string }
  readonly resource: { readonly version: string; readonly resource: string }
  readonly object: Record<string, unknown> | null
  readonly oldObject: Record<string, unknown> | null
  readonly options: Record<string, unknown> | null
  readonly userInfo: object
  readonly dryRun: boolean
}

/** What a path answers: the response of a review, or a whole HTTP answer. */
export type Answer = (asked: Asked) => object | { readonly status: number; readonly text: string }

let server: Server
/** Its address. */
export let at: string
export let answers: Map<string, Answer>
/** What it was asked, in order. */
export let asked: { readonly path: string; readonly request: Asked; readonly apiVersion: string }[]
export let test: TestServer

beforeEach(async () => {
  answers = new Map()
  asked = []
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const review = JSON.parse(text) as { request: Asked; apiVersion: string }
      const path = request.url ?? ''
      asked.push({ path, request: review.request, apiVersion: review.apiVersion })
      const answer = answers.get(path)?.(review.request) ?? { allowed: true }
      if ('text' in answer && 'status' in answer) {
        response.writeHead(answer.status as number, { 'content-type': 'text/plain' })
        response.end(answer.text as string)
        return
      }
      const { apiVersion } = review
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: { uid: review.request.uid, ...answer } }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  test = startServer(1, {
    webhookNetwork: {
      troubleOf: () => undefined,
      knock: () => ({ result: 'ok' }),
      // Each pod stands for the path of its name.
      serverOf: ({ metadata }) => ({ forwardTo: `${at}/${metadata.name}` }),
    },
  })
})

afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

/** A Service `name` with one ready pod of that name. */
async function listens(name: string): Promise<void> {
  const { client } = test
  const metadata = { name, namespace: 'default' }
  await client.create(
    Service,
    made<Service>('Service', 'v1', { metadata, spec: { ports: [{ port: 443, targetPort: 8443 }] } }),
  )
  await client.create(
    Pod,
    made<Pod>('Pod', 'v1', { metadata, spec: { containers: [{ name: 'app', image: 'hook:1' }] } }),
  )
  await client.create(
    EndpointSlice,
    made<EndpointSlice>('EndpointSlice', 'discovery.k8s.io/v1', {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8443 }],
      endpoints: [{ addresses: ['10.1.0.9'], conditions: { ready: true }, targetRef: { kind: 'Pod', name } }],
    }),
  )
}

export const rule = (resource: string, operations: readonly string[] = ['CREATE'], group = '', version = 'v1') => ({
  apiGroups: [group],
  apiVersions: [version],
  operations,
  resources: [resource],
})

export const hook = (name: string, more: object = {}): MutatingWebhook =>
  ({
    name: `${name}.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    rules: [rule('configmaps')],
    clientConfig: { service: { namespace: 'default', name } },
    ...more,
  }) as unknown as MutatingWebhook

export async function mutating(name: string, webhooks: readonly MutatingWebhook[]): Promise<void> {
  await test.client.create(
    MutatingWebhookConfiguration,
    made<MutatingWebhookConfiguration>('MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {
      metadata: { name },
      webhooks,
    }),
  )
}

export async function validating(name: string, webhooks: readonly MutatingWebhook[]): Promise<void> {
  await test.client.create(
    ValidatingWebhookConfiguration,
    made<ValidatingWebhookConfiguration>('ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {
      metadata: { name },
      webhooks,
    }),
  )
}

export const setUp = async (): Promise<void> => {
  await test.client.create(
    ServiceAccount,
    made<ServiceAccount>('ServiceAccount', 'v1', { metadata: { name: 'default', namespace: 'default' } }),
  )
  for (const name of ['one', 'two', 'three']) await listens(name)
}

export const configMap = (name: string, more: object = {}): Promise<ConfigMap> =>
  test.world.drive(() =>
    test.client.create(
      ConfigMap,
      made<ConfigMap>('ConfigMap', 'v1', { metadata: { name, namespace: 'default' }, ...more }),
    ),
  )

export const patching =
  (...operations: readonly object[]): Answer =>
  () => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  })

export const adds = (path: string, value: unknown): Answer => patching({ op: 'add', path, value })
export const paths = (): readonly string[] => asked.map(({ path }) => path.slice(1))

export async function refusal(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** A Deployment `d` of one pod. */
export const deployment = (): Promise<Deployment> =>
  test.client.create(
    Deployment,
    made<Deployment>('Deployment', 'apps/v1', {
      metadata: { name: 'd', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    }),
  )
