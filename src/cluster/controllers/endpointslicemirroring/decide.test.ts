import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Endpoints } from '#kinds'
import { decideMirror } from './decide.ts'

const endpoints = (...subsets: NonNullable<Endpoints['subsets']>): Endpoints => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'front', namespace: 'default', uid: 'e' },
  subsets,
})

const stored = (slices: readonly EndpointSlice[]): readonly EndpointSlice[] =>
  slices.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `front-${i}` } }))

describe('mirrored endpoints', () => {
  const one = endpoints({
    addresses: [{ ip: '192.0.2.1' }],
    notReadyAddresses: [{ ip: '192.0.2.2' }],
    ports: [{ port: 80 }],
  })

  it('carry the addresses and ports of their Endpoints', () => {
    const { create } = decideMirror(one, [])
    expect(create).toHaveLength(1)
    expect(create[0]).toMatchObject({
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['192.0.2.1'], conditions: { ready: true } },
        { addresses: ['192.0.2.2'], conditions: { ready: false } },
      ],
      ports: [{ name: '', port: 80, protocol: 'TCP' }],
    })
    expect(decideMirror(one, stored(create))).toEqual({ create: [], update: [], remove: [], skipped: 0 })
  })

  it('reuse a slice whose ports have changed, and drop what is left over', () => {
    const slices = stored(decideMirror(one, []).create)
    const other = endpoints({ addresses: [{ ip: '192.0.2.3' }], ports: [{ port: 81, name: 'x' }] })
    const { create, update, remove } = decideMirror(other, slices)
    expect([create.length, update.map(({ metadata }) => metadata.name), remove.length]).toEqual([0, ['front-0'], 0])
    expect(decideMirror(endpoints(), slices).remove).toHaveLength(1)
  })

  it('keep address families apart', () => {
    const both = endpoints({ addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }], ports: [{ port: 80 }] })
    expect(
      decideMirror(both, [])
        .create.map(({ addressType }) => addressType)
        .sort(),
    ).toEqual(['IPv4', 'IPv6'])
  })

  it('take the first 1,000 addresses of a subset', () => {
    const addresses = Array.from({ length: 1005 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }))
    const { create, skipped } = decideMirror(endpoints({ addresses, ports: [{ port: 80 }] }), [])
    expect([create.length, create[0]?.endpoints.length, skipped]).toEqual([1, 1000, 5])
  })

  it('puts subsets together as Kubernetes does: each port with all addresses that have it', () => {
    const [a, b] = [
      { port: 80, name: 'web' },
      { port: 443, name: 'tls' },
    ]
    const subsets = endpoints(
      { addresses: [{ ip: '192.0.2.1' }], ports: [a, b] },
      { addresses: [{ ip: '192.0.2.2' }], notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [a] },
    )
    const shown = decideMirror(subsets, []).create.map(({ ports, endpoints: all }) => ({
      ports: ports?.map(({ name }) => name),
      ready: all.map(({ addresses, conditions }) => `${addresses[0]} ${conditions?.ready}`).sort(),
    }))
    expect(shown).toHaveLength(2)
    expect(shown).toEqual(
      expect.arrayContaining([
        { ports: ['tls'], ready: ['192.0.2.1 true'] },
        { ports: ['web'], ready: ['192.0.2.1 false', '192.0.2.2 true'] },
      ]),
    )
  })

  it('lose annotations that their Endpoints have lost', () => {
    const { metadata, ...rest } = one
    const noted = { ...rest, metadata: { ...metadata, annotations: { note: 'a' } } }
    const { update } = decideMirror(one, stored(decideMirror(noted, []).create))
    expect(update.map((slice) => slice.metadata.annotations)).toEqual([undefined])
  })
})
