import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { begunClaim, claimForNode, decideResizing, resizedClaim, resizedVolume, tidiedVolume } from './resizing.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const volume = (spec: PersistentVolume['spec'] = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { csi: { driver: 'd', volumeHandle: 'h' }, capacity: { storage: '1Gi' }, claimRef: { uid: 'u' }, ...spec },
})
const claim = (wants: string, has: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', uid: 'u' },
  spec: { resources: { requests: { storage: wants } }, volumeName: 'v' },
  status: { phase: 'Bound', capacity: { storage: has } },
})
const { csi: _csi, ...local } = volume().spec ?? {}

describe('a claim', () => {
  it.each<readonly [string, string, PersistentVolume | undefined, string]>([
    ['1Gi', '1Gi', volume(), 'nothing'],
    ['2Gi', '1Gi', volume(), 'begin'],
    ['2Gi', '1Gi', { ...volume(), spec: local }, 'nothing'],
    ['2Gi', '1Gi', volume({ claimRef: { uid: 'other' } }), 'nothing'],
    ['2Gi', '1Gi', undefined, 'nothing'],
  ])('that wants %s and has %s', (wants, has, of, type) => {
    expect(decideResizing(claim(wants, has), of).type).toBe(type)
  })

  it('with a file system is served in steps, and its node does the last one', () => {
    const begun = begunClaim(claim('2Gi', '1Gi'), now)
    expect(begun.status).toMatchObject({
      allocatedResources: { storage: '2Gi' },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
    })
    const finish = decideResizing(begun, volume())
    expect(finish).toEqual({ type: 'finish', size: '2Gi', needsNode: true })
    if (finish.type !== 'finish') return
    const resized = resizedVolume(volume(), begun, finish)
    expect(resized.spec?.capacity).toEqual({ storage: '2Gi' })
    expect(resized.metadata.annotations).toEqual({ 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' })
    expect(resizedVolume(resized, begun, finish)).toBe(resized)
    const waiting = claimForNode(begun, now)
    expect(waiting.status?.conditions?.map(({ type }) => type)).toEqual(['Resizing', 'FileSystemResizePending'])
    expect(decideResizing(waiting, resized)).toEqual({ type: 'nothing' })
    const grown = claim('2Gi', '2Gi')
    expect(decideResizing(grown, resized)).toEqual({ type: 'tidy' })
    expect(decideResizing(grown, tidiedVolume(resized))).toEqual({ type: 'nothing' })
  })

  it('of a block device is done with its volume', () => {
    const begun = begunClaim(claim('2Gi', '1Gi'), now)
    expect(decideResizing(begun, volume({ volumeMode: 'Block' }))).toMatchObject({ needsNode: false })
    expect(resizedClaim(begun, '2Gi')).toMatchObject({
      metadata: { annotations: { 'volume.kubernetes.io/node-expansion-not-required': 'true' } },
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, allocatedResources: { storage: '2Gi' } },
    })
    expect(resizedClaim(begun, '2Gi').status?.conditions).toBeUndefined()
  })
})
