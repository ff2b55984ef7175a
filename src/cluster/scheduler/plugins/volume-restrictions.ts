// Volumes that only one pod may use (ReadWriteOncePod), and disks of old kinds that only one pod of a node may write.

import { PersistentVolumeClaim, type Pod, type Volume } from '#kinds'
import { type FilterPlugin, refuse } from '../plugin.ts'
import { isTerminal, type PodFacts } from '../pod-facts.ts'
import { claimKeys, podsByClaim } from '../pods-by-claim.ts'
import type { ClusterView, NodeState } from '../view.ts'

const inUse = refuse('node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode')
const diskTaken = refuse('node(s) had no available disk')

export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  helpedBy: ['podGone', 'volume', 'node'],
  prepareFilter(pod, cluster) {
    const { volumes } = pod.spec
    if (volumes === undefined) return undefined
    const disks = volumes.filter((volume) => diskOf(volume) !== undefined)
    const users = usersOf(pod, cluster)
    if (disks.length === 0 && users.length === 0) return undefined
    return (node) => {
      if (disks.some((disk) => [...node.pods.values()].some((other) => clashes(disk, other)))) return diskTaken
      return users.some((user) => stillThere(user, node)) ? inUse : undefined
    }
  },
}

/** Pods that use a claim of this pod which is for one pod only. */
function usersOf({ spec, namespace, pod, key }: PodFacts, { objects }: ClusterView): readonly Pod[] {
  return claimKeys(spec, namespace, pod.metadata.name ?? '').flatMap((claimKey) => {
    const claim = objects.get(PersistentVolumeClaim, claimKey)
    if (claim?.spec?.accessModes?.includes('ReadWriteOncePod') !== true) return []
    return objects
      .by(podsByClaim, claimKey)
      .filter((user) => (user.spec.nodeName ?? '') !== '' && !isTerminal(user) && keyOf(user) !== key)
  })
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

/** On its own node the user may have been taken away, to see whether that would help. */
const stillThere = (user: Pod, node: NodeState): boolean =>
  user.spec.nodeName !== node.name || node.pods.has(keyOf(user))

interface Disk {
  readonly id: string
  /** Readers may share it. */
  readonly readOnly: boolean
}

function diskOf(volume: Volume): Disk | undefined {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume
  if (gce !== undefined) return { id: `gce ${gce.pdName}`, readOnly: gce.readOnly === true }
  if (aws !== undefined) return { id: `aws ${aws.volumeID}`, readOnly: false }
  if (iscsi !== undefined) return { id: `iscsi ${iscsi.iqn} ${iscsi.lun}`, readOnly: iscsi.readOnly === true }
  if (rbd !== undefined)
    return {
      id: `rbd ${[...(rbd.monitors ?? [])].sort().join()} ${rbd.pool} ${rbd.image}`,
      readOnly: rbd.readOnly === true,
    }
  return undefined
}

function clashes(volume: Volume, { spec }: PodFacts): boolean {
  const disk = diskOf(volume)
  return (spec.volumes ?? []).some((other) => {
    const theirs = diskOf(other)
    return theirs !== undefined && disk?.id === theirs.id && !(disk.readOnly && theirs.readOnly)
  })
}
