// How many volumes of a driver a node can have attached: what its CSINode says. Volumes that pods have left count until
// they are detached.

import { CSINode, claimKeys, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '#kinds'
import type { Cache, Index } from '#reconcile'
import { type FilterPlugin, hint } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { refuse } from '../refusal.ts'

const full = refuse('node(s) exceed max volume count')

export const nodeVolumeLimits: FilterPlugin = {
  name: 'NodeVolumeLimits',
  helpedBy: [
    hint('csiNode', (_pod, { object, old }) => {
      const [now, before] = [limitsOf(object), limitsOf(old)]
      return old === undefined || [...before].some(([driver, limit]) => (now.get(driver) ?? Infinity) > limit)
    }),
    hint('podGone', (_pod, { pod: { spec, namespace, pod } }) => {
      return claimKeys(spec, namespace, pod.metadata.name ?? '').length > 0
    }),
    hint('claim', ({ spec, namespace, pod }, { object: { metadata } }) =>
      claimKeys(spec, namespace, pod.metadata.name ?? '').includes(`${metadata.namespace}/${metadata.name}`),
    ),
    hint('attachmentGone'),
  ],
  prepareFilter(pod, { objects }) {
    const wanted = volumesOf(pod, objects)
    if (wanted.size === 0) return undefined
    return (node) => {
      const limits = limitsOf(objects.get(CSINode, node.name))
      if (limits.size === 0) return undefined
      const taken = new Map<string, string>()
      for (const other of node.pods.values())
        for (const [volume, driver] of volumesOf(other, objects)) taken.set(volume, driver)
      const counts = new Map<string, number>()
      const left = [...attachedTo(node.name, objects)].filter(([volume]) => !taken.has(volume))
      for (const driver of [...taken.values(), ...left.map(([, driver]) => driver)])
        counts.set(driver, (counts.get(driver) ?? 0) + 1)
      for (const [volume, driver] of wanted)
        if (!taken.has(volume)) {
          const count = (counts.get(driver) ?? 0) + 1
          counts.set(driver, count)
          const limit = limits.get(driver)
          if (limit !== undefined && count > limit) return full
        }
      return undefined
    }
  },
}

const attachmentsByNode: Index<VolumeAttachment> = {
  name: 'node',
  kind: VolumeAttachment,
  values: ({ spec }) => [spec.nodeName],
}

/** As kube-scheduler does, also a volume that the pod itself will use: it may be on its way off. */
function attachedTo(nodeName: string, objects: Cache): ReadonlyMap<string, string> {
  const volumes = new Map<string, string>()
  for (const { spec } of objects.by(attachmentsByNode, nodeName)) {
    const csi = objects.get(PersistentVolume, spec.source.persistentVolumeName ?? '')?.spec?.csi
    if (csi !== undefined) volumes.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher)
  }
  return volumes
}

function limitsOf(node: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of node?.spec.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  return limits
}

/** The volumes of a pod that a driver attaches, by a name of their own, with the driver. */
function volumesOf({ spec, namespace, pod }: PodFacts, objects: Cache): ReadonlyMap<string, string> {
  const volumes = new Map<string, string>()
  for (const key of claimKeys(spec, namespace, pod.metadata.name ?? '')) {
    const claim = objects.get(PersistentVolumeClaim, key)
    const volume = objects.get(PersistentVolume, claim?.spec?.volumeName ?? '')
    const csi = volume?.spec?.csi
    if (csi !== undefined) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver)
    else if (claim !== undefined && volume === undefined) {
      // It will be made by the driver of its class.
      const provisioner = objects.get(StorageClass, claim.spec?.storageClassName ?? '')?.provisioner
      if (provisioner !== undefined) volumes.set(`${provisioner}/${key}`, provisioner)
    }
  }
  return volumes
}
