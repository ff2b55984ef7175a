// WorkloadProfiles in a cluster: what they say comes true, in pulls, starts, runs, signals, probes, usage and logs.

import { afterEach, describe, expect, it } from 'vitest'
import {
  type Container,
  CoreV1Event,
  Namespace,
  Node,
  Pod,
  type PodSpec,
  Secret,
  ServiceAccount,
  WorkloadProfile,
  type WorkloadProfileSpec,
} from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

afterEach(() => test.stop())

async function cluster(profiles: Readonly<Record<string, WorkloadProfileSpec>> = {}): Promise<void> {
  test = startMachine({ nodes: 1 })
  await test.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  await test.until(async () =>
    (await test.client.list(Node)).items.every(({ spec }) => (spec.taints ?? []).length === 0),
  )
  for (const [name, spec] of Object.entries(profiles)) await profile(name, spec)
  await test.world.settle()
}

const profile = (name: string, spec: WorkloadProfileSpec): Promise<WorkloadProfile> =>
  test.client.create(WorkloadProfile, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'WorkloadProfile',
    metadata: { name },
    spec,
  })

const create = (name: string, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ name: 'app', image: 'example.com/app:1', ...container }], ...spec },
  })

const statusOf = async (name: string) =>
  (await test.client.get(Pod, { namespace, name })).status?.containerStatuses?.find((one) => one.name === 'app')

const isReady = async (name: string): Promise<boolean> => (await statusOf(name))?.ready === true

const hasEnded = async (name: string): Promise<boolean> => (await statusOf(name))?.state?.terminated !== undefined

const messagesOf = async (name: string): Promise<string> =>
  (await test.client.list(CoreV1Event, { namespace, fieldSelector: `involvedObject.name=${name}` })).items
    .map(({ reason, message }) => `${reason}: ${message}`)
    .join('\n')

async function logOf(name: string): Promise<readonly string[]> {
  const pod = await test.client.get(Pod, { namespace, name })
  const request = { container: 'app', follow: false, previous: false, timestamps: false }
  const lines: string[] = []
  const { kubelet } = test.machine.residents
  for await (const text of kubelet?.logs(pod, request, new AbortController().signal) ?? [])
    lines.push(...text.trimEnd().split('\n'))
  return lines
}

const app = { images: ['example.com/app'] }
const never: Partial<PodSpec> = { restartPolicy: 'Never' }

describe('images of a profile', () => {
  it.each([
    ['notFound', 'example.com/app:1: not found'],
    ['unauthorized', '401 Unauthorized'],
    ['unreachable', 'i/o timeout'],
    ['tooManyRequests', '429 Too Many Requests'],
  ] as const)('%s', async (error, text) => {
    await cluster({ pulls: { match: app, image: { pulls: [{ error }] } } })
    await create('web')
    await test.until(async () => (await statusOf('web'))?.state?.waiting?.reason === 'ErrImagePull')
    expect(await messagesOf('web')).toContain(text)
  })

  it('come after a failed pull, as long as it takes', async () => {
    await cluster({
      pulls: { match: app, image: { pulls: [{ message: 'no luck' }, { seconds: 7, sizeBytes: 4711 }] } },
    })
    await create('web')
    await test.until(() => isReady('web'))
    const messages = await messagesOf('web')
    expect(messages).toContain('Failed to pull image "example.com/app:1": no luck')
    expect(messages).toContain('in 7s (7s including waiting). Image size: 4711 bytes.')
  })

  it('are there already, under another name', async () => {
    await cluster({
      there: { match: app, image: { present: true, reportedName: 'mirror/app:1', imageID: 'sha256:1' } },
    })
    await create('web')
    await test.until(() => isReady('web'))
    expect(await statusOf('web')).toMatchObject({ image: 'mirror/app:1', imageID: 'sha256:1' })
    expect(await messagesOf('web')).toContain('already present on machine')
  })

  it('are private', async () => {
    await cluster({ own: { match: app, image: { private: true } } })
    await create('web', {}, { imagePullSecrets: [{ name: 'registry' }] })
    await test.until(async () => (await statusOf('web'))?.state?.waiting?.reason === 'ImagePullBackOff')
    expect(await messagesOf('web')).toContain('401 Unauthorized')
    expect(await messagesOf('web')).toContain('Unable to retrieve some image pull secrets (registry)')
    await test.client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'registry', namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': btoa('{"auths":{"example.com":{"auth":"eDp5"}}}') },
    })
    await test.until(() => isReady('web'))
  })

  it('run as root', async () => {
    await cluster({ root: { match: app, image: { user: '' } } })
    await create('web', {}, { securityContext: { runAsNonRoot: true } })
    await test.until(async () => (await messagesOf('web')).includes('image will run as root'))
  })
})

describe('containers of a profile', () => {
  it('start slowly', async () => {
    await cluster({ slow: { match: app, container: { startSeconds: 20 } } })
    await create('web')
    await test.world.advance(15_000)
    expect(await isReady('web')).toBe(false)
    await test.until(() => isReady('web'), { limitMs: 15_000 })
  })

  it('cannot be started', async () => {
    await cluster({ broken: { match: app, container: { startError: { message: 'exec: no such file' } } } })
    await create('web', {}, never)
    await test.until(() => hasEnded('web'))
    expect((await statusOf('web'))?.state?.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' })
  })

  it('cannot be created', async () => {
    await cluster({ broken: { match: app, container: { createError: { message: 'name is taken' } } } })
    await create('web')
    await test.until(async () => (await statusOf('web'))?.state?.waiting?.reason === 'CreateContainerError')
  })

  it('end with a code and a message, each run in its own way', async () => {
    await cluster({
      ends: {
        match: app,
        container: {
          runs: [
            { exitCode: 3, afterSeconds: 2, terminationMessage: 'out of luck' },
            { exitCode: 0, afterSeconds: 1 },
          ],
        },
      },
    })
    await create('web', {}, { restartPolicy: 'OnFailure' })
    await test.until(async () => (await statusOf('web'))?.state?.terminated?.exitCode === 0)
    expect(await statusOf('web')).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 3, message: 'out of luck' } },
    })
  })

  it('are killed by signals and by the kernel', async () => {
    await cluster({
      segv: { match: { containers: ['app'], pods: ['segv'] }, container: { runs: [{ signal: 11, afterSeconds: 1 }] } },
      oom: { match: { podSelector: { matchLabels: { app: 'oom' } } }, container: { runs: [{ oomKilled: true }] } },
    })
    await create('segv', {}, never)
    await create('oom', {}, never)
    await test.until(async () => (await hasEnded('segv')) && (await hasEnded('oom')))
    expect((await statusOf('segv'))?.state?.terminated).toMatchObject({ exitCode: 139, reason: 'Error' })
    expect((await statusOf('oom'))?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('are killed when their memory exceeds their limit, and measured before', async () => {
    await cluster({
      leak: {
        match: app,
        container: {
          runs: [{ forever: true }],
          usage: {
            cpu: [{ value: '250m' }],
            memory: [{ value: '50Mi' }, { fromSeconds: 200, value: '250Mi', ramp: true }],
          },
        },
      },
    })
    await create('web', { resources: { limits: { memory: '150Mi' } } }, never)
    await test.until(() => isReady('web'))
    await test.world.advance(60_000)
    const usage = test.machine.residents.kubelet?.podUsage(await test.client.get(Pod, { namespace, name: 'web' }))
    expect(usage?.containers[0]?.usage.milliCpu).toBe(250)
    expect((usage?.containers[0]?.usage.memoryBytes ?? 0) / 1024 / 1024).toBeGreaterThan(80)
    await test.until(() => hasEnded('web'), { limitMs: 60_000 })
    expect((await statusOf('web'))?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it.each([
    ['handle SIGTERM', { exitCode: 7, afterSeconds: 3 }, 'Error', 4],
    ['ignore SIGTERM', { ignored: true }, 'Error', 31],
  ] as const)('%s', async (_name, onSigterm, _reason, seconds) => {
    await cluster({ ends: { match: app, container: { onSigterm } } })
    await create('web')
    await test.until(() => isReady('web'))
    const from = test.world.clock.now()
    await test.client.delete(Pod, { namespace, name: 'web' })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'web' })) === undefined)
    expect((test.world.clock.now() - from) / 1000).toBeGreaterThan(seconds - 1.5)
    expect((test.world.clock.now() - from) / 1000).toBeLessThan(seconds + 3)
  })

  it('find other things by probes over time', async () => {
    await cluster({
      flaky: {
        match: app,
        container: {
          probes: {
            readiness: [
              { result: 'failure', cause: { kind: 'http-status', httpStatus: 503 } },
              { fromSeconds: 20, result: 'success' },
              { fromSeconds: 60, result: 'failure', cause: { kind: 'http-status', httpStatus: 500 } },
            ],
          },
        },
      },
    })
    await create('web', { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 2, failureThreshold: 1 } })
    await test.until(async () => (await messagesOf('web')).includes('HTTP probe failed with statuscode: 503'))
    await test.until(() => isReady('web'), { limitMs: 30_000 })
    await test.until(async () => !(await isReady('web')), { limitMs: 60_000 })
  })

  it('have hooks that fail', async () => {
    await cluster({
      hooks: { match: app, container: { hooks: { postStart: { result: 'error', message: 'exit status 1' } } } },
    })
    await create('web', { lifecycle: { postStart: { exec: { command: ['x'] } } } })
    await test.until(async () => (await messagesOf('web')).includes('PostStartHook failed'))
  })

  it('share a load, and the more of them there are, the less each has to do', async () => {
    const sharedCpu = [{ value: '100m' }, { fromSeconds: 300, value: '600m' }]
    await cluster({ load: { match: app, container: { usage: { sharedCpu } } } })
    const used = async (name: string): Promise<number | undefined> => {
      const pod = await test.client.get(Pod, { namespace, name })
      return test.machine.residents.kubelet?.podUsage(pod)?.containers[0]?.usage.milliCpu
    }
    await create('one')
    await create('two')
    await test.world.advance(60_000)
    expect([await used('one'), await used('two')]).toEqual([50, 50])
    await test.world.advance(300_000)
    expect(await used('one')).toBe(300)
    await create('three')
    await test.world.advance(60_000)
    expect([await used('one'), await used('three')]).toEqual([200, 200])
  })

  it('write logs', async () => {
    await cluster({ talks: { match: app, container: { logs: [{ text: 'up' }, { everySeconds: 10, text: 'tick' }] } } })
    await create('web')
    await test.until(() => isReady('web'))
    await test.world.advance(25_000)
    expect(await logOf('web')).toEqual(['up', 'tick', 'tick', 'tick'])
  })
})

describe('pods of a profile', () => {
  it('get no sandbox', async () => {
    await cluster({ net: { match: app, pod: { sandboxError: 'no network' } } })
    await create('web')
    await test.until(async () => (await messagesOf('web')).includes('no network'))
  })

  it('are evicted for their storage', async () => {
    await cluster({ fills: { match: app, pod: { storage: { fromSeconds: 5, volumes: { tmp: 20_000_000 } } } } })
    await create('web', {}, { volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '10Mi' } }] })
    await test.until(async () => (await messagesOf('web')).includes('Evicted: Usage of EmptyDir volume "tmp"'))
  })
})

describe('profiles', () => {
  it('take effect while containers run, and are over when they are deleted', async () => {
    await cluster()
    await create('web', { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 2 } })
    await test.until(() => isReady('web'))
    await profile('down', {
      match: { pods: ['we?'], namespaces: ['demo'] },
      container: { probes: { readiness: [{ result: 'failure', cause: { kind: 'connection-refused' } }] } },
    })
    await test.until(async () => !(await isReady('web')), { limitMs: 20_000 })
    await test.client.delete(WorkloadProfile, { name: 'down' })
    await test.until(() => isReady('web'), { limitMs: 20_000 })
  })

  it('are laid over one another, and name the rule that decided', async () => {
    await cluster({
      a: { match: { images: ['nginx*'] }, container: { startSeconds: 1, runs: [{ exitCode: 1, afterSeconds: 50 }] } },
      z: { priority: 1, match: { pods: ['web'] }, container: { startSeconds: 2 } },
      other: { match: { namespaces: ['elsewhere'] }, container: { onSigterm: { ignored: true } } },
      image: { match: { images: ['nginx'] }, image: { pulls: [{ seconds: 1 }] } },
    })
    await create('web', { image: 'nginx:1.27' })
    await test.until(() => isReady('web'))
    const pod = await test.client.get(Pod, { namespace, name: 'web' })
    const rules = test.machine.residents.kubelet?.rulesFor(pod, 'app') ?? []
    expect(Object.fromEntries(rules.map(({ field, rule }) => [field, rule]))).toMatchObject({
      startSeconds: 'WorkloadProfile z',
      runs: 'WorkloadProfile a',
      onSigterm: 'built-in profile nginx',
      'image.pulls': 'WorkloadProfile image',
    })
  })
})
