import { describe, expect, it } from 'vitest'
import type { Pod, PodSpec } from '#kinds'
import { fullNameFault, fullNameOf, hostnameOf } from './host-name.ts'
import { dnsOf, resolvConf } from './pod-dns.ts'

const pod = (spec: Partial<PodSpec> = {}, name = 'web'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo' },
  spec: { containers: [], ...spec },
})

const cluster =
  'search demo.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n'

describe('where a pod asks for names', () => {
  it.each<readonly [string, Partial<PodSpec>, string]>([
    ['the cluster', {}, cluster],
    ['its node, in whose network it is', { hostNetwork: true }, 'nameserver 10.0.0.2\n'],
    ['the cluster all the same', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, cluster],
    ['its node', { dnsPolicy: 'Default' }, 'nameserver 10.0.0.2\n'],
    [
      'where it says',
      { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'edns0' }] } },
      'search a.b\nnameserver 1.1.1.1\noptions edns0\n',
    ],
    [
      'elsewhere too',
      { dnsConfig: { searches: ['svc.cluster.local', 'a.b'], options: [{ name: 'ndots', value: '2' }] } },
      'search demo.svc.cluster.local svc.cluster.local cluster.local a.b\nnameserver 10.96.0.10\noptions ndots:2\n',
    ],
  ])('%s', (_, spec, text) => {
    const { dns, omissions } = dnsOf(pod(spec))
    expect([resolvConf(dns), omissions]).toEqual([text, []])
  })

  it('tells what there was no room for', () => {
    const searches = Array.from({ length: 30 }, (_, i) => `s${i}`)
    const { dns, omissions } = dnsOf(pod({ dnsConfig: { nameservers: ['1.1.1.1', '8.8.8.8', '9.9.9.9'], searches } }))
    expect([dns.nameservers.length, dns.searches.length]).toEqual([3, 32])
    expect(omissions).toEqual([
      'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 1.1.1.1 8.8.8.8',
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${dns.searches.join(' ')}`,
    ])
  })

  it('keeps the line short enough', () => {
    const searches = Array.from({ length: 12 }, (_, i) => `${i}${'x'.repeat(200)}`)
    expect(dnsOf(pod({ dnsConfig: { searches: [...searches, 'y'.repeat(254)] } })).dns.searches).toHaveLength(12)
  })
})

describe('the name of a pod', () => {
  it.each<readonly [string, Pod, string, string | undefined]>([
    ['its own', pod(), 'web', undefined],
    ['what it says', pod({ hostname: 'front', subdomain: 'svc' }), 'front', 'front.svc.demo.svc.cluster.local'],
    ['that of its node', pod({ hostNetwork: true, subdomain: 'svc' }), 'node-0', undefined],
    ['no more than fits', pod({}, `${'a'.repeat(62)}.b`), 'a'.repeat(62), undefined],
  ])('%s', (_, one, short, full) => {
    expect([hostnameOf(one, 'node-0'), fullNameOf(one, 'node-0')]).toEqual([short, full])
  })

  it('in full has to fit into the kernel', () => {
    const long = pod({ hostname: 'h'.repeat(40), subdomain: 'svc', setHostnameAsFQDN: true })
    const full = `${'h'.repeat(40)}.svc.demo.svc.cluster.local`
    expect(fullNameFault(long, 'node-0')).toBe(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long (64 characters is the max, 67 characters requested)`,
    )
    expect(fullNameFault({ ...long, spec: { ...long.spec, setHostnameAsFQDN: false } }, 'node-0')).toBeUndefined()
  })
})
