import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice, Node } from '#kinds'
import { addHints, type Slices, wantsAutoHints } from './hints.ts'
import { cpuRatios, isOverloaded } from './topology.ts'

const slice = (zones: readonly (string | undefined)[], hints: readonly string[] = [], name = 'x'): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name },
  addressType: 'IPv4',
  ports: [],
  endpoints: zones.map((zone, i): Endpoint => {
    const hint = hints[i]
    return {
      addresses: [`10.0.0.${i}`],
      conditions: { ready: true },
      ...(zone === undefined ? {} : { zone }),
      ...(hint === undefined ? {} : { hints: { forZones: [{ name: hint }] } }),
    }
  }),
})

const hintsOf = ({ endpoints }: EndpointSlice): readonly (string | undefined)[] =>
  endpoints.map(({ hints }) => hints?.forZones?.[0]?.name)
const none: Slices = { create: [], update: [], unchanged: [] }
const even = new Map([
  ['a', 0.5],
  ['b', 0.5],
])

const node = (zone: string | undefined, cpu: string, ready = true, labels = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n',
    labels: { ...labels, ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }) },
  },
  spec: {},
  status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

describe('hints by annotation', () => {
  it('are for the own zone of each endpoint where that is fair', () => {
    const { create, counts, problem } = addHints({ ...none, create: [slice(['a', 'a', 'b', 'b'])] }, even)
    expect(create.map(hintsOf)).toEqual([['a', 'a', 'b', 'b']])
    expect([[...(counts ?? [])], problem]).toEqual([
      [
        ['a', 2],
        ['b', 2],
      ],
      undefined,
    ])
  })

  it('give endpoints to a zone that has too few', () => {
    const { create } = addHints({ ...none, create: [slice(['a', 'a', 'a', 'a', 'a', 'b'])] }, even)
    expect(create.map(hintsOf)).toEqual([['b', 'b', 'a', 'a', 'a', 'b']])
  })

  it('leave slices alone that are fair, and rewrite those that are not', () => {
    const fair = slice(['a', 'b'], ['a', 'b'], 'fair')
    const same = addHints({ ...none, unchanged: [fair] }, even)
    expect([same.update, [...(same.counts ?? [])]]).toEqual([
      [],
      [
        ['a', 1],
        ['b', 1],
      ],
    ])
    const bare = slice(['a', 'b'], [], 'bare')
    expect(addHints({ ...none, unchanged: [fair, bare] }, even).update.map(hintsOf)).toEqual([['a', 'b']])
  })

  it('are for ready endpoints only', () => {
    const [first, second] = slice(['a', 'b']).endpoints
    const away: Endpoint = { addresses: ['10.0.0.9'], conditions: { ready: false }, zone: 'a' }
    const mixed = { ...slice([]), endpoints: [first, away, second].filter((one) => one !== undefined) }
    expect(addHints({ ...none, create: [mixed] }, even).create.map(hintsOf)).toEqual([['a', undefined, 'b']])
  })

  it.each<[string, Slices, ReadonlyMap<string, number> | undefined, string]>([
    [
      'without zones of nodes',
      { ...none, create: [slice(['a', 'b'])] },
      undefined,
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
    ],
    [
      'with one endpoint',
      { ...none, create: [slice(['a'])] },
      even,
      'Insufficient number of endpoints (1 endpoints, 2 zones)',
    ],
    [
      'when shares cannot be met',
      { ...none, create: [slice(['a', 'a', 'a', 'a'])] },
      new Map([
        ['a', 0.34],
        ['b', 0.33],
        ['c', 0.33],
      ]),
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)',
    ],
    [
      'with an endpoint without zone',
      { ...none, create: [slice(['a', undefined, 'b', 'b'])] },
      even,
      'One or more endpoints do not have a zone specified',
    ],
  ])('are not given %s', (_name, slices, ratios, expected) => {
    const old = slice(['a', 'b'], ['a', 'b'], 'old')
    const { problem, create, counts } = addHints(slices, ratios)
    expect([problem, counts, create.flatMap(hintsOf).filter((zone) => zone !== undefined)]).toEqual([
      expected,
      undefined,
      [],
    ])
    const removed = addHints({ ...none, unchanged: [old] }, undefined).update
    expect(removed.map(hintsOf)).toEqual([[undefined, undefined]])
  })

  it('follow either annotation, the older one first', () => {
    const wants = (annotations: Readonly<Record<string, string>>): boolean =>
      wantsAutoHints({ apiVersion: 'v1', kind: 'Service', metadata: { annotations }, spec: {} })
    const [mode, older] = ['service.kubernetes.io/topology-mode', 'service.kubernetes.io/topology-aware-hints']
    expect([
      wants({ [mode]: 'Auto' }),
      wants({ [older]: 'auto' }),
      wants({ [mode]: 'Auto', [older]: 'Disabled' }),
    ]).toEqual([true, true, false])
  })
})

describe('shares of CPU', () => {
  it('count ready nodes that are no control plane', () => {
    const control = { 'node-role.kubernetes.io/control-plane': '' }
    const nodes = [node('a', '1'), node('b', '3'), node('b', '4', false), node(undefined, '9', true, control)]
    expect([...(cpuRatios(nodes) ?? [])]).toEqual([
      ['a', 0.25],
      ['b', 0.75],
    ])
    expect(cpuRatios([node('a', '1'), node(undefined, '1')])).toBe(undefined)
    expect(cpuRatios([node('a', '1'), node('a', '1')])).toBe(undefined)
  })

  it('say when a zone has too few endpoints', () => {
    expect(
      isOverloaded(
        new Map([
          ['a', 5],
          ['b', 5],
        ]),
        even,
      ),
    ).toBe(false)
    expect(
      isOverloaded(
        new Map([
          ['a', 5],
          ['b', 5],
        ]),
        new Map([
          ['a', 0.8],
          ['b', 0.2],
        ]),
      ),
    ).toBe(true)
    expect(isOverloaded(new Map([['a', 5]]), even)).toBe(true)
  })
})
