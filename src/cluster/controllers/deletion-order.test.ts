import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { inDeletionOrder, rankByNode } from './deletion-order.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

interface Traits {
  readonly node?: string
  readonly phase?: 'Pending' | 'Running'
  readonly ready?: string
  readonly cost?: string
  readonly restarts?: number
  readonly created?: string
}

const pod = (name: string, traits: Traits = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    creationTimestamp: traits.created ?? '2026-01-01T00:00:00Z',
    ...(traits.cost === undefined
      ? {}
      : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': traits.cost } }),
  },
  spec: { containers: [], ...(traits.node === undefined ? {} : { nodeName: traits.node }) },
  status: {
    phase: traits.phase ?? 'Running',
    ...(traits.ready === undefined
      ? {}
      : { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: traits.ready }] }),
    containerStatuses: [{ name: 'app', image: '', imageID: '', ready: true, restartCount: traits.restarts ?? 0 }],
  },
})

const ready = { node: 'n', ready: '2026-01-01T00:00:00Z' }

describe('deletion order', () => {
  it.each<readonly [string, Traits, Traits]>([
    ['without a node', {}, { node: 'n' }],
    ['pending', { node: 'n', phase: 'Pending' }, { node: 'n' }],
    ['not ready', { node: 'n' }, ready],
    ['cheap', { ...ready, cost: '-5' }, ready],
    ['ready for a much shorter time', { ...ready, ready: '2026-01-01T00:59:00Z' }, ready],
    ['restarted more often', { ...ready, restarts: 3 }, { ...ready, restarts: 1 }],
    ['much younger', { ...ready, created: '2026-01-01T00:59:00Z' }, ready],
  ])('first the pod that is %s', (_, first, second) => {
    const order = inDeletionOrder([pod('b', second), pod('a', first)], { now }).map(({ metadata }) => metadata.name)
    expect(order).toEqual(['a', 'b'])
  })

  it('first the pod with more neighbours on its node', () => {
    const pods = [
      pod('a', { ...ready, node: 'x' }),
      pod('b', { ...ready, node: 'y' }),
      pod('c', { ...ready, node: 'y' }),
    ]
    expect(inDeletionOrder(pods, { rankOf: rankByNode(pods), now })[0]?.spec.nodeName).toBe('y')
  })

  it('ages of the same magnitude are told apart by uid', () => {
    const pods = [
      pod('b', { ...ready, ready: '2026-01-01T00:30:00Z' }),
      pod('a', { ...ready, ready: '2026-01-01T00:29:00Z' }),
    ]
    expect(inDeletionOrder(pods, { now }).map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  })
})
