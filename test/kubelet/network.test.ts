// A node whose network plug-in does not work: NotReady, pods on the host network begin, others wait and say why. And pods
// whose names and name servers do not fit.

import { afterEach, describe, expect, it } from 'vitest'
import { Fault } from '#kinds'
import { type NodeTest, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const trouble =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized'

const ready = async () => (await test.node()).status?.conditions?.find(({ type }) => type === 'Ready')

describe('a network that is not ready', () => {
  it('makes the node NotReady, and keeps pods from beginning', async () => {
    test = await nodeTest()
    await test.pod('before')
    await test.until(() => test.isReady('before'))
    await test.fault('no-network', { networkNotReady: { nodes: ['node-0'] } })
    await test.until(async () => (await ready())?.status === 'False', { limitMs: 20_000 })
    expect(await ready()).toMatchObject({ reason: 'KubeletNotReady', message: trouble })
    expect(await test.events('node-0')).toContain('NodeNotReady: Node node-0 status is now: NodeNotReady')

    const tolerations = [{ operator: 'Exists' as const }]
    await test.pod('new', { tolerations })
    await test.pod('host', { tolerations, hostNetwork: true })
    await test.until(() => test.isReady('host'), { limitMs: 20_000 })
    await test.world.advance(5000)
    expect((await test.get('new'))?.status?.phase).toBe('Pending')
    expect(await test.events('new')).toContain(`NetworkNotReady: network is not ready: ${trouble}`)
    expect((await test.get('before'))?.status?.phase).toBe('Running')

    await test.client.delete(Fault, { name: 'no-network' })
    await test.until(() => test.isReady('new'), { limitMs: 20_000 })
    expect(await test.events('node-0')).toContain('NodeReady: Node node-0 status is now: NodeReady')
  })
})

describe('a pod', () => {
  it('begins with the name servers that it may have, and says which', async () => {
    test = await nodeTest()
    await test.pod('web', { dnsConfig: { nameservers: ['1.1.1.1', '8.8.8.8', '9.9.9.9'] } })
    await test.until(() => test.isReady('web'))
    expect(await test.events('web')).toContain(
      'DNSConfigForming: Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 1.1.1.1 8.8.8.8',
    )
  })

  it('does not begin under a full name that is too long', async () => {
    test = await nodeTest()
    await test.pod('web', { hostname: 'h'.repeat(40), subdomain: 'front', setHostnameAsFQDN: true })
    await test.world.advance(5000)
    expect((await test.get('web'))?.status?.phase).toBe('Pending')
    expect((await test.events('web')).join()).toContain(
      'FailedCreatePodSandBox: Failed to create pod sandbox: failed to construct FQDN from pod hostname and cluster domain',
    )
  })
})
