// The kubelets of a cluster: how little they write, what survives a restart, nodes that stop, logs.

import { afterEach, describe, expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import { CoreV1Event, Lease, Namespace, Node, Pod, type PodSpec, ServiceAccount } from '#kinds'
import { parseTime } from '#objects'
import { recorder } from '../support/faults.ts'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

afterEach(() => test.stop())

async function cluster(options: TestMachineOptions = {}): Promise<void> {
  test = startMachine({ nodes: 2, ...options })
  await test.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  await test.until(async () =>
    (await test.client.list(Node)).items.every(({ spec }) => (spec.taints ?? []).length === 0),
  )
  await test.world.advance(2000)
}

const create = (name: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { containers: [{ name: 'app', image: 'nginx' }], ...spec },
  })

const isReady = async (name: string): Promise<boolean> =>
  (await test.find(Pod, { namespace, name }))?.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false

const reasonsOf = async (name: string): Promise<readonly string[]> =>
  (await test.client.list(CoreV1Event, { namespace, fieldSelector: `involvedObject.name=${name}` })).items.map(
    ({ reason }) => reason ?? '',
  )

const ofPods = ({ resource, subresource, verb }: ApiRequest): readonly string[] =>
  resource?.resource === 'pods' && verb !== 'get' ? [`${verb} ${subresource ?? ''}`.trim()] : []

describe('a kubelet without delays', () => {
  it('writes one status and four events for a pod', async () => {
    const written = recorder()
    await cluster({ instant: true, wrap: written.wrap })
    written.requests.length = 0
    await create('web')
    await test.until(() => isReady('web'))
    await test.world.advance(60_000)
    expect(written.requests.flatMap(ofPods)).toEqual(['create', 'create binding', 'update status'])
    expect([...(await reasonsOf('web'))].sort()).toEqual(['Created', 'Pulled', 'Pulling', 'Scheduled', 'Started'])
  })

  it('lets a deleted pod go at once', async () => {
    await cluster({ instant: true })
    await create('web')
    await test.until(() => isReady('web'))
    await test.client.delete(Pod, { namespace, name: 'web' })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'web' })) === undefined, { limitMs: 1000 })
  })
})

describe('kubelets', () => {
  it('go on where they were after a restart', async () => {
    await cluster()
    await create('web')
    await create('crash', { containers: [{ name: 'app', image: 'nginx', command: ['sh', '-c', 'sleep 3; exit 1'] }] })
    await test.until(() => isReady('web'))
    const before = await test.client.get(Pod, { namespace, name: 'web' })
    test.machine.runtime.restartLoop('kubelet')
    await test.world.advance(60_000)
    expect((await test.client.get(Pod, { namespace, name: 'web' })).status).toEqual(before.status)
    const crash = await test.client.get(Pod, { namespace, name: 'crash' })
    expect(crash.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThan(1)
  })

  it('fail to pull, and succeed when the command changes to an image that is there', async () => {
    await cluster()
    await create('web', { containers: [{ name: 'app', image: 'nginx:does-not-exist' }] })
    const waiting = async () =>
      (await test.find(Pod, { namespace, name: 'web' }))?.status?.containerStatuses?.[0]?.state?.waiting
    await test.until(async () => (await waiting())?.reason === 'ImagePullBackOff')
    expect((await waiting())?.message).toBe(
      'Back-off pulling image "nginx:does-not-exist": ErrImagePull: rpc error: code = NotFound desc = failed to pull and ' +
        'unpack image "docker.io/library/nginx:does-not-exist": failed to resolve reference ' +
        '"docker.io/library/nginx:does-not-exist": docker.io/library/nginx:does-not-exist: not found',
    )
    const image = { spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] } }
    await test.client.patch(Pod, { namespace, name: 'web' }, image, { type: 'application/strategic-merge-patch+json' })
    await test.until(() => isReady('web'))
  })

  it('renew their leases every ten seconds, and their status every five minutes', async () => {
    await cluster()
    const renewed = async (): Promise<number> =>
      parseTime((await test.client.get(Lease, { namespace: 'kube-node-lease', name: 'node-0' })).spec.renewTime) ?? 0
    const beat = async (): Promise<number> =>
      parseTime((await test.client.get(Node, { name: 'node-0' })).status?.conditions?.[0]?.lastHeartbeatTime) ?? 0
    const [lease, status] = [await renewed(), await beat()]
    await test.world.advance(35_000)
    expect((await renewed()) - lease).toBe(30_000)
    expect(await beat()).toBe(status)
    await test.world.advance(300_000)
    expect((await beat()) - status).toBeGreaterThanOrEqual(300_000)
  })

  it('serve the log of a container, and say why there is none', async () => {
    await cluster()
    await create('job', {
      restartPolicy: 'Never',
      containers: [{ name: 'app', image: 'nginx', command: ['sh', '-c', 'echo one; echo two; sleep 1'] }],
    })
    await create('stuck', { containers: [{ name: 'app', image: 'registry.invalid/app:1' }] })
    const log = async (name: string, query: Readonly<Record<string, string>> = {}): Promise<string> => {
      const resource = { group: '', version: 'v1', resource: 'pods' }
      const { body } = await test.client.request({ verb: 'get', resource, namespace, name, subresource: 'log', query })
      let text = ''
      if (body.type === 'bytes') for await (const chunk of body.chunks) text += String(chunk)
      return text
    }
    await test.until(async () => (await test.find(Pod, { namespace, name: 'job' }))?.status?.phase === 'Succeeded')
    expect(await log('job')).toBe('one\ntwo\n')
    expect(await log('job', { tailLines: '1' })).toBe('two\n')
    await expect(log('stuck')).rejects.toThrow('container "app" in pod "stuck" is waiting to start')
  })

  it('take no notice of pods that are bound elsewhere, and end those that are gone from the API', async () => {
    await cluster()
    await create('web')
    await test.until(() => isReady('web'))
    await test.client.delete(Pod, { namespace, name: 'web' }, { gracePeriodSeconds: 0 })
    await test.world.advance(5000)
    expect(await reasonsOf('web')).toContain('Killing')
    await create('web')
    await test.until(() => isReady('web'))
  })
})
