// Addresses and ports that Services are given.

import { describe, expect, it } from 'vitest'
import { createApiServer } from '#apiserver'
import { createClient } from '#client'
import { Service } from '#kinds'
import { startServer, tester } from './server.ts'

const service = (name: string, spec: object): Service =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' }, spec }) as unknown as Service

const ports = [{ port: 80 }]

describe('cluster addresses', () => {
  it('are free ones of the range, and the first belongs to the server itself', async () => {
    const { client } = startServer()
    const own = await client.get(Service, { namespace: 'default', name: 'kubernetes' })
    expect(own.spec?.clusterIP).toBe('10.96.0.1')
    const made = await Promise.all(['a', 'b', 'c'].map((name) => client.create(Service, service(name, { ports }))))
    const addresses = made.map(({ spec }) => spec?.clusterIP ?? '')
    expect(new Set([...addresses, '10.96.0.1']).size).toBe(4)
    for (const address of addresses) expect(address).toMatch(/^10\.96\./)
    expect(made[0]?.spec).toMatchObject({
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      clusterIPs: [addresses[0]],
    })
  })

  it('are refused when taken or outside of the range', async () => {
    const { client } = startServer()
    await client.create(Service, service('a', { ports, clusterIP: '10.96.7.7' }))
    await expect(client.create(Service, service('b', { ports, clusterIP: '10.96.7.7' }))).rejects.toThrow(
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.7.7"]: failed to allocate IP 10.96.7.7: provided IP is already allocated',
    )
    await expect(client.create(Service, service('c', { ports, clusterIP: '192.0.2.1' }))).rejects.toThrow(
      'failed to allocate IP 192.0.2.1: the provided network does not match the current range',
    )
    for (const edge of ['10.96.0.0', '10.96.255.255'])
      await expect(client.create(Service, service('d', { ports, clusterIP: edge }))).rejects.toThrow(
        `the provided IP (${edge}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`,
      )
    await client.delete(Service, { namespace: 'default', name: 'a' })
    await client.create(Service, service('b', { ports, clusterIP: '10.96.7.7' }))
  })

  it('must make sense with their families before anything else is looked at', async () => {
    const { client } = startServer()
    const bad = { ports: [{ port: 0 }], ipFamilies: ['IPv4', 'IPv4'] }
    await expect(client.create(Service, service('a', bad))).rejects.toThrow(
      'Service "a" is invalid: spec.ipFamilies[1]: Duplicate value: "IPv4"',
    )
  })

  it('are given back when the write fails', async () => {
    const { client } = startServer()
    const bad = service('a', { ports: [{ port: 0 }], clusterIP: '10.96.7.7' })
    await expect(client.create(Service, bad)).rejects.toThrow('is invalid')
    await client.create(Service, service('a', { ports, clusterIP: '10.96.7.7' }))
  })

  it('are known again to a server that takes over the store', async () => {
    const { client, store, world } = startServer()
    await client.create(Service, service('a', { ports, clusterIP: '10.96.7.7' }))
    const next = createClient(createApiServer({ world, store }).handle, tester)
    await expect(next.create(Service, service('b', { ports, clusterIP: '10.96.7.7' }))).rejects.toThrow(
      'provided IP is already allocated',
    )
  })
})

describe('node ports', () => {
  it('come from their range and stay through changes', async () => {
    const { client } = startServer()
    const made = await client.create(Service, service('a', { type: 'NodePort', ports }))
    const nodePort = made.spec?.ports?.[0]?.nodePort ?? 0
    expect(nodePort).toBeGreaterThanOrEqual(30_000)
    expect(nodePort).toBeLessThanOrEqual(32_767)
    const { resourceVersion } = made.metadata
    const changed = await client.update(Service, {
      ...service('a', { type: 'NodePort', ports: [{ port: 80, targetPort: 8080 }] }),
      metadata: { name: 'a', namespace: 'default', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    })
    expect(changed.spec?.ports?.[0]?.nodePort).toBe(nodePort)
    await expect(
      client.create(Service, service('b', { type: 'NodePort', ports: [{ port: 80, nodePort }] })),
    ).rejects.toThrow(`spec.ports[0].nodePort: Invalid value: ${nodePort}: provided port is already allocated`)
  })

  it('are shared by ports that differ only in their protocol', async () => {
    const { client } = startServer()
    const both = [
      { name: 'tcp', port: 53, protocol: 'TCP' },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ]
    const { spec } = await client.create(Service, service('dns', { type: 'NodePort', ports: both }))
    expect(spec?.ports?.[0]?.nodePort).toBe(spec?.ports?.[1]?.nodePort)
  })
  it('stay with the name of a port, whatever else of it changes', async () => {
    const { client } = startServer()
    const old = [
      { name: 'web', port: 80, nodePort: 30_100 },
      { name: 'dns', port: 53, nodePort: 30_053 },
    ]
    await client.create(Service, service('a', { type: 'NodePort', ports: old }))
    const ports = [
      { name: 'dns', port: 5353, protocol: 'UDP' },
      { name: 'other', port: 80 },
    ]
    const { spec } = await client.update(Service, service('a', { type: 'NodePort', ports }))
    expect(spec?.ports?.[0]).toMatchObject({ port: 5353, nodePort: 30_053 })
    expect(spec?.ports?.[1]?.nodePort).not.toBe(30_100)
  })

  it('are taken when asked for, even where a load balancer gives none by itself', async () => {
    const { client } = startServer()
    const ports = [
      { name: 'a', port: 80, nodePort: 30_100 },
      { name: 'b', port: 81 },
    ]
    const spec = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports }
    const made = await client.create(Service, service('a', spec))
    expect(made.spec?.ports?.map(({ nodePort }) => nodePort)).toEqual([30_100, undefined])
    await expect(client.create(Service, service('b', spec))).rejects.toThrow('provided port is already allocated')
  })

  const twice = [
    { name: 'a', port: 80, nodePort: 30_100 },
    { name: 'b', port: 81, nodePort: 30_100 },
  ]
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports }
  it.each<[string, object, string]>([
    [
      'twice by one Service',
      { type: 'NodePort', ports: twice },
      'spec.ports[1].nodePort: Invalid value: 30100: provided',
    ],
    [
      'for health checks outside of the range',
      { ...local, healthCheckNodePort: 20 },
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 20: provided port is not in the valid',
    ],
  ])('are refused when asked for %s', async (_, spec, message) => {
    const { client } = startServer()
    await expect(client.create(Service, service('a', spec))).rejects.toThrow(message)
  })

  it('may not be one for two ports of a change', async () => {
    const { client } = startServer()
    await client.create(Service, service('a', { type: 'NodePort', ports }))
    await expect(client.update(Service, service('a', { type: 'NodePort', ports: twice }))).rejects.toThrow(
      'duplicate nodePort: {TCP 30100}',
    )
  })
})
