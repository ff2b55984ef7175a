// Webhooks that are served by pods of the simulated cluster: what their profiles say, and Faults that keep them away.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  Fault,
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  Namespace,
  Pod,
  type ProfileProbeSegment,
  type ProfileWebhook,
  type RuleWithOperations,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
  WorkloadProfile,
} from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

afterEach(() => test.stop())

const rule: RuleWithOperations = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['configmaps', 'pods'],
}
const hook: MutatingWebhook = {
  name: 'hook.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  timeoutSeconds: 5,
  namespaceSelector: { matchLabels: { hooked: 'yes' } },
  rules: [rule],
  clientConfig: { service: { namespace: 'hooks', name: 'hook' } },
}

async function cluster(webhook: ProfileWebhook | undefined): Promise<void> {
  test = startMachine({ nodes: 1 })
  const { client } = test
  for (const name of [namespace, 'hooks'])
    await client.create(Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, ...(name === namespace ? { labels: { hooked: 'yes' } } : {}) },
      spec: {},
    })
  for (const space of [namespace, 'hooks'])
    await test.until(async () => (await test.find(ServiceAccount, { namespace: space, name: 'default' })) !== undefined)
  if (webhook !== undefined)
    await client.create(WorkloadProfile, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'WorkloadProfile',
      metadata: { name: 'hook' },
      spec: { match: { namespaces: ['hooks'], podSelector: { matchLabels: { app: 'hook' } } }, webhook },
    })
  await client.create(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'hook', namespace: 'hooks' },
    spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 8443 }] },
  })
  await client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'hook', namespace: 'hooks' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'hook' } },
      template: {
        metadata: { labels: { app: 'hook' } },
        spec: { containers: [{ name: 'app', image: 'example.com/hook:1' }] },
      },
    },
  })
  await test.until(
    async () => (await client.get(Deployment, { namespace: 'hooks', name: 'hook' })).status?.readyReplicas === 2,
  )
  await test.world.advance(5000)
}

const mutating = () =>
  test.client.create(MutatingWebhookConfiguration, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [hook],
  })

const validating = () =>
  test.client.create(ValidatingWebhookConfiguration, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hook' },
    webhooks: [
      { ...hook, rules: [{ ...rule, operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] },
    ],
  })

const configMap = (name: string): Promise<ConfigMap> =>
  test.world.drive(() =>
    test.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }),
  )

describe('webhooks served by pods', () => {
  it('change what is created', async () => {
    await cluster({
      mutate: {
        labels: { team: 'blue' },
        env: [{ name: 'A', value: '1' }],
        sidecar: { name: 'proxy', image: 'envoy' },
      },
    })
    await mutating()
    expect((await configMap('a')).metadata.labels).toEqual({ team: 'blue' })
    const pod = await test.world.drive(() =>
      test.client.create(Pod, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace },
        spec: { containers: [{ name: 'app', image: 'nginx' }] },
      }),
    )
    expect(pod.spec.containers.map(({ name, env }) => [name, env?.map((one) => one.name)])).toEqual([
      ['app', ['A']],
      ['proxy', undefined],
    ])
    // A profile that changes is followed at once.
    await test.client.patch(
      WorkloadProfile,
      { name: 'hook' },
      { spec: { webhook: { mutate: null } } },
      {
        type: 'application/merge-patch+json',
      },
    )
    await test.world.advance(1000)
    expect((await configMap('b')).metadata.labels).toBeUndefined()
  })

  it.each<[string, ProfileWebhook | undefined, string]>([
    ['deny', { deny: { message: 'not today' } }, 'admission webhook "hook.example.com" denied the request: not today'],
    [
      'crash',
      { crash: true },
      'failed calling webhook "hook.example.com": failed to call webhook: Post "https://hook.hooks.svc:443/?timeout=5s": EOF',
    ],
    ['are too slow', { delaySeconds: 60 }, 'context deadline exceeded'],
  ])('%s', async (_name, webhook, text) => {
    await cluster(webhook)
    await mutating()
    const from = test.world.clock.now()
    await expect(configMap('a')).rejects.toThrow(text)
    expect(test.world.clock.now() - from).toBe(webhook?.delaySeconds === undefined ? 0 : 5000)
  })

  it('allow everything where nothing is said of them', async () => {
    await cluster(undefined)
    await mutating()
    await configMap('a')
  })

  it.each<[string, ProfileProbeSegment, string]>([
    [
      'do not listen',
      { result: 'failure', cause: { kind: 'connection-refused' } },
      ':8443: connect: connection refused',
    ],
    ['do not answer', { result: 'timeout', cause: { kind: 'http-no-answer' } }, 'context deadline exceeded'],
  ])('%s', async (_name, segment, text) => {
    await cluster(undefined)
    await test.client.create(WorkloadProfile, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'WorkloadProfile',
      metadata: { name: 'net' },
      spec: { match: { namespaces: ['hooks'] }, container: { requests: [segment] } },
    })
    await test.world.advance(1000)
    await mutating()
    await expect(configMap('a')).rejects.toThrow(text)
  })

  it('are real servers on this machine', async () => {
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { request: asked } = JSON.parse(text) as {
          request: { uid: string; object: { metadata: { name: string } } }
        }
        const allowed = asked.object.metadata.name === 'good'
        const status = { message: 'no' }
        response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid: asked.uid, allowed, status },
          }),
        )
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      await cluster({ forwardTo: `http://127.0.0.1:${port}/admit` })
      await mutating()
      await configMap('good')
      await expect(configMap('bad')).rejects.toThrow('denied the request: no')
    } finally {
      server.close()
    }
  })

  it('are slow, but fast enough', async () => {
    await cluster({ delaySeconds: 2, warnings: ['slow'] })
    await mutating()
    await configMap('a')
  })

  it('are away once their pods are', async () => {
    await cluster({})
    await mutating()
    await configMap('a')
    await test.client.patch(
      Deployment,
      { namespace: 'hooks', name: 'hook' },
      { spec: { replicas: 0 } },
      {
        type: 'application/merge-patch+json',
      },
    )
    await test.world.advance(60_000)
    await expect(configMap('b')).rejects.toThrow('no endpoints available for service "hook"')
  })
})

describe('webhookFailing', () => {
  it.each<[NonNullable<Fault['spec']['webhookFailing']>, string]>([
    [{}, 'connect: connection refused'],
    [{ webhooks: ['hook.*'], error: 'timeout' }, 'context deadline exceeded'],
    [{ error: 'internalError' }, 'an error on the server ("Internal Server Error") has prevented the request'],
    [{ message: 'tls: expired certificate' }, 'tls: expired certificate'],
  ])('%j', async (webhookFailing, text) => {
    await cluster({})
    await validating()
    await test.client.create(Fault, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'Fault',
      metadata: { name: 'trouble' },
      spec: { webhookFailing },
    })
    await test.world.advance(100)
    await expect(configMap('a')).rejects.toThrow(text)
    // Webhooks that want everything have no say in this.
    await test.client.delete(Fault, { name: 'trouble' })
    await test.world.advance(100)
    await configMap('a')
  })

  it('leaves other webhooks alone', async () => {
    await cluster({})
    await validating()
    await test.client.create(Fault, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'Fault',
      metadata: { name: 'trouble' },
      spec: { webhookFailing: { webhooks: ['other.*'] } },
    })
    await test.world.advance(100)
    await configMap('a')
  })
})
