import { describe, expect, it } from 'vitest'
import type { PodSpec } from '#kinds'
import {
  breachText,
  exemptText,
  existingBreaches,
  isStricter,
  labelFaults,
  type Policy,
  policiesOf,
  privileged,
} from './policy.ts'

const label = (name: string): string => `pod-security.kubernetes.io/${name}`
const plain: PodSpec = { containers: [{ name: 'app', image: 'a' }] }
const policy = (level: Policy['level'], version = 'latest'): Policy => ({ level, version })

describe('policies', () => {
  it.each<[Record<string, string>, Policy, Policy]>([
    [{}, policy('privileged'), policy('privileged')],
    [{ [label('enforce')]: 'baseline' }, policy('baseline'), policy('baseline')],
    [{ [label('warn')]: 'restricted' }, policy('privileged'), policy('restricted')],
    [{ [label('enforce')]: 'baseline', [label('enforce-version')]: '1' }, policy('baseline'), policy('baseline')],
    [{ [label('enforce')]: 'no', [label('warn')]: 'no' }, policy('restricted'), policy('privileged')],
    [
      { [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.30' },
      policy('baseline', 'v1.30'),
      policy('baseline', 'v1.30'),
    ],
  ])('%j', (labels, enforced, warned) => {
    expect(policiesOf(labels, privileged)).toMatchObject({ enforce: enforced, warn: warned })
  })

  it('take what labels leave open from the defaults of the cluster', () => {
    const defaults = { enforce: policy('baseline', 'v1.30'), audit: policy('restricted'), warn: policy('restricted') }
    expect(policiesOf(undefined, defaults)).toEqual(defaults)
    expect(policiesOf({ [label('enforce')]: 'privileged', [label('warn-version')]: 'v1.29' }, defaults)).toEqual({
      enforce: policy('privileged', 'v1.30'),
      audit: policy('restricted'),
      warn: policy('restricted', 'v1.29'),
    })
  })

  it('of an exempt namespace are told where they ask for something', () => {
    const labels = { [label('enforce')]: 'baseline', [label('audit')]: 'privileged' }
    expect(exemptText('demo', labels, privileged)).toBe(
      'namespace "demo" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored',
    )
    expect(exemptText('demo', { [label('enforce')]: 'privileged' }, privileged)).toBeUndefined()
  })

  it('are stricter by level or in another version', () => {
    expect(isStricter(policy('baseline'), policy('privileged'))).toBe(true)
    expect(isStricter(policy('baseline'), policy('restricted'))).toBe(false)
    expect(isStricter(policy('baseline', 'v1.30'), policy('restricted'))).toBe(true)
    expect(isStricter(policy('privileged'), policy('baseline'))).toBe(false)
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
  const many = Array.from({ length: 3001 }, (_, i) => ({ name: `web-${i}`, spec: plain, owner: 'web' }))
  const late = { name: 'zoo', spec: shared, owner: 'zoo' }
  expect(existingBreaches('demo', [...many, late], policy('baseline'))).toEqual([
    'new PodSecurity enforce level only checked against the first 3000 of 3002 existing pods',
    'existing pods in namespace "demo" violate the new PodSecurity enforce level "baseline:latest"',
    'zoo: host namespaces',
  ])
})
