import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice, Service } from '#kinds'
import type { Viewpoint } from './categorize.ts'
import { decideTable } from './service-table.ts'
import { decideVerdict, type Frontend } from './verdict.ts'

type Spec = Partial<Service['spec']>

const service = (spec: Spec = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { type: 'ClusterIP', clusterIP: '10.96.0.9', ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...spec },
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

const leaving = { conditions: { ready: false, serving: true, terminating: true } }
const unready = { conditions: { ready: false, serving: false, terminating: false } }
const forZones = (...names: readonly string[]) => ({ hints: { forZones: names.map((name) => ({ name })) } })
const forNodes = (...names: readonly string[]) => ({
  hints: { forNodes: names.map((name) => ({ name })), ...forZones('a').hints },
})

interface Case {
  readonly spec?: Spec
  readonly endpoints: readonly Endpoint[]
  readonly at?: Viewpoint
  readonly frontend?: Frontend
  readonly from?: 'pod' | 'node' | 'outside'
}

/** The last numbers of the addresses that are used, or what happens instead. */
function seen({ spec, endpoints, at = { node: 'node-1' }, frontend = 'ClusterIP', from = 'pod' }: Case): string {
  const table = decideTable(service(spec), [slice(...endpoints)])
  const port = table?.ports[0]
  if (table === undefined || port === undefined) return 'no table'
  const verdict = decideVerdict({ table, port, family: 'IPv4' }, { at, frontend, client: { kind: from } })
  if (verdict.action !== 'balance') return verdict.action
  return verdict.backends.map(({ address }) => address.slice('10.244.0.'.length)).join(' ')
}

const local = { internalTrafficPolicy: 'Local' } as const
const external = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } as const
const inZone = { node: 'node-1', zone: 'a' }

describe('what a node does with traffic for a Service', () => {
  it.each<[string, Case, string]>([
    ['uses ready endpoints', { endpoints: [endpoint(1), endpoint(2, unready)] }, '1'],
    [
      'uses ending ones that serve when no other is left',
      { endpoints: [endpoint(1, leaving), endpoint(2, unready)] },
      '1',
    ],
    ['uses no ending ones while others are ready', { endpoints: [endpoint(1, leaving), endpoint(2)] }, '2'],
    ['refuses when there are no endpoints', { endpoints: [endpoint(1, unready)] }, 'reject'],
    ['takes what is not said as ready', { endpoints: [endpoint(1, { conditions: {} })] }, '1'],
    ['keeps to its own under a Local policy', { spec: local, endpoints: [endpoint(1), endpoint(2)] }, '1'],
    ['keeps to its own that end', { spec: local, endpoints: [endpoint(1, leaving), endpoint(2)] }, '1'],
    ['is silent when a Local policy leaves none', { spec: local, endpoints: [endpoint(2)] }, 'drop'],
    ['refuses when there are none anywhere', { spec: local, endpoints: [] }, 'reject'],
    [
      'keeps traffic from outside to its own',
      { spec: external, endpoints: [endpoint(1), endpoint(2)], frontend: 'NodePort', from: 'outside' },
      '1',
    ],
    [
      'drops traffic from outside when it has none',
      { spec: external, endpoints: [endpoint(2)], frontend: 'LoadBalancer', from: 'outside' },
      'drop',
    ],
    [
      'sends what comes from inside to an external address anywhere',
      { spec: { ...external, ...local }, endpoints: [endpoint(2)], frontend: 'LoadBalancer' },
      '2',
    ],
    [
      'follows hints for its zone',
      { endpoints: [endpoint(1, forZones('b')), endpoint(2, forZones('a', 'c'))], at: inZone },
      '2',
    ],
    [
      'follows hints only when all have them',
      { endpoints: [endpoint(1, forZones('b')), endpoint(2)], at: inZone },
      '1 2',
    ],
    ['follows hints only when one is for its zone', { endpoints: [endpoint(1, forZones('b'))], at: inZone }, '1'],
    ['follows no hints without a zone', { endpoints: [endpoint(1, forZones('a')), endpoint(2, forZones('b'))] }, '1 2'],
    [
      'does not count hints of endpoints that are not ready',
      { endpoints: [endpoint(1, forZones('a')), endpoint(2, unready), endpoint(3, forZones('b'))], at: inZone },
      '1',
    ],
    [
      'follows hints for the node before those for its zone',
      { endpoints: [endpoint(1, forNodes('node-2')), endpoint(2, forNodes('node-1'))], at: inZone },
      '2',
    ],
    [
      'follows hints for its zone where none is for the node',
      {
        endpoints: [
          endpoint(1, forNodes('node-5')),
          endpoint(2, { hints: { ...forNodes('node-6').hints, ...forZones('b').hints } }),
        ],
        at: inZone,
      },
      '1',
    ],
    ['has no table of a headless Service', { spec: { clusterIP: 'None' }, endpoints: [endpoint(1)] }, 'no table'],
    ['has no table of a name', { spec: { type: 'ExternalName' }, endpoints: [endpoint(1)] }, 'no table'],
  ])('%s', (_name, given, expected) => {
    expect(seen(given)).toBe(expected)
  })

  it('keeps families apart, and takes an address once', () => {
    const six: EndpointSlice = { ...slice(endpoint(1, { addresses: ['fd00::1'] })), addressType: 'IPv6' }
    const table = decideTable(service({ clusterIPs: ['10.96.0.9', 'fd00:1::9'] }), [
      slice(endpoint(1, leaving)),
      slice(endpoint(1)),
      six,
    ])
    const port = table?.ports[0]
    if (table === undefined || port === undefined) throw new Error('no table')
    const call = { at: { node: 'node-1' }, frontend: 'ClusterIP', client: { kind: 'pod' } } as const
    const addresses = (['IPv4', 'IPv6'] as const).map((family) =>
      decideVerdict({ table, port, family }, call).backends.map(({ address, ready }) => [address, ready]),
    )
    expect(addresses).toEqual([[['10.244.0.1', true]], [['fd00::1', true]]])
  })

  it.each([
    ['of the same name and protocol', { name: 'http', port: 8080 }, 'balance'],
    ['of another protocol', { name: 'http', port: 8080, protocol: 'UDP' }, 'reject'],
    ['of another name', { name: 'web', port: 8080, protocol: 'TCP' }, 'reject'],
    ['without a number', { name: 'http', port: 0, protocol: 'TCP' }, 'reject'],
  ] as const)('takes a port of a slice %s: %o', (_name, given, expected) => {
    const table = decideTable(service(), [{ ...slice(endpoint(1)), ports: [given] }])
    const port = table?.ports[0]
    if (table === undefined || port === undefined) throw new Error('no table')
    const call = { at: { node: 'node-1' }, frontend: 'ClusterIP', client: { kind: 'pod' } } as const
    expect(decideVerdict({ table, port, family: 'IPv4' }, call).action).toBe(expected)
  })

  it('lets only those use a load balancer who are in its ranges', () => {
    const table = decideTable(service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['203.0.113.0/24'] }), [
      slice(endpoint(1)),
    ])
    const port = table?.ports[0]
    if (table === undefined || port === undefined) throw new Error('no table')
    const actions = ['203.0.113.7', '198.51.100.1'].map(
      (address) =>
        decideVerdict(
          { table, port, family: 'IPv4' },
          { at: { node: 'node-1' }, frontend: 'LoadBalancer', client: { kind: 'outside', address } },
        ).action,
    )
    expect(actions).toEqual(['balance', 'drop'])
  })
})
