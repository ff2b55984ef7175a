// Which volumes have to be attached to a node: those of drivers that attach, for the pods that are there. Pure. Follows
// Kubernetes' attach/detach controller.

import { createHash } from 'node:crypto'
import { type AttachableVolume, type NodeStatus, uniqueVolumeName, type VolumeAttachment } from '#kinds'
import { isTerminating } from '#reconcile'

/** The name under which the real controller and its drivers agree on an attachment. */
export const attachmentName = ({ driver, handle }: AttachableVolume, node: string): string =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`

export const newAttachment = (one: AttachableVolume, node: string): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: attachmentName(one, node) },
  spec: { attacher: one.driver, nodeName: node, source: { persistentVolumeName: one.volume } },
})

export interface Observed {
  readonly node: string
  /** What the node's pods need. */
  readonly wanted: readonly AttachableVolume[]
  /** Attachments to this node. */
  readonly attachments: readonly VolumeAttachment[]
  /** Whether a volume is, or is about to be, attached to another node, and may be on one only. */
  readonly isElsewhere: (volume: string) => boolean
  readonly told?: NonNullable<NodeStatus['volumesAttached']>
}

export interface Decision {
  readonly attach: readonly AttachableVolume[]
  /** Volumes that are held by another node. */
  readonly blocked: readonly AttachableVolume[]
  readonly detach: readonly VolumeAttachment[]
  /** What the node's status has to say; undefined when it says so already. */
  readonly volumesAttached?: NonNullable<NodeStatus['volumesAttached']>
  /** Attached since the status was written last. */
  readonly arrived: readonly AttachableVolume[]
}

export function decideAttachments({ node, wanted, attachments, isElsewhere, told = [] }: Observed): Decision {
  const byName = new Map(attachments.map((one) => [one.metadata.name, one]))
  const wantedNames = new Set(wanted.map((one) => attachmentName(one, node)))
  const missing = wanted.filter((one) => !byName.has(attachmentName(one, node)))
  const attached = wanted.filter((one) => byName.get(attachmentName(one, node))?.status?.attached === true)
  const names = attached.map(uniqueVolumeName).sort()
  const known = new Set(told.map(({ name }) => name))
  const isTold = names.length === known.size && names.every((name) => known.has(name))
  return {
    attach: missing.filter(({ volume }) => !isElsewhere(volume)),
    blocked: missing.filter(({ volume }) => isElsewhere(volume)),
    detach: attachments.filter((one) => !wantedNames.has(one.metadata.name ?? '') && !isTerminating(one)),
    ...(isTold ? {} : { volumesAttached: names.map((name) => ({ name, devicePath: '' })) }),
    arrived: attached.filter((one) => !known.has(uniqueVolumeName(one))),
  }
}
