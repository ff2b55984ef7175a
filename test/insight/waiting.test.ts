// "Which loop is stuck, and what gap does it see?", asked of a whole cluster: what waits is named with its loop, and what
// was put right is named no more.

import { afterEach, describe, expect, it } from 'vitest'
import { type ExplainedWaiting, explainWaiting, loopTroubles, type WaitingObject, waitingKinds } from '#insight'
import {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  Service,
  ServiceAccount,
  StatefulSet,
  ValidatingWebhookConfiguration,
} from '#kinds'
import type { KubeObject } from '#objects'
import { startMachine, type TestMachine } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

afterEach(() => test.stop())

async function cluster(): Promise<void> {
  test = startMachine({ nodes: { count: 2, allocatable: { cpu: '2', memory: '8Gi', pods: '20' } }, instant: true })
  await test.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  await test.until(async () => (await waiting()).length === 0)
}

const waiting = async (inNamespace?: string): Promise<readonly WaitingObject[]> => (await explained(inNamespace)).items

async function explained(inNamespace?: string): Promise<ExplainedWaiting> {
  const { client, machine, world } = test
  const cache = machine.runtime.cacheFor('test', waitingKinds)
  return explainWaiting({
    client,
    cache,
    now: world.clock.now(),
    ...(inNamespace === undefined ? {} : { namespace: inNamespace }),
  })
}

/** `Kind name: state, loop of the last finding`. */
const told = (items: readonly WaitingObject[]): readonly string[] =>
  items.map(({ kind, name, findings }) => `${kind} ${name}: ${findings[0]?.state}, ${findings.at(-1)?.loop}`)

const template = (cpu: string, image = 'nginx') => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image, resources: { requests: { cpu } } }] },
})
const selector = { matchLabels: { app: 'web' } }
const meta = (name: string): KubeObject['metadata'] => ({ name, namespace })

const deployment = (name: string, cpu: string): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta(name),
  spec: { replicas: 2, selector, template: template(cpu) },
})

describe('what the cluster waits for', () => {
  it('names each object with the loop that has the next step, and not what its owner speaks for', async () => {
    await cluster()
    const { client } = test
    await client.create(Deployment, deployment('fits', '10m'))
    await client.create(Deployment, deployment('huge', '100'))
    await client.create(Deployment, deployment('huge-too', '100'))
    await client.create(StatefulSet, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: meta('db'),
      spec: { serviceName: 'db', selector, template: template('10m', 'registry.invalid/db:missing') },
    })
    await client.create(DaemonSet, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: meta('agent'),
      spec: { selector, template: template('10m', 'registry.invalid/agent:missing') },
    })
    await client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: meta('data'),
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
    })
    await client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: meta('alone'),
      spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'nginx' }] },
    })
    await test.world.advance(120_000)
    const items = await waiting()
    expect(told(items).map((line) => line.replace(/node-\d+$/, 'its node'))).toEqual([
      'PersistentVolumeClaim data: stuck, persistentvolume controller',
      'Deployment huge: stuck, scheduler',
      'StatefulSet db: stuck, kubelet on its node',
      'DaemonSet agent: stuck, kubelet on its node',
      'Pod alone: stuck, scheduler nobody',
    ])
    expect(items.find(({ name }) => name === 'huge')?.alike).toEqual(['Deployment demo/huge-too'])
    expect(await waiting('kube-system')).toEqual([])
  })

  it('tells no loop on its own that fails on what is folded into another object', async () => {
    await cluster()
    const { client, machine } = test
    await client.create(ValidatingWebhookConfiguration, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'guard' },
      webhooks: [
        {
          name: 'pods.guard.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { namespace, name: 'guard' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        },
      ],
    })
    await client.create(Deployment, deployment('web', '10m'))
    await client.create(Deployment, deployment('api', '10m'))
    await test.world.advance(60_000)
    const { items, said } = await explained()
    const figures = machine.runtime.figures()
    expect(items.map(({ findings: [head] }) => head?.object)).toHaveLength(1)
    expect(figures.loops.find(({ name }) => name === 'replicaset')?.backoff).toHaveLength(2)
    expect(loopTroubles(figures, said)).toEqual([])
    expect(loopTroubles(figures, []).map(({ loop, keys }) => [loop, keys])).toEqual([['replicaset', 2]])
  })

  it('names a namespace that does not go, and nothing once it may', async () => {
    await cluster()
    const { client } = test
    await client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...meta('held'), finalizers: ['example.com/mine'] },
    })
    await client.delete(Namespace, { name: namespace })
    await test.world.advance(30_000)
    const [held] = await waiting()
    expect(told(await waiting())).toEqual(['ConfigMap held: stuck, the owners of its finalizers: example.com/mine'])
    expect(held?.holdsUp).toEqual(['Namespace demo'])
    const merge = { type: 'application/merge-patch+json' } as const
    await client.patch(ConfigMap, { namespace, name: 'held' }, { metadata: { finalizers: null } }, merge)
    await test.until(async () => (await waiting()).length === 0)
  })

  it('names the node that fell silent, and the pod that cannot end on it', async () => {
    await cluster()
    const { client, machine } = test
    await client.create(Deployment, deployment('fits', '1500m'))
    await test.until(async () =>
      (await client.list(Pod, { namespace })).items.every(({ status }) => status?.phase === 'Running'),
    )
    const [silent] = (await client.list(Node)).items
    machine.residents.kubelet?.stopNode(silent?.metadata.name ?? '')
    await test.world.advance(10 * 60_000)
    const items = await waiting()
    expect(told(items)[0]).toBe(`Node ${silent?.metadata.name}: stuck, kubelet on ${silent?.metadata.name}`)
    const [, fits] = items
    expect(fits?.findings.map(({ loop }) => loop)).toContain('scheduler')
    // The node is the trouble: what waits for it is named there, and not once more by itself.
    expect(items.filter(({ kind }) => kind === 'Pod')).toEqual([])
    expect(items[0]?.holdsUp).toEqual([expect.stringMatching(/^Pod demo\/fits-/)])
    machine.residents.kubelet?.startNode(silent?.metadata.name ?? '')
    await test.until(async () => (await waiting()).length === 0)
  })

  it('follows a cause through pod, Deployment and Service, and leaves out what is at work or on purpose', async () => {
    await cluster()
    const { client } = test
    await client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: meta('data'),
      spec: { storageClassName: 'nope', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    const web = deployment('web', '10m')
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
    const spec = { ...web.spec.template.spec, containers: web.spec.template.spec?.containers ?? [], volumes }
    await client.create(Deployment, { ...web, spec: { ...web.spec, template: { ...web.spec.template, spec } } })
    await client.create(Service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta('web'),
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    })
    const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 100000'] }]
    const job = { template: { spec: { restartPolicy: 'Never' as const, containers } } }
    await client.create(Job, { apiVersion: 'batch/v1', kind: 'Job', metadata: meta('long'), spec: job })
    await client.create(CronJob, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: meta('off'),
      spec: { suspend: true, schedule: '* * * * *', jobTemplate: { spec: job } },
    })
    await test.world.advance(60_000)
    const items = await waiting()
    expect(told(items)).toEqual(['PersistentVolumeClaim data: stuck, persistentvolume controller'])
    expect(items[0]?.holdsUp).toEqual(['Deployment demo/web', 'Service demo/web'])
    expect(items[0]?.findings[0]?.since).toBeDefined()
  })
})
