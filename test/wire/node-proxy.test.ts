// What kubelets answer through the API server: health, pods, what they take, what they wrote; and that some cannot be reached.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { Node, Pod } from '#kinds'
import { eventually, openWire, type WireServer } from './kube-server.ts'

const ref = { namespace: 'default', name: 'web' }
let wire: WireServer
let node = ''

beforeAll(async () => {
  wire = await openWire({ withNodes: true })
  const made = await eventually(() =>
    wire.client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: ref,
      spec: { containers: [{ name: 'main', image: 'nginx:1.29' }] },
    }),
  )
  expect(made.metadata.name).toBe('web')
  const { spec } = await eventually(async () => {
    const pod = await wire.client.get(Pod, ref)
    if (pod.status?.phase !== 'Running') throw new Error('web does not run')
    return pod
  })
  node = spec.nodeName ?? ''
}, 60_000)
afterAll(() => wire.close())

const ask = (path: string, method = 'GET') => wire.ask(`/api/v1/nodes/${node}/proxy/${path}`, { method })

it.each([
  ['healthz', 'GET', 200, /^ok$/],
  ['healthz/syncloop', 'GET', 200, /^ok$/],
  ['healthz/none', 'GET', 404, /^404 page not found\n$/],
  ['pods', 'GET', 200, /^\{"kind":"PodList","apiVersion":"v1","metadata":\{\},"items":\[\{"metadata":\{/],
  ['pods', 'POST', 405, /^405: Method Not Allowed$/],
  ['constructor', 'GET', 404, /^404 page not found\n$/],
  ['', 'GET', 404, /^404 page not found\n$/],
  ['containerLogs/default/web/main?tailLines=1', 'GET', 200, /^[^\n]+\n$/],
  ['containerLogs/default/web/other', 'GET', 404, /^container "other" not found in pod "web"\n$/],
  ['containerLogs/default/none/main', 'GET', 404, /^pod "none" does not exist\n$/],
])('%s, %s: %i', async (path, method, code, said) => {
  const { status, text } = await ask(path, method)
  expect([status, text]).toEqual([code, expect.stringMatching(said)])
})

it('sums up what node and pods take', async () => {
  const told = await eventually(async () => {
    const { text } = await ask('stats/summary')
    const summary = JSON.parse(text)
    if (summary.pods.length === 0) throw new Error('no sample yet')
    return summary
  })
  const bytes = expect.any(Number)
  expect(told.node).toMatchObject({
    nodeName: node,
    memory: { workingSetBytes: bytes },
    cpu: { usageNanoCores: bytes },
  })
  const pod = told.pods.find((one: { podRef: { name: string } }) => one.podRef.name === 'web')
  expect(pod).toMatchObject({ podRef: ref, containers: [{ name: 'main', memory: pod.memory, cpu: pod.cpu }] })
  expect(pod.memory.workingSetBytes).toBeLessThan(told.node.memory.workingSetBytes)
})

it('is not there while the node is offline, nor of a node that there is not', async () => {
  const { kubelet } = wire.machine.residents
  kubelet?.stopNode(node)
  const offline = await ask('healthz')
  kubelet?.startNode(node)
  expect([offline.status, offline.json()['message']]).toEqual([
    500,
    expect.stringMatching(/error dialing backend: dial tcp [\d.]+:10250: connect: no route to host$/),
  ])
  expect((await wire.client.list(Node)).items.map(({ metadata }) => metadata.name)).toContain(node)
  expect((await wire.ask('/api/v1/nodes/none/proxy/healthz')).status).toBe(404)
})
