import { describe, expect, it } from 'vitest'
import type { Pod, Service } from '#kinds'
import { decideEndpoints } from './decide.ts'

const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'front', namespace: 'default', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    clusterIP: '10.96.0.10',
    selector: { app: 'ep' },
    ports: [
      { name: 'web', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' },
      { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
      { name: 'plain', port: 99, protocol: 'TCP' },
    ],
  },
}

const pod = (name: string, ip: string, ready: boolean): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] }],
  },
  status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

describe('endpoints', () => {
  it('packs all ports of the same addresses into one subset, in the order of Kubernetes', () => {
    const { subsets, metadata } = decideEndpoints({ service, pods: [pod('a', '192.0.2.1', true)], current: undefined })
    expect(subsets).toHaveLength(1)
    expect(subsets?.[0]?.ports?.map(({ name }) => name)).toEqual(['plain', 'dns', 'web'])
    expect(metadata.labels).toEqual({ 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })
  })

  it('tells ready from not ready addresses, and answers the current object when nothing changed', () => {
    const pods = [pod('a', '192.0.2.1', false), pod('b', '192.0.2.2', true)]
    const current = decideEndpoints({ service, pods, current: undefined })
    expect(current.subsets?.[0]?.addresses?.map(({ ip }) => ip)).toEqual(['192.0.2.2'])
    expect(current.subsets?.[0]?.notReadyAddresses?.map(({ ip }) => ip)).toEqual(['192.0.2.1'])
    expect(decideEndpoints({ service, pods, current })).toBe(current)
  })

  it('marks a headless Service and cuts at 1,000 addresses', () => {
    const headless = { ...service, spec: { ...service.spec, clusterIP: 'None' } }
    const pods = Array.from({ length: 1005 }, (_, i) => pod(`p${i}`, `10.0.${i >> 8}.${i & 255}`, i % 2 === 0))
    const { metadata, subsets = [] } = decideEndpoints({ service: headless, pods, current: undefined })
    expect(metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' })
    expect(metadata.annotations).toMatchObject({ 'endpoints.kubernetes.io/over-capacity': 'truncated' })
    expect(subsets[0]?.addresses).toHaveLength(503)
    expect(subsets[0]?.notReadyAddresses).toHaveLength(497)
  })
})
