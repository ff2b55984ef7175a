import { describe, expect, it } from 'vitest'
import type { Pod, ResourceV1ResourceClaim as ResourceClaim } from '#kinds'
import { decideClaim, finalizer, generateNameFor } from './decide.ts'

const allocation = { devices: { results: [] } }
const by = (...names: readonly string[]) => names.map((name) => ({ resource: 'pods', name, uid: name }))

const claim = (status: ResourceClaim['status'], metadata: object = {}): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c', namespace: 'demo', finalizers: [finalizer], ...metadata },
  spec: {},
  ...(status === undefined ? {} : { status }),
})

const pod = (name: string, phase: 'Running' | 'Succeeded' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name },
  spec: { containers: [], nodeName: 'n' },
  status: { phase },
})
const pods: Readonly<Record<string, Pod>> = { runs: pod('runs'), ended: pod('ended', 'Succeeded') }
const decide = (one: ResourceClaim) => decideClaim(one, (name) => pods[name])

describe('a ResourceClaim', () => {
  it('is left alone while its consumers run', () => {
    expect(decide(claim({ allocation, reservedFor: by('runs') }))).toEqual({ dropsFinalizer: false, isUnused: false })
  })

  it('loses consumers that have ended or gone', () => {
    expect(decide(claim({ allocation, reservedFor: by('runs', 'ended', 'gone') }))).toEqual({
      status: { allocation, reservedFor: by('runs') },
      dropsFinalizer: false,
      isUnused: false,
    })
  })

  it('gives its devices back with the last one', () => {
    expect(decide(claim({ allocation, reservedFor: by('ended') }))).toEqual({
      status: {},
      dropsFinalizer: true,
      isUnused: false,
    })
  })

  it('keeps devices that it was given without a consumer, until it is deleted', () => {
    expect(decide(claim({ allocation }))).toEqual({ dropsFinalizer: false, isUnused: false })
    expect(decide(claim({ allocation }, { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toEqual({
      status: {},
      dropsFinalizer: true,
      isUnused: false,
    })
  })

  it('that was made for a pod which has ended is not needed', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'ended', uid: 'ended', controller: true }]
    expect(decide(claim(undefined, { ownerReferences })).isUnused).toBe(true)
  })

  it('has a name of the pod and the claim, both shortened where it would be too long', () => {
    expect(generateNameFor('web', 'gpu')).toBe('web-gpu-')
    expect(generateNameFor('p'.repeat(80), 'c'.repeat(20))).toBe(`${'p'.repeat(44)}-${'c'.repeat(11)}`)
  })
})
