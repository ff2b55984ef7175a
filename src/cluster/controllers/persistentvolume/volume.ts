// What a volume does next: its phase, and what becomes of it when its claim is gone. Pure. Follows syncVolume of Kubernetes'
// persistent volume controller.

import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import type { Happening } from './decide.ts'
import { isOfMode } from './match.ts'
import { hostPathPlugin, isMigrated, plugins, provisionedBy } from './provisioner.ts'
import { recycledSource } from './recycle.ts'

export type Phase = 'Available' | 'Bound' | 'Released' | 'Failed'

export type VolumeStep =
  | { readonly type: 'none' }
  | { readonly type: 'phase'; readonly phase: Phase }
  /** Its claim is gone: it is kept, deleted or recycled, or that cannot be done. */
  | { readonly type: 'released'; readonly reclaim: 'keep' | 'delete' | 'recycle'; readonly failure?: Happening }
  /** Its claim has another one. */
  | { readonly type: 'unbind' }
  | { readonly type: 'mismatch'; readonly ofVolume: Happening; readonly ofClaim: Happening }

/** `named` is the claim that has the name that the volume refers to, if there is one. */
export function decideVolume(volume: PersistentVolume, named: PersistentVolumeClaim | undefined): VolumeStep {
  const reference = volume.spec?.claimRef
  if (reference === undefined || (reference.uid ?? '') === '') return { type: 'phase', phase: 'Available' }
  const claim = named?.metadata.uid === reference.uid ? named : undefined
  if (claim === undefined) return { type: 'released', ...reclaim(volume) }
  const { name = '' } = volume.metadata
  const { volumeName = '' } = claim.spec ?? {}
  if (volumeName === name) return { type: 'phase', phase: 'Bound' }
  if (volumeName === '') return isOfMode(volume, claim) ? { type: 'none' } : mismatch(volume, claim)
  const isOwn = volume.metadata.annotations?.[provisionedBy] !== undefined
  return isOwn && volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? { type: 'released', ...reclaim(volume) }
    : { type: 'unbind' }
}

function mismatch({ metadata }: PersistentVolume, claim: PersistentVolumeClaim): VolumeStep {
  const happening = (message: string): Happening => ({ type: 'Warning', reason: 'VolumeMismatch', message })
  return {
    type: 'mismatch',
    ofVolume: happening(
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`,
    ),
    ofClaim: happening(
      `Cannot bind PersistentVolume "${metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
    ),
  }
}

type Reclaim = Omit<Extract<VolumeStep, { type: 'released' }>, 'type'>

const kept: Reclaim = { reclaim: 'keep' }

function reclaim(volume: PersistentVolume): Reclaim {
  const { metadata, spec } = volume
  const failed = (reason: string, message: string): Reclaim => ({
    reclaim: 'keep',
    failure: { type: 'Warning', reason, message },
  })
  const policy = spec?.persistentVolumeReclaimPolicy ?? 'Retain'
  if (policy === 'Retain' || isMigrated(volume)) return kept
  if (policy === 'Recycle')
    return recycledSource(volume) === undefined
      ? failed('VolumeFailedRecycle', 'No recycler plugin found for the volume!')
      : { reclaim: 'recycle' }
  const provisioner = metadata.annotations?.[provisionedBy] ?? ''
  // Whoever made the volume deletes it.
  const isOutside = provisioner === '' ? spec?.csi !== undefined : !provisioner.startsWith('kubernetes.io/')
  if (isOutside) return kept
  const why = undeletable(volume, provisioner)
  return why === undefined ? { reclaim: 'delete' } : failed('VolumeFailedDelete', why)
}

/** Why nothing built in can delete the volume. */
function undeletable({ metadata, spec }: PersistentVolume, provisioner: string): string | undefined {
  const source = Object.entries(plugins).find(([name]) => spec !== undefined && name in spec)
  const plugin = provisioner || source?.[1]
  if (plugin === hostPathPlugin) {
    const path = spec?.hostPath?.path
    if (path === undefined)
      return `failed to create deleter for volume "${metadata.name}": spec.PersistentVolumeSource.HostPath is nil`
    return /\/tmp\/.+/.test(path) ? undefined : `host_path deleter only supports /tmp/.+ but received provided ${path}`
  }
  if (Object.values(plugins).some((known) => known === plugin)) return told('no deletable volume plugin matched')
  return told(provisioner === '' ? 'no volume plugin matched' : `no volume plugin matched name: ${provisioner}`)

  function told(why: string): string {
    return provisioner === '' ? `error getting deleter volume plugin for volume "${metadata.name}": ${why}` : why
  }
}
