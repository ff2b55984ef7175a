import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { decideResizing, resizedStatus, resizingStatus } from './resizing.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const volume: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { csi: { driver: 'd', volumeHandle: 'h' } },
}
const claim = (wants: string, has: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c' },
  spec: { resources: { requests: { storage: wants } }, volumeName: 'v' },
  status: { phase: 'Bound', capacity: { storage: has } },
})

describe('a claim', () => {
  it.each<readonly [string, string, PersistentVolume | undefined, string]>([
    ['1Gi', '1Gi', volume, 'nothing'],
    ['2Gi', '1Gi', volume, 'begin'],
    ['2Gi', '1Gi', { ...volume, spec: { hostPath: { path: '/' } } }, 'nothing'],
    ['2Gi', '1Gi', undefined, 'nothing'],
  ])('that wants %s and has %s', (wants, has, of, type) => {
    expect(decideResizing(claim(wants, has), of).type).toBe(type)
  })

  it('is served in two steps', () => {
    const begun = { ...claim('2Gi', '1Gi'), status: resizingStatus(claim('2Gi', '1Gi'), now) }
    expect(decideResizing(begun, volume)).toEqual({ type: 'finish', size: '2Gi' })
    expect(resizedStatus(begun, '2Gi')).toEqual({ phase: 'Bound', capacity: { storage: '2Gi' } })
  })
})
