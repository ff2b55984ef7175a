// Static pods: what runs is what the node's folder says; mirrors only show it.

import { afterEach, describe, expect, it } from 'vitest'
import { Node, NodeProfile, Pod } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest
afterEach(() => test.stop())

const manifest = (image = 'nginx:1.27') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace, labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image }] },
})
const mirror = 'web-node-0'
const containerOf = async () => (await test.get(mirror))?.status?.containerStatuses?.[0]

async function start(): Promise<Pod> {
  test = await nodeTest()
  await test.nodeProfile('folder', { match: { nodes: ['node-0'] }, staticPods: [manifest()] })
  await test.until(() => test.isReady(mirror))
  return test.client.get(Pod, { namespace, name: mirror })
}

describe('a static pod', () => {
  it('is shown by a mirror that its node owns', async () => {
    const { metadata, spec } = await start()
    const node = await test.client.get(Node, { name: 'node-0' })
    const hash = metadata.annotations?.['kubernetes.io/config.hash']
    expect(hash).toMatch(/^[0-9a-f]{32}$/)
    expect(metadata.annotations).toMatchObject({
      'kubernetes.io/config.mirror': hash,
      'kubernetes.io/config.source': 'file',
    })
    expect(metadata.labels).toEqual({ app: 'web' })
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'node-0', uid: node.metadata.uid, controller: true },
    ])
    expect(spec).toMatchObject({ nodeName: 'node-0', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] })
    expect(await test.events(mirror)).toContain('Started: Started container app')
  })

  it('goes on when its mirror is deleted, which is made again', async () => {
    const before = await start()
    await test.client.delete(Pod, { namespace, name: mirror })
    await test.until(async () => {
      const uid = (await test.get(mirror))?.metadata.uid
      return uid !== undefined && uid !== before.metadata.uid
    })
    await test.until(() => test.isReady(mirror))
    expect((await containerOf())?.containerID).toBe(before.status?.containerStatuses?.[0]?.containerID)
  })

  it('goes on over a restart of the kubelets', async () => {
    const before = await start()
    test.machine.runtime.restartLoop('kubelet')
    await test.world.advance(30_000)
    const after = await test.client.get(Pod, { namespace, name: mirror })
    expect(after.metadata.uid).toBe(before.metadata.uid)
    expect(after.status).toEqual(before.status)
  })

  it('is replaced when its manifest changes, and ends when that is gone', async () => {
    const before = await start()
    const profile = await test.client.get(NodeProfile, { name: 'folder' })
    await test.client.update(NodeProfile, {
      ...profile,
      spec: { ...profile.spec, staticPods: [manifest('nginx:1.28')] },
    })
    await test.until(async () => (await containerOf())?.image === 'docker.io/library/nginx:1.28')
    expect((await containerOf())?.containerID).not.toBe(before.status?.containerStatuses?.[0]?.containerID)
    await test.client.delete(NodeProfile, { name: 'folder' })
    await test.until(async () => (await test.get(mirror)) === undefined)
    await test.world.advance(30_000)
    expect(await test.get(mirror)).toBeUndefined()
  })

  it('stays while its node is away', async () => {
    await start()
    await test.fault('away', { nodeOffline: {} })
    await test.world.advance(1000)
    await test.client.delete(NodeProfile, { name: 'folder' })
    await test.world.advance(20_000)
    expect((await containerOf())?.state?.running).toBeDefined()
  })
})
