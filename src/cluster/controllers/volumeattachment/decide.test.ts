import { describe, expect, it } from 'vitest'
import { type AttachableVolume, attachable, type CSIDriver, type PersistentVolume, type VolumeAttachment } from '#kinds'
import { attachmentName, decideAttachments, newAttachment } from './decide.ts'

const one: AttachableVolume = { volume: 'pv', driver: 'd', handle: 'h' }
const attachment = (attached: boolean): VolumeAttachment => ({
  ...newAttachment(one, 'n'),
  ...(attached ? { status: { attached } } : {}),
})
const told = [{ name: 'kubernetes.io/csi/d^h', devicePath: '' }]
const base = { node: 'n', wanted: [one], attachments: [], isElsewhere: () => false, told: [] }

describe('attachments of a node', () => {
  it('are made for what its pods need', () => {
    expect(decideAttachments(base).attach).toEqual([one])
    expect(decideAttachments({ ...base, isElsewhere: () => true })).toMatchObject({ attach: [], blocked: [one] })
    expect(attachmentName(one, 'n')).toMatch(/^csi-[0-9a-f]{64}$/)
  })

  it('are told by the node once they are there', () => {
    expect(decideAttachments({ ...base, attachments: [attachment(false)] })).toEqual({
      attach: [],
      blocked: [],
      detach: [],
      held: [],
      arrived: [],
    })
    expect(decideAttachments({ ...base, attachments: [attachment(true)] })).toMatchObject({
      volumesAttached: told,
      arrived: [one],
    })
    expect(decideAttachments({ ...base, attachments: [attachment(true)], told }).volumesAttached).toBeUndefined()
  })

  it('go when no pod needs them', () => {
    const gone = decideAttachments({ ...base, wanted: [], attachments: [attachment(true)], told })
    expect(gone.detach).toHaveLength(1)
    expect(gone.volumesAttached).toEqual([])
  })

  it('stay while their volume is mounted, unless nobody can say so', () => {
    const name = 'kubernetes.io/csi/d^h'
    const ended = { ...base, wanted: [], attachments: [attachment(true)], told, inUse: [name] }
    expect(decideAttachments(ended)).toMatchObject({ detach: [], held: [{}] })
    expect(decideAttachments(ended).volumesAttached).toBeUndefined()
    expect(decideAttachments({ ...ended, force: () => true })).toMatchObject({
      detach: [{}],
      held: [],
      volumesAttached: [],
    })
  })

  it('are told no more once they go', () => {
    const { metadata, ...going } = attachment(true)
    const deleted = { ...going, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    const ended = { ...base, wanted: [], attachments: [deleted], told, inUse: ['kubernetes.io/csi/d^h'] }
    expect(decideAttachments(ended).volumesAttached).toEqual([])
  })

  it('are for drivers that attach', () => {
    const volume: PersistentVolume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { csi: { driver: 'd', volumeHandle: 'h' } },
    }
    const driver = (attachRequired: boolean): CSIDriver => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd' },
      spec: { attachRequired },
    })
    expect(attachable(volume, () => undefined)).toEqual(one)
    expect(attachable(volume, () => driver(false))).toBeUndefined()
    expect(attachable({ ...volume, spec: { hostPath: { path: '/' } } }, () => undefined)).toBeUndefined()
  })
})
