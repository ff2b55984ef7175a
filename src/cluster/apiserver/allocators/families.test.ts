import { describe, expect, it } from 'vitest'
import type { ServiceSpec } from '#kinds'
import { decideFamilies } from './families.ts'

const spec = (more: object): ServiceSpec => ({ type: 'ClusterIP', selector: { app: 'a' }, ...more }) as ServiceSpec
const texts = (given: ServiceSpec, before?: ServiceSpec): readonly string[] =>
  decideFamilies(given, before).faults.map(({ field, message }) => `${field}: ${message}`)

const two = { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7', 'fd00::1'] }
const multiple = (what: string) =>
  `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
const ipv6 = 'spec.clusterIPs[1]: Invalid value: ["10.96.0.7","fd00::1"]: IPv6 is not configured on this cluster'

describe('decideFamilies', () => {
  it.each<[object, object]>([
    [{}, { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }],
    [{ ipFamilyPolicy: 'PreferDualStack' }, { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4'] }],
    [{ clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'] }, { ipFamilies: ['IPv4'] }],
    [
      { selector: {}, clusterIP: 'None', clusterIPs: ['None'] },
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    ],
    [
      {
        selector: {},
        clusterIP: 'None',
        clusterIPs: ['None'],
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv6'],
      },
      { ipFamilies: ['IPv6', 'IPv4'] },
    ],
    [
      { clusterIP: 'None', clusterIPs: ['None'] },
      { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
    ],
  ])('of %j are %j', (given, expected) => {
    expect(decideFamilies(spec(given), undefined)).toMatchObject({ faults: [], spec: expected })
  })

  it.each<[object, readonly string[]]>([
    [two, [multiple('cluster IPs'), ipv6]],
    [{ ...two, ipFamilyPolicy: 'PreferDualStack' }, [ipv6]],
    [{ ipFamilies: ['IPv4', 'IPv6'] }, [multiple('IP families')]],
    [{ ipFamilies: ['IPv6'] }, ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster']],
    [
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
      ],
    ],
    [
      { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'], ipFamilies: ['IPv6'] },
      ['spec.clusterIPs[0]: Invalid value: "10.96.0.7": expected an IPv6 value as indicated by `ipFamilies[0]`'],
    ],
  ])('refuses %j', (given, expected) => {
    expect(texts(spec(given))).toEqual(expected)
  })

  it('keeps the policy that there was, and what a preferred one had', () => {
    const had = spec({
      ipFamilyPolicy: 'PreferDualStack',
      ipFamilies: ['IPv4'],
      clusterIP: '10.96.0.7',
      clusterIPs: ['10.96.0.7'],
    })
    const { ipFamilyPolicy: _policy, ...silent } = had
    expect(decideFamilies(silent, had).spec.ipFamilyPolicy).toBe('PreferDualStack')
    expect(decideFamilies(had, had).spec).toBe(had)
  })

  it('lets go of a second family only for whoever says so', () => {
    const had = spec({ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'], ...two })
    const less = { ...had, ipFamilies: ['IPv4'], clusterIPs: ['10.96.0.7'] } as ServiceSpec
    expect(texts(less, had)).toEqual([
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary cluster IP`,
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
    ])
    const single = decideFamilies({ ...had, ipFamilyPolicy: 'SingleStack' } as ServiceSpec, had)
    expect(single).toMatchObject({ faults: [], spec: { clusterIPs: ['10.96.0.7'], ipFamilies: ['IPv4'] } })
  })
})
