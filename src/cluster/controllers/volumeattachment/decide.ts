// Which volumes have to be attached to a node: those of drivers that attach, for the pods that are there. Pure. Follows
// Kubernetes' attach/detach controller.

import { createHash } from 'node:crypto'
import { type AttachableVolume, type NodeStatus, uniqueVolumeName, type VolumeAttachment } from '#kinds'
import { isTerminating } from '#reconcile'

/** Of a volume by its unique name, which ends in driver and handle. */
function attachmentNameOf(unique: string, node: string): string {
  const [driver = '', ...handle] = unique.replace('kubernetes.io/csi/', '').split('^')
  return attachmentName({ driver, handle: handle.join('^'), volume: '' }, node)
}

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
  /** Volumes that the kubelet has not let go yet, by their unique names. */
  readonly inUse?: readonly string[]
  /** Nobody can be asked whether they are still mounted. */
  readonly force?: (attachment: VolumeAttachment) => boolean
}

export interface Decision {
  readonly attach: readonly AttachableVolume[]
  /** Volumes that are held by another node. */
  readonly blocked: readonly AttachableVolume[]
  readonly detach: readonly VolumeAttachment[]
  /** Needed no more, but still mounted. */
  readonly held: readonly VolumeAttachment[]
  /** What the node's status has to say; undefined when it says so already. */
  readonly volumesAttached?: NonNullable<NodeStatus['volumesAttached']>
  /** Attached since the status was written last. */
  readonly arrived: readonly AttachableVolume[]
}

/** A detach waits so long for a node that does not answer. */
export const forceDetachMs = 360_000

export function decideAttachments(observed: Observed): Decision {
  const { node, wanted, attachments, isElsewhere, told = [], inUse = [], force = () => false } = observed
  const byName = new Map(attachments.map((one) => [one.metadata.name, one]))
  const wantedNames = new Set(wanted.map((one) => attachmentName(one, node)))
  const missing = wanted.filter((one) => !byName.has(attachmentName(one, node)))
  const attached = wanted.filter((one) => byName.get(attachmentName(one, node))?.status?.attached === true)
  // What is mounted stays attached until its kubelet has let it go, or cannot be asked.
  const kept = inUse.filter((name) => {
    const one = byName.get(attachmentNameOf(name, node))
    return (
      one?.status?.attached === true &&
      (wantedNames.has(one.metadata.name ?? '') || !(isTerminating(one) || force(one)))
    )
  })
  const names = [...new Set([...attached.map(uniqueVolumeName), ...kept])].sort()
  const known = new Set(told.map(({ name }) => name))
  const isTold = names.length === known.size && names.every((name) => known.has(name))
  const unwanted = attachments.filter((one) => !wantedNames.has(one.metadata.name ?? '') && !isTerminating(one))
  // Names are hashes of the unique names: what is in use is found by making them again.
  const usedNames = new Set(inUse.map((name) => attachmentNameOf(name, node)))
  const isHeld = (one: VolumeAttachment): boolean => usedNames.has(one.metadata.name ?? '') && !force(one)
  return {
    attach: missing.filter(({ volume }) => !isElsewhere(volume)),
    blocked: missing.filter(({ volume }) => isElsewhere(volume)),
    detach: unwanted.filter((one) => !isHeld(one)),
    held: unwanted.filter(isHeld),
    ...(isTold ? {} : { volumesAttached: names.map((name) => ({ name, devicePath: '' })) }),
    arrived: attached.filter((one) => !known.has(uniqueVolumeName(one))),
  }
}
