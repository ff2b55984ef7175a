// Quotas that count custom resources, and disruptions that did not happen, over a real API server.
import { describe, expect, it } from 'vitest'
import { CustomResourceDefinition, Pod, ResourceQuota } from '#kinds'
import type { AnyObject } from '#objects'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { pod } from '../support/manifests.ts'
import { merge, startCluster } from './cluster.ts'

const namespace = 'default'
describe('a quota', () => {
  it('counts custom resources, as they come and go', async () => {
    const cluster = await startCluster({ nodes: 1 })
    await cluster.client.create(CustomResourceDefinition, definitionOf(Widget))
    await cluster.world.advance(1000)
    const widget = (name: string): AnyObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name, namespace },
    })
    await cluster.client.create(Widget, widget('a'))
    await cluster.client.create(ResourceQuota, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace },
      spec: { hard: { 'count/widgets.example.com': '5' } },
    })
    const used = async () =>
      (await cluster.client.get(ResourceQuota, { namespace, name: 'q' })).status?.used?.['count/widgets.example.com']
    await cluster.until(async () => (await used()) === '1')
    await cluster.client.create(Widget, widget('b'))
    await cluster.until(async () => (await used()) === '2', { limitMs: 310_000 })
    await cluster.client.delete(Widget, { namespace, name: 'a' })
    await cluster.until(async () => (await used()) === '1', { limitMs: 20_000 })
    await cluster.stop()
  })
})

describe('a pod that was to be disrupted', () => {
  it('is a target no more after two minutes', async () => {
    const cluster = await startCluster({ nodes: 1 })
    await cluster.client.create(Pod, pod('p'))
    const find = () => cluster.client.get(Pod, { namespace, name: 'p' })
    await cluster.until(async () => (await find()).status?.phase === 'Running')
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }
    const conditions = [
      ...((await find()).status?.conditions ?? []),
      { ...target, lastTransitionTime: `${new Date(cluster.world.clock.now()).toISOString().slice(0, 19)}Z` },
    ]
    await cluster.client.patch(
      Pod,
      { namespace, name: 'p' },
      { status: { conditions } },
      {
        ...merge,
        subresource: 'status',
      },
    )
    const status = async () =>
      (await find()).status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status
    await cluster.world.advance(110_000)
    expect(await status()).toBe('True')
    await cluster.world.advance(20_000)
    expect(await status()).toBe('False')
    await cluster.stop()
  })
})
