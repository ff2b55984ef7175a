// Probes count what steady requests meet while the cluster changes.

import { describe, expect, it } from 'vitest'
import {
  Deployment,
  Event,
  Fault,
  Node,
  Pod,
  type PodSpec,
  type ProfileContainer,
  Service,
  type ServiceSpec,
  TrafficProbe,
  type TrafficProbeStatus,
  WorkloadProfile,
} from '#kinds'
import { recorder } from '../support/faults.ts'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'
import { deployment, pod, service } from '../support/manifests.ts'

const group = 'lab.homeostat.dev/v1alpha1'
const web = { namespace: 'default', name: 'web' }

const probe = (spec: Partial<TrafficProbe['spec']> = {}, name = 'web'): TrafficProbe => ({
  apiVersion: group,
  kind: 'Probe',
  metadata: { name },
  spec: { target: { service: 'web', port: 80 }, intervalSeconds: 0.1, ...spec },
})

const profile = (container: ProfileContainer, match: WorkloadProfile['spec']['match']): WorkloadProfile => ({
  apiVersion: group,
  kind: 'WorkloadProfile',
  metadata: { name: 'web' },
  spec: { match, container },
})

interface Setting extends TestMachineOptions {
  readonly podSpec?: Partial<PodSpec>
  readonly serviceSpec?: ServiceSpec
  readonly profile?: WorkloadProfile
}

/** Three pods of a Deployment behind a Service, all at rest. */
async function startWeb({ podSpec, serviceSpec, profile: said, ...options }: Setting = {}): Promise<TestMachine> {
  const test = startMachine(options)
  await test.world.advance(5000)
  if (said !== undefined) await test.client.create(WorkloadProfile, said)
  const { spec, ...rest } = deployment('web', { replicas: 3 })
  const template = { ...spec.template, spec: { containers: [], ...spec.template.spec, ...podSpec } }
  const front = service('web')
  await test.client.create(Service, { ...front, spec: { ...front.spec, ...serviceSpec } })
  await test.client.create(Deployment, { ...rest, spec: { ...spec, template } })
  await isRolledOut(test)
  await test.world.advance(5000)
  return test
}

const isRolledOut = (test: TestMachine): Promise<void> =>
  test.until(async () => {
    const found = await test.find(Deployment, web)
    const { observedGeneration, updatedReplicas, availableReplicas, replicas } = found?.status ?? {}
    const isDone = [updatedReplicas, availableReplicas, replicas].every((count) => count === 3)
    return isDone && observedGeneration === found?.metadata.generation
  })

async function rollOut(test: TestMachine): Promise<void> {
  const template = { spec: { containers: [{ name: 'app', image: 'nginx:1.28' }] } }
  const type = 'application/strategic-merge-patch+json'
  await test.client.patch(Deployment, web, { spec: { template } }, { type })
  await isRolledOut(test)
}

/** What is told when nothing more is on its way. */
async function told(test: TestMachine, name = 'web'): Promise<TrafficProbeStatus> {
  await test.world.advance(65_000)
  return (await test.client.get(TrafficProbe, { name })).status ?? {}
}

/** A rollout, with what a Probe saw of it. */
async function seenOfRollout(setting: Setting): Promise<readonly (string | number)[]> {
  const test = await startWeb(setting)
  await test.client.create(TrafficProbe, probe())
  await test.world.advance(5000)
  await rollOut(test)
  const { failed = -1, failures = [] } = await told(test)
  await test.stop()
  return [failed, ...failures.map(({ reason }) => reason).sort()]
}

const container = { name: 'app', image: 'nginx:1.27' }
const slowStart: ProfileContainer = { requests: [{ result: 'failure' }, { fromSeconds: 6, result: 'success' }] }

describe('a Probe', () => {
  it('counts a request once, however often it is looked at in the moment in which that is due', async () => {
    const test = await startWeb({ serviceSpec: { selector: { app: 'nobody' } } })
    await test.client.create(TrafficProbe, probe({ intervalSeconds: 0.01 }))
    await test.world.advance(5000)
    const name = (await test.client.list(Node)).items[0]?.metadata.name ?? ''
    for (let ms = 0; ms < 200; ms += 1) {
      await test.world.advance(1)
      for (const look of ['first', 'second']) {
        const labels = { look: `${look} at ${ms}`.replaceAll(' ', '-') }
        await test.client.patch(Node, { name }, { metadata: { labels } }, { type: 'application/merge-patch+json' })
        await test.world.settle()
      }
    }
    const { since = '', until = '', failed = 0, total } = await told(test)
    expect(failed).toBe(total)
    expect(Math.abs(failed - (300 * (Date.parse(until) - Date.parse(since))) / 1000)).toBeLessThanOrEqual(6)
    expect(test.machine.runtime.figures().loops.find(({ name }) => name === 'probe')?.errors).toBe(0)
    await test.stop()
  })

  it('sends a request an interval from every node, and writes little', async () => {
    const written = recorder()
    const test = await startWeb({ wrap: written.wrap })
    await test.client.create(TrafficProbe, probe({ intervalSeconds: 1 }))
    await test.world.advance(3_600_000)
    const { total = 0, ...status } = await told(test)
    expect(status).toMatchObject({ target: 'default/web:80', origins: 3, failed: 0, consecutiveFailures: 0 })
    expect(status.conditions).toMatchObject([{ type: 'Succeeding', status: 'True', reason: 'RequestsSucceed' }])
    const { since = '', until = '' } = status
    expect(Math.abs(total - (3 * (Date.parse(until) - Date.parse(since))) / 1000)).toBeLessThanOrEqual(3)
    const writes = written.requests.filter(({ caller }) => caller.user === 'system:homeostat:probe')
    expect(writes.length).toBeLessThanOrEqual(64)
    const reconciles = test.machine.runtime.figures().loops.find(({ name }) => name === 'probe')?.reconciles
    expect(reconciles).toBeLessThan(150)
    await test.stop()
  })

  it('loses requests in a rollout, and none when pods wait before they end', async () => {
    const [failed, ...reasons] = await seenOfRollout({})
    expect(failed).toBeGreaterThan(0)
    expect(reasons).toEqual(['ConnectionRefused', 'Timeout'])
    const lifecycle = { preStop: { sleep: { seconds: 5 } } }
    expect(await seenOfRollout({ podSpec: { containers: [{ ...container, lifecycle }] } })).toEqual([0])
  })

  it('loses requests to a server that starts slowly, and none when a readiness probe waits for it', async () => {
    const probes: ProfileContainer['probes'] = { readiness: slowStart.requests ?? [] }
    const slow = profile({ ...slowStart, probes }, { images: ['nginx'] })
    const lifecycle = { preStop: { sleep: { seconds: 5 } } }
    const [failed, ...reasons] = await seenOfRollout({
      profile: slow,
      podSpec: { containers: [{ ...container, lifecycle }] },
    })
    expect(failed).toBeGreaterThan(20)
    expect(reasons).toEqual(['ConnectionRefused'])
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 }
    const careful = [{ ...container, lifecycle, readinessProbe }]
    expect(await seenOfRollout({ profile: slow, podSpec: { containers: careful } })).toEqual([0])
  })

  it('counts a killed container for just as long as it is away', async () => {
    const test = await startWeb()
    await test.client.patch(Deployment, web, { spec: { replicas: 1 } }, { type: 'application/merge-patch+json' })
    await test.world.advance(60_000)
    await test.client.create(TrafficProbe, probe({ from: { node: 'node-0' } }))
    await test.world.advance(100_000)
    const kill = { apiVersion: group, kind: 'Fault', metadata: { name: 'kill' }, spec: { containerKilled: {} } }
    await test.client.create(Fault, kill)
    const { failed = 0, failures, lastFailure } = await told(test)
    expect(failures?.map(({ reason }) => reason).sort()).toEqual(['ConnectionRefused', 'NoEndpoints'])
    expect(lastFailure?.node).toBe('node-0')
    // Restarted with the next listing of the runtime, and announced with the one after.
    expect(failed).toBeGreaterThan(3)
    expect(failed).toBeLessThan(70)
    const events = (await test.client.list(Event, { namespace: 'default' })).items
    const own = events.filter(({ involvedObject }) => involvedObject?.kind === 'Probe')
    expect(own.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^\d+ requests? failed: dial tcp /))
    await test.stop()
  })

  it('meets a node that is offline until its pods are out of the tables', async () => {
    const test = await startWeb()
    await test.client.create(TrafficProbe, probe({ intervalSeconds: 1 }))
    await test.world.advance(10_000)
    const pods = (await test.client.list(Pod, { namespace: 'default' })).items
    const [node = ''] = pods.map(({ spec }) => spec.nodeName)
    const fault = {
      apiVersion: group,
      kind: 'Fault',
      metadata: { name: 'away' },
      spec: { nodeOffline: { nodes: [node] } },
    }
    await test.client.create(Fault, fault)
    const during = await told(test)
    expect(during.origins).toBe(2)
    expect(during.failures?.map(({ reason }) => reason)).toEqual(['NodeOffline'])
    // Not ready after 50 s: until then, a share of the requests of two nodes.
    expect(during.failed).toBeGreaterThan(10)
    expect(during.failed).toBeLessThan(100)
    const { failed: before } = await told(test)
    await test.world.advance(3_600_000)
    expect((await told(test)).failed).toBe(before)
    await test.client.delete(Fault, { name: 'away' })
    await test.world.advance(60_000)
    const after = await told(test)
    expect([after.origins, after.failed]).toEqual([3, before])
    await test.stop()
  })

  it('looks at the status of answers, unless it only connects', async () => {
    const said = profile({ requests: [{ result: 'failure', cause: { kind: 'http-status', httpStatus: 503 } }] }, {})
    const test = await startWeb({ profile: said })
    await test.client.create(TrafficProbe, probe())
    await test.client.create(TrafficProbe, probe({ protocol: 'TCP' }, 'connects'))
    const status = await told(test)
    expect([status.succeeded, status.failures?.map(({ reason }) => reason)]).toEqual([0, ['HTTP503']])
    expect(status.conditions).toMatchObject([{ status: 'False', reason: 'HTTP503' }])
    expect(await told(test, 'connects')).toMatchObject({ failed: 0 })
    await test.client.delete(WorkloadProfile, { name: 'web' })
    await test.world.advance(1000)
    const { failed } = await told(test)
    expect(await told(test)).toMatchObject({ failed, consecutiveFailures: 0 })
    await test.stop()
  })

  it.each<[string, Partial<TrafficProbe['spec']>, string]>([
    ['a Service without pods', { target: { service: 'idle', port: 80 } }, 'NoEndpoints'],
    ['a Service that is not there', { target: { service: 'none', port: 80 } }, 'NameNotFound'],
    ['a port that the Service does not have', { target: { service: 'web', port: 81 } }, 'NoSuchPort'],
    ['a node port that nobody has', { target: { host: 'node-1', port: 30_000 } }, 'NoSuchPort'],
    ['a target port that no container has', { target: { service: 'wrong', port: 80 } }, 'ConnectionRefused'],
    ['a port of headless pods that they do not have', { target: { service: 'bare', port: 8080 } }, 'ConnectionRefused'],
    ['the port of headless pods', { target: { service: 'bare', port: 80 } }, 'none'],
    ['a named port', { target: { service: 'named', port: 'http' } }, 'none'],
    ['a node port', { target: { host: 'node-1', port: 30_080 } }, 'none'],
    ['a short name', { target: { host: 'web', port: 80 } }, 'none'],
  ])('tells of %s', async (_name, spec, reason) => {
    const declared = [{ ...container, ports: [{ name: 'http', containerPort: 80 }] }]
    const test = await startWeb({ podSpec: { containers: declared } })
    const selector = { app: 'web' }
    const more: Readonly<Record<string, ServiceSpec>> = {
      idle: { selector: { app: 'idle' }, ports: [{ port: 80 }] },
      wrong: { selector, ports: [{ port: 80, targetPort: 8080 }] },
      bare: { selector, clusterIP: 'None', ports: [{ port: 8080, targetPort: 80 }] },
      named: { selector, type: 'NodePort', ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30_080 }] },
    }
    for (const [name, given] of Object.entries(more))
      await test.client.create(Service, { ...service(name), spec: given })
    await test.world.advance(5000)
    await test.client.create(TrafficProbe, probe(spec))
    const { succeeded = 0, failures = [] } = await told(test)
    expect([succeeded > 0, failures.map((failure) => failure.reason)]).toEqual(
      reason === 'none' ? [true, []] : [false, [reason]],
    )
    await test.stop()
  })

  it('keeps to one endpoint where the Service says so', async () => {
    const seen = async (serviceSpec: ServiceSpec): Promise<readonly boolean[]> => {
      const test = await startWeb({ serviceSpec })
      const [victim] = (await test.client.list(Pod, { namespace: 'default' })).items
      const failing: ProfileContainer = {
        requests: [{ result: 'failure', cause: { kind: 'http-status', httpStatus: 500 } }],
      }
      await test.client.create(WorkloadProfile, profile(failing, { pods: [victim?.metadata.name ?? ''] }))
      await test.world.advance(1000)
      await test.client.create(TrafficProbe, probe({ from: { node: 'node-0' } }))
      const { succeeded = 0, failed = 0 } = await told(test)
      await test.stop()
      return [succeeded > 0, failed > 0]
    }
    expect(await seen({})).toEqual([true, true])
    expect((await seen({ sessionAffinity: 'ClientIP' })).filter(Boolean)).toHaveLength(1)
  })

  it('sends from a pod only while that runs, and from no node that is away', async () => {
    const test = await startWeb()
    await test.client.create(TrafficProbe, probe({ from: { pod: 'client' } }))
    expect((await told(test)).conditions).toMatchObject([{ status: 'Unknown', reason: 'NothingSent' }])
    await test.client.create(Pod, pod('client'))
    expect(await told(test)).toMatchObject({ origins: 1, failed: 0, consecutiveFailures: 0 })
    await test.client.delete(Pod, { namespace: 'default', name: 'client' })
    const { origins, total } = await told(test)
    expect(origins).toBe(0)
    expect((await told(test)).total).toBe(total)
    await test.stop()
  })

  it('goes on counting where a restarted loop finds its status', async () => {
    const test = await startWeb()
    await test.client.create(TrafficProbe, probe({ intervalSeconds: 1 }))
    const before = (await told(test)).total ?? 0
    test.machine.runtime.restartLoop('probe')
    test.machine.runtime.restartLoop('proxy')
    const { total = 0, failed } = await told(test)
    expect(failed).toBe(0)
    expect(total).toBeGreaterThan(before)
    await test.client.patch(
      TrafficProbe,
      { name: 'web' },
      { spec: { intervalSeconds: 10 } },
      { type: 'application/merge-patch+json' },
    )
    expect((await told(test)).total).toBeLessThan(before)
    await test.stop()
  })

  it.each<[Partial<TrafficProbe['spec']>, RegExp]>([
    [{ target: {} }, /give either service or host/],
    [{ target: { service: 'web', host: 'node-1' } }, /give either service or host/],
    [{ target: { host: 'node-1', namespace: 'shop', port: 80 } }, /namespace belongs to service/],
    [{ from: { outside: true, node: 'node-1' } }, /outside is neither a node nor a pod/],
    [{ intervalSeconds: 0 }, /greater than or equal to 0.01/],
  ])('is refused with %j', async (spec, message) => {
    const test = startMachine()
    await test.world.advance(1000)
    await expect(test.client.create(TrafficProbe, probe(spec))).rejects.toThrow(message)
    await test.stop()
  })

  it('is sent by the table that a silent node has kept', async () => {
    const test = await startWeb()
    const { proxy, kubelet } = test.machine.residents
    const countOn = (node: string): number | undefined =>
      proxy.tableOn(node, 'default/web')?.slices.flatMap(({ endpoints }) => endpoints ?? []).length
    kubelet?.stopNode('node-2')
    await test.client.patch(Deployment, web, { spec: { replicas: 5 } }, { type: 'application/merge-patch+json' })
    await test.world.advance(20_000)
    expect(countOn('node-0')).toBeGreaterThan(3)
    expect(countOn('node-2')).toBe(3)
    kubelet?.startNode('node-2')
    await test.world.advance(20_000)
    expect(countOn('node-2')).toBe(5)
    await test.stop()
  })

  it('comes from outside by a node that takes its traffic', async () => {
    const seen = async (serviceSpec: ServiceSpec): Promise<readonly [boolean, readonly string[]]> => {
      const test = await startWeb({ serviceSpec })
      await test.client.patch(Deployment, web, { spec: { replicas: 1 } }, { type: 'application/merge-patch+json' })
      await test.world.advance(60_000)
      await test.client.create(TrafficProbe, probe({ from: { outside: true } }))
      const { succeeded = 0, failures = [], origins } = await told(test)
      expect(origins).toBe(1)
      await test.stop()
      return [succeeded > 0, failures.map(({ reason }) => reason)]
    }
    const local = { externalTrafficPolicy: 'Local' } as const
    expect(await seen({ type: 'LoadBalancer', ...local })).toEqual([true, []])
    expect(await seen({ type: 'NodePort', ...local })).toEqual([true, ['NoLocalEndpoints']])
    expect(await seen({ type: 'NodePort' })).toEqual([true, []])
    expect(await seen({})).toEqual([false, ['NotExternal']])
  })

  it('meets the container that listens on the port, and waits no longer than its time-out', async () => {
    const ports = (name: string, containerPort: number) => [{ name, containerPort }]
    const containers = [
      { ...container, ports: ports('http', 80) },
      { name: 'side', image: 'nginx:1.27', ports: ports('metrics', 9090) },
    ]
    const slow: ProfileContainer = {
      requests: [{ result: 'success', cause: { kind: 'http-status', httpStatus: 200, takesSeconds: 3 } }],
    }
    const test = await startWeb({
      podSpec: { containers },
      serviceSpec: {
        ports: [
          { name: 'http', port: 80 },
          { name: 'metrics', port: 81, targetPort: 'metrics' },
        ],
      },
      profile: profile(slow, { containers: ['side'] }),
    })
    const at = (port: string, timeoutSeconds: number) => ({ target: { service: 'web', port }, timeoutSeconds })
    await test.client.create(TrafficProbe, probe(at('http', 1)))
    await test.client.create(TrafficProbe, probe(at('metrics', 1), 'hasty'))
    await test.client.create(TrafficProbe, probe(at('metrics', 5), 'patient'))
    expect(await told(test)).toMatchObject({ failed: 0 })
    expect(await told(test, 'hasty')).toMatchObject({ succeeded: 0, failures: [{ reason: 'Timeout' }] })
    expect(await told(test, 'patient')).toMatchObject({ failed: 0 })
    await test.stop()
  })
})
