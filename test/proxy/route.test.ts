// What `route` says: names, the table that decides, every endpoint with why, and errors for what does not exist.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainRoute, formatRoute, type RouteQuestion, type RouteReport } from '#insight'
import { Deployment, Namespace, Node, Pod, Service, type ServiceSpec, StatefulSet } from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { deployment, namespace, pod, service } from '../support/manifests.ts'

let test: TestMachine
const port = [{ name: 'http', port: 80, targetPort: 8080 }]
const selector = { app: 'web' }

async function createService(name: string, spec: ServiceSpec, space = 'shop'): Promise<void> {
  await test.client.create(Service, { ...service(name, space), spec })
}

beforeAll(async () => {
  test = startMachine()
  await test.world.advance(5000)
  const { client } = test
  await client.create(Namespace, namespace('shop'))
  await test.world.advance(2000)
  for (const [name, zone] of [
    ['node-0', 'a'],
    ['node-1', 'b'],
    ['node-2', 'b'],
  ] as const)
    await client.patch(
      Node,
      { name },
      { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } },
      { type: 'application/merge-patch+json' },
    )
  await client.create(Deployment, deployment('web', { namespace: 'shop', replicas: 3 }))
  await createService('web', { selector, ports: port })
  await createService('near', { selector, ports: port, trafficDistribution: 'PreferClose' })
  await createService('local', { selector: { app: 'one' }, ports: port, internalTrafficPolicy: 'Local' })
  await createService('door', {
    selector: { app: 'one' },
    ports: port,
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
  })
  await createService('idle', { selector: { app: 'nobody' }, ports: port })
  await createService('two', { selector, ports: [...port, { name: 'admin', port: 81 }] })
  await createService('db', { selector: { app: 'db' }, ports: port, clusterIP: 'None' })
  await createService('away', { type: 'ExternalName', externalName: 'db.example.com' })
  await createService('alias', { type: 'ExternalName', externalName: 'web.shop.svc.cluster.local' }, 'default')
  await client.create(Pod, {
    ...pod('one', { nodeName: 'node-1' }, { app: 'one' }),
    metadata: { name: 'one', namespace: 'shop', labels: { app: 'one' } },
  })
  await client.create(Pod, pod('client'))
  await client.create(Pod, pod('host', { hostNetwork: true }))
  await client.create(Pod, pod('stuck', { nodeSelector: { disk: 'none' } }, {}))
  await client.create(StatefulSet, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'shop' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'redis:7' }] } },
    },
  })
  await test.world.advance(60_000)
})
afterAll(() => test.stop())

const ask = (question: RouteQuestion): Promise<RouteReport> =>
  test.world.drive(() => explainRoute(test.client, question))
const usedOn = ({ candidates }: RouteReport): readonly (string | undefined)[] =>
  candidates
    .filter(({ used }) => used)
    .map(({ node }) => node)
    .sort()

describe('route', () => {
  it('follows a short name through the search path of the pod to all endpoints alike', async () => {
    const report = await ask({ target: 'web.shop:http', from: 'client' })
    expect(report.from).toMatchObject({ kind: 'pod', name: 'default/client' })
    expect(report.name?.asked).toEqual(['web.shop.default.svc.cluster.local', 'web.shop.svc.cluster.local'])
    expect(report.address).toMatch(/^ClusterIP 10\.96\.\d+\.\d+, port 80\/TCP \(http\), targetPort 8080$/)
    expect(usedOn(report)).toEqual(['node-0', 'node-1', 'node-2'])
    expect(report.result.text).toBe('goes to one of 3 endpoints, each as likely as any other')
    const text = formatRoute(report)
    expect(text.split('\n')[0]).toMatch(/^web\.shop:http from pod default\/client on node-\d \(zone [ab]\)$/)
    expect(text).toMatch(/→ {2}10\.244\.\d+\.\d+:8080 {2}shop\/web-\S+ +node-0 +a +ready +ready/)
  })

  it('says whom a Local policy leaves out', async () => {
    const here = await ask({ target: 'local.shop', from: 'node-1' })
    expect([here.result.type, usedOn(here)]).toEqual(['endpoints', ['node-1']])
    const there = await ask({ target: 'local.shop', from: 'node-0' })
    expect(there.result).toMatchObject({
      type: 'drop',
      text: expect.stringContaining('no local endpoints on node node-0'),
    })
    expect(there.candidates).toMatchObject([{ used: false, why: 'not on node node-0 (internalTrafficPolicy Local)' }])
  })

  it('tells traffic from outside from traffic inside', async () => {
    const inside = await ask({ target: 'door.shop', from: 'node-0' })
    expect(inside.result.type).toBe('endpoints')
    const outside = await ask({ target: 'door.shop', from: 'node-0', external: true })
    expect(outside.address).toMatch(/^LoadBalancer /)
    expect(outside.result.type).toBe('drop')
    expect(outside.notes).toContainEqual(expect.stringMatching(/ask node-0:\d+\/healthz, which answers 503/))
    const good = await ask({ target: 'door.shop', from: 'node-1', external: true })
    expect(good.result.type).toBe('endpoints')
    await expect(ask({ target: 'web.shop', from: 'node-0', external: true })).rejects.toThrow(/has no node port/)
  })

  it('leads from a node port to the table of that node', async () => {
    const { spec } = await test.client.get(Service, { namespace: 'shop', name: 'door' })
    const target = `node-1:${spec.ports?.[0]?.nodePort}`
    const report = await ask({ target, from: 'client' })
    expect([report.service, report.table?.node, usedOn(report)]).toEqual(['shop/door', 'node-1', ['node-1']])
    await expect(ask({ target: 'node-1:30999', from: 'client' })).rejects.toThrow(/no Service has the node port 30999/)
  })

  it('answers for headless Services and single pods with their addresses', async () => {
    const all = await ask({ target: 'db.shop', from: 'client' })
    expect(all.candidates.map(({ pod: name, used }) => [name, used]).sort()).toEqual([
      ['shop/db-0', true],
      ['shop/db-1', true],
    ])
    const one = await ask({ target: 'db-1.db:6379', from: 'shop/one' })
    expect(one.result.endpoints).toEqual([expect.stringMatching(/^10\.244\.\d+\.\d+:6379$/)])
    expect(one.candidates.filter(({ used }) => used).map((candidate) => candidate.pod)).toEqual(['shop/db-1'])
  })

  it('follows aliases', async () => {
    expect((await ask({ target: 'alias:80', from: 'client' })).result.type).toBe('endpoints')
    expect((await ask({ target: 'away.shop', from: 'client' })).result).toMatchObject({ type: 'outside' })
  })

  it('answers what is refused, and lists pods that are no endpoints', async () => {
    const { result } = await ask({ target: 'idle.shop', from: 'client' })
    expect(result).toMatchObject({ type: 'reject', text: expect.stringContaining('shop/idle has no endpoints') })
    await createService('stuck', { selector: { app: 'stuck' }, ports: port }, 'default')
    await test.client.create(Pod, pod('waiting', { nodeSelector: { disk: 'none' } }, { app: 'stuck' }))
    await test.world.advance(2000)
    expect((await ask({ target: 'stuck', from: 'client' })).candidates).toMatchObject([
      { pod: 'default/waiting', state: 'no endpoint', why: 'it is not scheduled yet' },
    ])
  })

  it('notes who does not ask the DNS of the cluster', async () => {
    expect((await ask({ target: 'web.shop', from: 'node-0' })).notes[0]).toMatch(/node-0 itself does not ask/)
    expect((await ask({ target: 'web.shop', from: 'host' })).notes[0]).toMatch(
      /dnsPolicy ClusterFirst with hostNetwork/,
    )
  })

  it.each<[RouteQuestion, RegExp]>([
    [
      { target: 'web', from: 'client' },
      /web does not resolve \(NXDOMAIN\): .*web in namespace default; there is web\.shop/,
    ],
    [{ target: 'none.shop', from: 'client' }, /there is no Service none in namespace shop/],
    [{ target: 'web.shop:81', from: 'client' }, /Service shop\/web has no port 81\/TCP: it has 80\/TCP \(http\)/],
    [{ target: 'web.shop:grpc', from: 'client' }, /has no port grpc\/TCP/],
    [{ target: 'two.shop', from: 'client' }, /several ports: it has 80\/TCP \(http\), 81\/TCP \(admin\)/],
    [{ target: 'web.shop', from: 'nobody' }, /there is no node and no pod named nobody/],
    [{ target: 'web.shop', from: 'node/node-9' }, /there is no node node-9; there are node-0, node-1, node-2/],
    [{ target: 'web.shop', from: 'shop/client' }, /there is no pod client in namespace shop/],
    [{ target: 'web.shop', from: 'stuck' }, /pod default\/stuck is not scheduled yet/],
    [{ target: 'web:', from: 'client' }, /is not SERVICE/],
  ])('refuses %j', async (question, message) => {
    await expect(ask(question)).rejects.toThrow(message)
  })
})
