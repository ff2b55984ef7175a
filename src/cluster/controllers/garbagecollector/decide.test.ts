import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#objects'
import { blocks, decideFate, type Owner, type OwnerState } from './decide.ts'

const object = (finalizers: readonly string[] = [], deleted = false): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'p', finalizers, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
})

const owner = (uid: string, state: OwnerState): Owner => ({
  reference: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, blockOwnerDeletion: true },
  state,
})

const child = object(['foregroundDeletion'], true)

describe('the fate of an object', () => {
  it.each<readonly [string, KubeObject, readonly Owner[], readonly KubeObject[], object]>([
    ['stays without owners', object(), [], [], { type: 'stays' }],
    ['stays with an owner that exists', object(), [owner('a', 'solid')], [], { type: 'stays' }],
    [
      'loses an owner that is gone',
      object(),
      [owner('a', 'solid'), owner('b', 'gone')],
      [],
      { type: 'loses', owners: [owner('b', 'gone').reference] },
    ],
    ['loses an owner that waits', object(), [owner('a', 'solid'), owner('b', 'waiting')], [], { type: 'loses' }],
    ['goes with its last owner', object(), [owner('a', 'gone')], [], { type: 'goes', propagationPolicy: 'Background' }],
    [
      'goes when its owner waits',
      object(),
      [owner('a', 'waiting')],
      [],
      { type: 'goes', propagationPolicy: 'Background' },
    ],
    [
      'takes its own dependents first when its owner waits',
      object(),
      [owner('a', 'waiting')],
      [object()],
      { type: 'goes', propagationPolicy: 'Foreground' },
    ],
    [
      'keeps to its own orphan finalizer',
      object(['orphan']),
      [owner('a', 'gone')],
      [],
      { type: 'goes', propagationPolicy: 'Orphan' },
    ],
    ['stays while it is being deleted', object([], true), [owner('a', 'gone')], [], { type: 'stays' }],
    ['breaks a circle', child, [owner('a', 'waiting')], [child], { type: 'unblocks' }],
  ])('%s', (_, of, owners, dependents, fate) => {
    expect(decideFate({ object: of, owners, dependents })).toMatchObject(fate)
  })

  it('only references with blockOwnerDeletion block', () => {
    const dependent = { ...object(), metadata: { ownerReferences: [owner('a', 'solid').reference] } }
    expect(blocks(dependent, { ...object(), metadata: { uid: 'a' } })).toBe(true)
    expect(blocks(dependent, { ...object(), metadata: { uid: 'b' } })).toBe(false)
  })
})
