// Topology hints in a whole cluster: given, refused and taken away, with the Events of the real controller, and followed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainRoute } from '#insight'
import { Deployment, EndpointSlice, Event, Node, Service } from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { deployment, service } from '../support/manifests.ts'

const merge = { type: 'application/merge-patch+json' } as const
const web = { namespace: 'default', name: 'web' }
const zones = ['a', 'a', 'b', 'b']

let test: TestMachine
beforeAll(async () => {
  test = startMachine({ nodes: { count: 4 } })
  await test.world.advance(5000)
  for (const [i, zone] of zones.entries())
    await test.client.patch(
      Node,
      { name: `node-${i}` },
      { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } },
      merge,
    )
  await test.client.create(Service, service('web'))
  await test.client.create(Deployment, deployment('web', { replicas: 4 }))
  await test.world.advance(30_000)
})
afterAll(() => test.stop())

async function annotate(value: string | null): Promise<void> {
  const annotations = { 'service.kubernetes.io/topology-mode': value }
  await test.client.patch(Service, web, { metadata: { annotations } }, merge)
  await test.world.advance(5000)
}

const endpoints = async () =>
  (
    await test.client.list(EndpointSlice, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' })
  ).items.flatMap((slice) => slice.endpoints ?? [])
const hints = async () =>
  (await endpoints()).map(({ hints: own }) => own?.forZones?.map(({ name }) => name).join() ?? '').sort()

async function lastEvent(): Promise<string> {
  await test.world.advance(1000)
  const { items } = await test.client.list(Event, { namespace: 'default' })
  const own = items.filter(({ involvedObject }) => involvedObject?.kind === 'Service')
  const last = own.sort((a, b) => (a.lastTimestamp ?? '').localeCompare(b.lastTimestamp ?? '')).at(-1)
  return `${last?.type} ${last?.reason}: ${last?.message}`
}

describe('hints', () => {
  it('come with the annotation, are followed, and go with it', async () => {
    await annotate('Auto')
    expect(await hints()).toEqual(['a', 'a', 'b', 'b'])
    expect(await lastEvent()).toBe(
      'Normal TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4',
    )
    const report = await test.world.drive(() => explainRoute(test.client, { target: 'web', from: 'node-0' }))
    expect(report.table?.rule).toBe('topology hints: endpoints for zone a')
    expect(report.result.endpoints).toHaveLength(2)
    expect(report.candidates.filter(({ used }) => !used).map(({ why }) => why)).toEqual([
      'hinted for zone b, not a',
      'hinted for zone b, not a',
    ])
    await annotate(null)
    expect(await hints()).toEqual(['', '', '', ''])
    expect(await lastEvent()).toBe(
      'Warning TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4',
    )
  })

  it('are not given to too few endpoints', async () => {
    await test.client.patch(Deployment, web, { spec: { replicas: 1 } }, merge)
    await test.world.advance(60_000)
    await annotate('Auto')
    expect(await lastEvent()).toBe(
      'Warning TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4',
    )
    await annotate(null)
    await test.client.patch(Deployment, web, { spec: { replicas: 4 } }, merge)
    await test.world.advance(30_000)
  })

  it('follow trafficDistribution', async () => {
    for (const preference of ['PreferClose', 'PreferSameZone', 'PreferSameNode']) {
      await test.client.patch(Service, web, { spec: { trafficDistribution: preference } }, merge)
      await test.world.advance(5000)
      const all = await endpoints()
      for (const { hints: own, zone, nodeName } of all)
        expect(own).toEqual({
          forZones: [{ name: zone }],
          ...(preference === 'PreferSameNode' ? { forNodes: [{ name: nodeName }] } : {}),
        })
    }
    await test.client.patch(Service, web, { spec: { trafficDistribution: null } }, merge)
    await test.world.advance(5000)
    expect(await hints()).toEqual(['', '', '', ''])
  })

  it('are worked out again when nodes change so much that a zone has too few', async () => {
    await annotate('Auto')
    expect(await hints()).toEqual(['a', 'a', 'b', 'b'])
    await test.client.patch(
      Node,
      { name: 'node-1' },
      { metadata: { labels: { 'topology.kubernetes.io/zone': 'b' } } },
      merge,
    )
    await test.world.advance(5000)
    await test.client.patch(
      Node,
      { name: 'node-0' },
      { metadata: { labels: { 'topology.kubernetes.io/zone': null } } },
      merge,
    )
    await test.world.advance(5000)
    expect(await hints()).toEqual(['', '', '', ''])
    expect(await lastEvent()).toMatch(/^Warning TopologyAwareHintsDisabled: Insufficient Node information: /)
  })
})
