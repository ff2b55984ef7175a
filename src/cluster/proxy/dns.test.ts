import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Service } from '#kinds'
import { lookUp, type Zone } from './dns.ts'

const service = (name: string, spec: Partial<Service['spec']>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec,
})

const ports = [{ name: 'http', port: 80, protocol: 'TCP' as const }]
const services: readonly Service[] = [
  service('web', { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9', 'fd00:1::9'], ports }),
  service('db', { clusterIP: 'None', ports }),
  service('empty', { clusterIP: 'None' }),
  service('away', { type: 'ExternalName', externalName: 'db.example.com' }),
]

const dbSlice: EndpointSlice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'db-1', namespace: 'shop' },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.244.0.5'], hostname: 'db-0', conditions: { ready: true } },
    { addresses: ['10.244.0.6'], hostname: 'db-1', conditions: { ready: false } },
    { addresses: ['10.244.0.7'], conditions: {} },
  ],
}

const zone: Zone = {
  service: (key) => services.find(({ metadata }) => key === `shop/${metadata.name}`),
  slices: (key) => (key === 'shop/db' ? [dbSlice] : []),
}

const why = (text: string) => ({ type: 'nothing', why: expect.stringContaining(text) })

describe('DNS', () => {
  it.each<[string, string, object]>([
    ['web', 'shop', { type: 'addresses', addresses: ['10.96.0.9', 'fd00:1::9'], service: 'shop/web', of: 'service' }],
    ['web.shop', 'default', { addresses: ['10.96.0.9', 'fd00:1::9'] }],
    ['web.shop.svc', 'default', { addresses: ['10.96.0.9', 'fd00:1::9'] }],
    ['WEB.shop.svc.cluster.local.', 'default', { addresses: ['10.96.0.9', 'fd00:1::9'] }],
    ['web', 'default', why('no Service web in namespace default')],
    ['db', 'shop', { addresses: ['10.244.0.5', '10.244.0.7'], of: 'endpoints' }],
    ['db-0.db', 'shop', { addresses: ['10.244.0.5'] }],
    ['db-1.db', 'shop', why('no ready endpoint of Service shop/db has the hostname db-1')],
    ['10-244-0-7.db', 'shop', { addresses: ['10.244.0.7'] }],
    ['empty', 'shop', why('has no ready endpoint')],
    ['away', 'shop', { type: 'alias', service: 'shop/away', target: 'db.example.com' }],
    ['_http._tcp.web', 'shop', { records: [{ port: 80, target: 'web.shop.svc.cluster.local' }] }],
    [
      '_http._tcp.db',
      'shop',
      {
        records: [
          { port: 8080, target: 'db-0.db.shop.svc.cluster.local' },
          { port: 8080, target: '10-244-0-7.db.shop.svc.cluster.local' },
        ],
      },
    ],
    ['_http._udp.web', 'shop', why('has no port _http._udp')],
    ['10-244-0-7.shop.pod', 'default', { addresses: ['10.244.0.7'], of: 'pod' }],
    ['example.com', 'shop', why('no Service example in namespace com')],
    ['example.com.', 'shop', { type: 'outside' }],
  ])('%s, asked for in %s', (name, namespace, expected) => {
    expect(lookUp(name, namespace, zone).answer).toMatchObject(expected)
  })

  it('tries the search path in order, and names in full alone', () => {
    expect(lookUp('web.shop', 'default', zone).asked).toEqual([
      'web.shop.default.svc.cluster.local',
      'web.shop.svc.cluster.local',
    ])
    expect(lookUp('web.shop.svc.cluster.local', 'default', zone).asked).toEqual(['web.shop.svc.cluster.local'])
  })
})
