import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice, Service } from '#kinds'
import { backendsOn, decideTable, type Viewpoint } from './service-table.ts'

const service = (spec: Partial<Service['spec']> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { clusterIP: '10.96.0.9', ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...spec },
})

const slice = (...endpoints: readonly Endpoint[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints,
})

const endpoint = (last: number, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.244.0.${last}`],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: `node-${last}`,
  ...more,
})

const leaving = { ready: false, serving: true, terminating: true }
const unready = { ready: false, serving: false, terminating: false }

function seenFrom(at: Viewpoint, spec: Partial<Service['spec']>, ...endpoints: readonly Endpoint[]): readonly string[] {
  const table = decideTable(service(spec), [slice(...endpoints)])
  const port = table?.ports[0]
  if (table === undefined || port === undefined) return ['none']
  return backendsOn(table, port, at).map(({ address, port: number }) => `${address}:${number}`)
}

const node1 = { node: 'node-1' }

describe('service tables', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['ready endpoints', seenFrom(node1, {}, endpoint(1), endpoint(2, { conditions: unready })), ['10.244.0.1:8080']],
    [
      'ending ones when no other is left',
      seenFrom(node1, {}, endpoint(1, { conditions: leaving })),
      ['10.244.0.1:8080'],
    ],
    [
      'not ending ones while others are ready',
      seenFrom(node1, {}, endpoint(1, { conditions: leaving }), endpoint(2)),
      ['10.244.0.2:8080'],
    ],
    [
      'local ones only',
      seenFrom(node1, { internalTrafficPolicy: 'Local' }, endpoint(1), endpoint(2)),
      ['10.244.0.1:8080'],
    ],
    [
      'local ones only from outside',
      seenFrom({ node: 'node-2', from: 'outside' }, { externalTrafficPolicy: 'Local' }, endpoint(1), endpoint(2)),
      ['10.244.0.2:8080'],
    ],
    [
      'those of the zone',
      seenFrom(
        { node: 'node-1', zone: 'a' },
        {},
        endpoint(1, { hints: { forZones: [{ name: 'a' }] } }),
        endpoint(2, { hints: { forZones: [{ name: 'b' }] } }),
      ),
      ['10.244.0.1:8080'],
    ],
    ['nothing of a headless Service', seenFrom(node1, { clusterIP: 'None' }, endpoint(1)), ['none']],
  ])('%s', (_name, seen, expected) => {
    expect(seen).toEqual(expected)
  })
})
