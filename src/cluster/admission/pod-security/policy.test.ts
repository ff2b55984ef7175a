import { describe, expect, it } from 'vitest'
import type { PodSpec } from '#kinds'
import { breachText, existingBreaches, isStricter, labelFaults, type Policy, policyOf, warnedOf } from './policy.ts'

const label = (name: string): string => `pod-security.kubernetes.io/${name}`
const plain: PodSpec = { containers: [{ name: 'app', image: 'a' }] }
const policy = (level: Policy['level'], version = 'latest'): Policy => ({ level, version })

describe('policies', () => {
  it.each<[Record<string, string>, Policy | undefined, Policy | undefined]>([
    [{}, undefined, undefined],
    [{ [label('enforce')]: 'baseline' }, policy('baseline'), policy('baseline')],
    [{ [label('warn')]: 'restricted' }, undefined, policy('restricted')],
    [{ [label('enforce')]: 'no', [label('warn')]: 'no' }, policy('restricted'), policy('privileged')],
    [
      { [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.30' },
      policy('baseline', 'v1.30'),
      policy('baseline', 'v1.30'),
    ],
  ])('%j', (labels, enforced, warned) => {
    expect(policyOf(labels, 'enforce')).toEqual(enforced)
    expect(warnedOf(labels)).toEqual(warned)
  })

  it('are stricter by level or in another version', () => {
    expect(isStricter(policy('baseline'), undefined)).toBe(true)
    expect(isStricter(policy('baseline'), policy('restricted'))).toBe(false)
    expect(isStricter(policy('baseline', 'v1.30'), policy('restricted'))).toBe(true)
    expect(isStricter(policy('privileged'), undefined)).toBe(false)
  })

  it('are asked for by labels that can be read', () => {
    const faults = labelFaults({ [label('enforce')]: 'strict', [label('warn-version')]: '1.30' })
    expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"',
    ])
  })
})

it('hosts of probes are refused since 1.34', () => {
  const probing: PodSpec = {
    containers: [{ name: 'app', image: 'a', livenessProbe: { httpGet: { host: 'example.com', port: 80 } } }],
  }
  expect(breachText(probing, policy('baseline'))).toBe(
    'PodSecurity "baseline:latest": probe or lifecycle host (container "app" uses probe or lifecycle host "example.com")',
  )
  expect(breachText(probing, policy('baseline', 'v1.33'))).toBeUndefined()
})

it('what is there already is warned of once for pods of a kind', () => {
  const shared: PodSpec = { ...plain, hostNetwork: true }
  const pods = [
    { name: 'web-2', spec: shared },
    { name: 'web-1', spec: shared },
    { name: 'api', spec: plain },
  ]
  expect(existingBreaches('demo', pods, policy('baseline'))).toEqual([
    'existing pods in namespace "demo" violate the new PodSecurity enforce level "baseline:latest"',
    'web-1 (and 1 other pod): host namespaces',
  ])
  expect(existingBreaches('demo', [{ name: 'api', spec: plain }], policy('baseline'))).toEqual([])
})
