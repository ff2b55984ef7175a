import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { decideReplicas, decideStatus, nextAvailability, type ReplicaOwner } from './decide.ts'

const now = Date.parse('2026-01-01T00:10:00Z')

const set = (replicas: number, more: Partial<ReplicaOwner['spec']> = {}): ReplicaOwner => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'set', namespace: 'default', uid: 'u', generation: 2 },
  spec: { replicas, template: { metadata: { labels: { app: 'set' } } }, ...more },
})

function pod(name: string, ready = true, node = 'a'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, labels: { app: 'set' }, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [], nodeName: node },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:09:55Z' }],
    },
  }
}

const decide = (owner: ReplicaOwner, pods: readonly Pod[], related = pods) =>
  decideReplicas({ set: owner, pods, related: () => related, now })

describe('replicas', () => {
  it('creates what is missing, at most 500 at a time', () => {
    expect(decide(set(3), [pod('a')])).toEqual({ type: 'create', count: 2 })
    expect(decide(set(2000), [])).toEqual({ type: 'create', count: 500 })
    expect(decide(set(1), [pod('a')])).toEqual({ type: 'enough' })
  })

  it('deletes pods that are not ready first, then those that share a node', () => {
    const pods = [pod('a', true, 'x'), pod('b', false, 'y'), pod('c', true, 'x'), pod('d', true, 'z')]
    const names = (decision: ReturnType<typeof decide>) =>
      decision.type === 'delete' ? decision.pods.map(({ metadata }) => metadata.name) : []
    expect(names(decide(set(3), pods))).toEqual(['b'])
    expect(names(decide(set(2), pods))).toEqual(['b', 'a'])
    expect(names(decide(set(3), pods.slice(0, 1).concat(pods.slice(2)), []))).toEqual([])
  })

  it('does nothing for a set that is being deleted', () => {
    const owner = set(3)
    const deleted = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    expect(decide(deleted, [])).toEqual({ type: 'enough' })
  })
})

describe('status', () => {
  it('counts ready and available pods, and is the same object when nothing changed', () => {
    const owner = set(2)
    const status = decideStatus({ set: owner, pods: [pod('a'), pod('b', false)], now })
    expect(status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      observedGeneration: 2,
    })
    expect(decideStatus({ set: { ...owner, status }, pods: [pod('b', false), pod('a')], now })).toBe(status)
  })

  it('waits minReadySeconds before a ready pod is available', () => {
    const owner = set(1, { minReadySeconds: 10 })
    const pods = [pod('a')]
    expect(decideStatus({ set: owner, pods, now })).toMatchObject({ readyReplicas: 1 })
    expect(decideStatus({ set: owner, pods, now }).availableReplicas).toBeUndefined()
    const at = nextAvailability(owner, pods, now) ?? 0
    expect(at - now).toBe(5000)
    expect(decideStatus({ set: owner, pods, now: at }).availableReplicas).toBe(1)
  })

  it('says why pods cannot be created, and takes it back', () => {
    const failed = decideStatus({ set: set(1), pods: [], failure: 'exceeded quota', now })
    expect(failed.conditions).toEqual([
      {
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: 'exceeded quota',
        lastTransitionTime: '2026-01-01T00:10:00Z',
      },
    ])
    expect(decideStatus({ set: { ...set(1), status: failed }, pods: [pod('a')], now }).conditions).toBeUndefined()
  })
})
