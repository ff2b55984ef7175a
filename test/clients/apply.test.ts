// Server-side apply by @kubernetes/client-node: typed and untyped, conflicts between managers, and giving fields up.
import {
  ApiException,
  AppsV1Api,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
  type V1Deployment,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientServer, openServer } from './server.ts'

let server: ClientServer
let objects: KubernetesObjectApi
let apps: AppsV1Api
beforeAll(async () => {
  server = await openServer()
  objects = KubernetesObjectApi.makeApiClient(server.config)
  apps = server.config.makeApiClient(AppsV1Api)
})
afterAll(() => server.close())

const deployment = (name: string, spec: Partial<NonNullable<V1Deployment['spec']>>): V1Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    ...spec,
  },
})

const apply = (object: V1Deployment, manager: string, force = false): Promise<V1Deployment> =>
  objects.patch(object, undefined, undefined, manager, force, PatchStrategy.ServerSideApply)

const refusal = (promise: Promise<unknown>): Promise<{ readonly code: number; readonly message: string }> =>
  promise.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: unknown) => {
      if (!(error instanceof ApiException)) throw error
      const body = typeof error.body === 'string' ? JSON.parse(error.body) : error.body
      return { code: error.code, message: (body as { message: string }).message }
    },
  )

describe('server-side apply by client-node', () => {
  it('creates, changes, and leaves alone what it did not say', async () => {
    const made = await apply(deployment('web', { replicas: 2 }), 'tests')
    expect([made.spec?.replicas, made.spec?.strategy?.type]).toEqual([2, 'RollingUpdate'])
    const again = await apply(deployment('web', { replicas: 2 }), 'tests')
    expect(again.metadata?.resourceVersion).toBe(made.metadata?.resourceVersion)
    const changed = await apply(deployment('web', { replicas: 3 }), 'tests')
    expect([changed.spec?.replicas, changed.metadata?.generation]).toEqual([3, 2])
    expect(changed.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['tests', 'Apply'],
    ])
  })

  it('tells of conflicts with other managers, and takes fields over by force', async () => {
    await apply(deployment('shared', { replicas: 1 }), 'one')
    expect(await refusal(apply(deployment('shared', { replicas: 5 }), 'two'))).toEqual({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    })
    expect((await apply(deployment('shared', { replicas: 5 }), 'two', true)).spec?.replicas).toBe(5)
    // The first manager no longer has it, so that it can say nothing of it without losing it.
    expect((await apply(deployment('shared', {}), 'one')).spec?.replicas).toBe(5)
  })

  it('works through the typed interface too, and removes what is no longer said', async () => {
    const withLabel: V1Deployment = deployment('typed', { replicas: 1 })
    const options = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply)
    const request = { name: 'typed', namespace: 'default', fieldManager: 'typed' }
    const labels = { team: 'a' }
    const body = { ...withLabel, metadata: { ...withLabel.metadata, labels } }
    const made = await apps.patchNamespacedDeployment({ ...request, body }, options)
    expect(made.metadata?.labels).toEqual(labels)
    const less = await apps.patchNamespacedDeployment({ ...request, body: withLabel }, options)
    expect(less.metadata?.labels).toBeUndefined()
  })
})
