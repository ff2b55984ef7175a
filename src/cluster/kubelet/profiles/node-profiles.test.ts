import { describe, expect, it } from 'vitest'
import type { NodeProfile, NodeProfileSpec } from '#kinds'
import { NodeProfiles } from './node-profiles.ts'

const profile = (name: string, spec: NodeProfileSpec): NodeProfile => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'NodeProfile',
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
})

function factsOf(specs: readonly NodeProfileSpec[], node = 'node-0', labels: Readonly<Record<string, string>> = {}) {
  const profiles = new NodeProfiles()
  profiles.use(specs.map((spec, i) => profile(`p${i}`, spec)))
  return profiles.of(node, labels)
}

describe('what NodeProfiles say of a node', () => {
  it('is for the nodes that they match', () => {
    const match = { nodes: ['edge-*'], nodeSelector: { matchLabels: { rack: 'a' } } }
    const specs = [{ match, resources: { 'example.com/gpu': 1 } }]
    expect(factsOf(specs, 'edge-1', { rack: 'a' }).resources).toEqual({ 'example.com/gpu': '1' })
    expect(factsOf(specs, 'edge-1', { rack: 'b' }).resources).toEqual({})
    expect(factsOf(specs, 'node-0', { rack: 'a' }).resources).toEqual({})
  })

  it('is field by field what the most important says, and all that lists hold', () => {
    const facts = factsOf([
      { priority: 1, evictionHard: { 'memory.available': '1Gi' }, files: [{ path: '/data/', type: 'File' }] },
      {
        priority: 2,
        files: [{ path: '/data' }, { path: '/other', type: 'Socket' }],
        resources: { 'example.com/a': 1 },
        imagefsCapacity: '1Ki',
      },
      { evictionHard: { 'memory.available': '5Gi' }, resources: { 'example.com/a': 7, 'example.com/b': 2 } },
    ])
    expect(facts).toMatchObject({
      thresholds: [{ signal: 'memory.available', value: '1Gi', gracePeriodMs: 0 }],
      imagefsCapacity: 1024,
      resources: { 'example.com/a': '1', 'example.com/b': '2' },
    })
    expect([...facts.files]).toEqual([
      ['/data', 'Directory'],
      ['/other', 'Socket'],
    ])
  })

  it('takes soft thresholds and their grace periods from one profile, beside the usual hard ones', () => {
    const { thresholds, maxPodGraceSeconds } = factsOf([
      { priority: 1, evictionSoft: { 'pid.available': '20%' }, evictionSoftGracePeriod: { 'pid.available': '2m' } },
      {
        evictionSoft: { 'pid.available': '30%' },
        evictionSoftGracePeriod: { 'pid.available': '1m' },
        evictionMinimumReclaim: { 'pid.available': '5%', 'memory.available': '1Gi' },
        evictionMaxPodGracePeriod: 60,
      },
    ])
    expect(thresholds).toHaveLength(6)
    expect(thresholds).toContainEqual({
      signal: 'memory.available',
      value: '100Mi',
      gracePeriodMs: 0,
      minimumReclaim: '1Gi',
    })
    expect(thresholds.at(-1)).toEqual({
      signal: 'pid.available',
      value: '20%',
      gracePeriodMs: 120_000,
      minimumReclaim: '5%',
    })
    expect(maxPodGraceSeconds).toBe(60)
  })

  it('begins its curves when the profile was made', () => {
    const { memory } = factsOf([{ usage: { memory: [{ value: '1Ki' }] } }]).usage
    expect(memory).toEqual({
      since: Date.parse('2026-01-01T00:00:00Z'),
      points: [{ fromSeconds: 0, value: 1024, ramp: false }],
    })
  })
})
