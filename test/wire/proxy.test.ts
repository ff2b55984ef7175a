// HTTP through the API server to pods and services: who answers, with what, and how refusals are told.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EndpointSlice, Pod, Service, WorkloadProfile } from '#kinds'
import { eventually, openWire, type WireServer } from './kube-server.ts'

const namespace = 'default'
const pod = (name: string, ports: readonly number[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    containers: [{ name: 'main', image: 'nginx:1.29', ports: ports.map((containerPort) => ({ containerPort })) }],
  },
})

const service = (name: string, ports: NonNullable<Service['spec']['ports']>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports },
})

describe('the proxies of pods and services', () => {
  let wire: WireServer

  beforeAll(async () => {
    wire = await openWire({ withNodes: true })
    await wire.client.create(WorkloadProfile, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'WorkloadProfile',
      metadata: { name: 'ill' },
      spec: {
        match: { pods: ['ill'] },
        container: {
          requests: [{ fromSeconds: 0, result: 'failure', cause: { kind: 'http-status', httpStatus: 418 } }],
        },
      },
    } as unknown as WorkloadProfile)
    await eventually(() => wire.client.create(Pod, pod('web', [8080, 9090])))
    await wire.client.create(Pod, pod('ill', [80]))
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'admin', port: 90, targetPort: 9090 },
    ]
    await wire.client.create(Service, service('web', ports))
    await wire.client.create(Service, service('empty', [{ port: 80 }]))
    await eventually(async () => {
      const { items } = await wire.client.list(EndpointSlice, { namespace })
      const ready = items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready)
      if (ready.length === 0) throw new Error('no endpoint is ready')
      const { status } = await wire.client.get(Pod, { namespace, name: 'ill' })
      if (status?.phase !== 'Running') throw new Error('ill does not run')
    })
  }, 60_000)
  afterAll(() => wire.close())

  const ask = (resource: string, rest: string, method = 'GET') =>
    wire.ask(`/api/v1/namespaces/${namespace}/${resource}/${rest}`, { method, headers: { accept: 'text/html' } })

  it.each([
    ['pods', 'web/proxy/a/b?c=d', 'GET', 'GET /a/b?c=d'],
    ['pods', 'web:9090/proxy/', 'POST', 'POST /'],
    ['pods', 'http:web:8080/proxy/x', 'DELETE', 'DELETE /x'],
    ['services', 'web:http/proxy/', 'GET', 'GET /'],
    ['services', 'web:90/proxy/metrics', 'GET', 'GET /metrics'],
  ])('%s/%s, asked by %s', async (resource, rest, method, said) => {
    const { status, text, headers } = await ask(resource, rest, method)
    expect([status, text.split('\n')[0], headers['content-type']]).toEqual([200, said, 'text/plain; charset=utf-8'])
    expect(text).toContain('pod default/web: ')
  })

  it('hands on what the pod says, faults too', async () => {
    const { status, text } = await ask('pods', 'ill/proxy/tea')
    expect([status, text.split('\n')[0]]).toEqual([418, 'GET /tea'])
  })

  it('sends whoever asks for no path to the root', async () => {
    const { status, headers } = await ask('pods', 'web/proxy')
    expect([status, headers.location]).toEqual([301, '/api/v1/namespaces/default/pods/web/proxy/'])
  })

  it.each([
    ['pods', 'web:81/proxy/', 503, /^error trying to reach service: dial tcp \S+:81: connect: connection refused$/],
    ['pods', 'none/proxy/', 404, /^pods "none" not found$/],
    ['pods', 'ftp:web:80/proxy/', 400, /^invalid pod request "ftp:web:80"$/],
    ['services', 'web:81/proxy/', 503, /^no service port "81" found for service "web"$/],
    ['services', 'empty/proxy/', 503, /^no endpoints available for service "empty"$/],
  ])('%s/%s is refused with %i', async (resource, rest, code, message) => {
    const { status, ...answer } = await ask(resource, rest)
    expect([status, answer.json()['message']]).toEqual([code, expect.stringMatching(message)])
  })
})
