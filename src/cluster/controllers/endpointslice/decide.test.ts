import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Node, Pod, Service, ServiceSpec } from '#kinds'
import { decideSlices } from './decide.ts'

const service = (spec: Partial<ServiceSpec> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'front', namespace: 'default', uid: 's', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    clusterIP: '10.96.0.10',
    ipFamilies: ['IPv4'],
    selector: { app: 'ep' },
    ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
    ...spec,
  },
})

const pod = (name: string, ip: string, status: Partial<Pod['status'] & object> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name, labels: { app: 'ep' } },
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] }],
  },
  status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }], ...status },
})

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
  spec: {},
}

const decide = (pods: readonly Pod[], slices: readonly EndpointSlice[] = [], of = service()) =>
  decideSlices({ service: of, pods, slices, nodeOf: (name) => (name === 'n1' ? node : undefined) })

/** As the server would have stored what was created. */
const stored = (slices: readonly EndpointSlice[]): readonly EndpointSlice[] =>
  slices.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `front-${i}`, uid: `slice${i}` } }))

describe('endpoint slices', () => {
  it('says of a ready pod where it is and who it is', () => {
    const { create } = decide([pod('a', '192.0.2.1')])
    expect(create).toHaveLength(1)
    expect(create[0]).toMatchObject({
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['192.0.2.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'n1',
          zone: 'z1',
          targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'a' },
        },
      ],
    })
    expect(create[0]?.metadata.annotations).toEqual({
      'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z',
    })
  })

  it('writes nothing when nothing changed', () => {
    const pods = [pod('a', '192.0.2.1'), pod('b', '192.0.2.2', { conditions: [] })]
    expect(decide(pods, stored(decide(pods).create))).toEqual({
      create: [],
      update: [],
      remove: [],
      skipped: [],
      hints: [],
    })
  })

  it('keeps one empty slice, and reuses it', () => {
    const empty = stored(decide([]).create)
    expect(empty).toHaveLength(1)
    expect(decide([], empty)).toMatchObject({ create: [], update: [], remove: [] })
    const filled = decide([pod('a', '192.0.2.1')], empty)
    expect(filled).toMatchObject({ create: [], remove: [] })
    expect(filled.update.map((slice) => slice.metadata.name)).toEqual(['front-0'])
    expect(decide([], stored(filled.update)).update[0]).toMatchObject({ endpoints: null, ports: null })
  })

  it('spreads pods over slices of 100 and fills gaps before it makes another', () => {
    const many = Array.from({ length: 150 }, (_, i) => pod(`p${String(i).padStart(3, '0')}`, `192.0.2.${i}`))
    const slices = stored(decide(many).create)
    expect(slices.map((slice) => slice.endpoints.length)).toEqual([100, 50])
    const more = decide([...many, pod('q', '192.0.3.1')], slices)
    expect(more).toMatchObject({ create: [], remove: [] })
    expect(more.update.map((slice) => [slice.metadata.name, slice.endpoints.length])).toEqual([['front-1', 51]])
  })

  it('puts pods whose named port differs into slices of their own', () => {
    const other = pod('b', '192.0.2.2')
    const containers = [{ name: 'app', ports: [{ name: 'http', containerPort: 9090, protocol: 'TCP' as const }] }]
    const { create } = decide([pod('a', '192.0.2.1'), { ...other, spec: { ...other.spec, containers } }])
    expect(create.map((slice) => slice.ports?.[0]?.port)).toEqual([8080, 9090])
  })

  it('orders ports as Kubernetes does', () => {
    const of = service({
      ports: [
        { name: 'web', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' },
        { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
        { name: 'plain', port: 99, protocol: 'TCP' },
      ],
    })
    expect(decide([pod('a', '192.0.2.1')], [], of).create[0]?.ports?.map(({ name }) => name)).toEqual([
      'web',
      'plain',
      'dns',
    ])
  })

  it.each<readonly [string, Pod, Service, object]>([
    [
      'not ready',
      pod('a', '192.0.2.1', { conditions: [] }),
      service(),
      { ready: false, serving: false, terminating: false },
    ],
    [
      'published although not ready',
      pod('a', '192.0.2.1', { conditions: [] }),
      service({ publishNotReadyAddresses: true }),
      { ready: true, serving: false, terminating: false },
    ],
    [
      'terminating',
      { ...pod('a', '192.0.2.1'), metadata: { ...pod('a', '').metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      service(),
      { ready: false, serving: true, terminating: true },
    ],
  ])('shows a pod that is %s', (_, one, of, conditions) => {
    expect(decide([one], [], of).create[0]?.endpoints[0]?.conditions).toEqual(conditions)
  })

  it('leaves out finished pods and pods of unknown nodes', () => {
    const lost = pod('c', '192.0.2.3')
    const { create, skipped } = decide([
      pod('a', '192.0.2.1', { phase: 'Succeeded' }),
      { ...lost, spec: { ...lost.spec, nodeName: 'gone' } },
      pod('b', '192.0.2.2'),
    ])
    expect(create[0]?.endpoints.map(({ targetRef }) => targetRef?.name)).toEqual(['b'])
    expect(skipped.map(({ metadata }) => metadata.name)).toEqual(['c'])
  })
})
