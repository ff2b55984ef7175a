// Volumes that only one pod may use (ReadWriteOncePod), and disks of old kinds that only one pod of a node may write.

import { claimKeys, PersistentVolumeClaim, type Pod, type PodSpec, type Volume } from '#kinds'
import { type FilterPlugin, hint } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { podsByClaim } from '../pods-by-claim.ts'
import { refuse, refuseForGood } from '../refusal.ts'
import type { ClusterView, NodeState } from '../view.ts'

const inUse = refuse(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
)
const diskTaken = refuse('node(s) had no available disk')

export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  helpedBy: [
    hint('podGone', (pod, { pod: other }) => shareDisk(pod, other) || shareClaim(pod, other)),
    hint('claim', ({ spec, namespace }, { object: { metadata } }) => {
      return metadata.namespace === namespace && claimsNamed(spec).includes(metadata.name ?? '')
    }),
  ],
  prepareFilter(pod, cluster) {
    const { volumes } = pod.spec
    if (volumes === undefined) return undefined
    const disks = volumes.filter((volume) => diskOf(volume) !== undefined)
    const users: string[] = []
    for (const name of claimsNamed(pod.spec)) {
      const key = `${pod.namespace}/${name}`
      const claim = cluster.objects.get(PersistentVolumeClaim, key)
      if (claim === undefined) return refuseForGood(`persistentvolumeclaim "${name}" not found`)
      if (claim.spec?.accessModes?.includes('ReadWriteOncePod') === true) users.push(...usersOf(key, pod, cluster))
    }
    if (disks.length === 0 && users.length === 0) return undefined
    return (node) => {
      if (disks.some((disk) => [...node.pods.values()].some((other) => clashes(disk, other)))) return diskTaken
      return users.some((user) => stillThere(user, node, cluster)) ? inUse : undefined
    }
  },
}

const claimsNamed = ({ volumes = [] }: PodSpec): readonly string[] =>
  volumes.flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
  )

/** Other pods that use a claim and have a node, or are about to get one. */
const usersOf = (claimKey: string, { key }: PodFacts, cluster: ClusterView): readonly string[] =>
  cluster.objects
    .by(podsByClaim, claimKey)
    .map(keyOf)
    .filter((user) => user !== key && cluster.nodeOfPod(user) !== undefined)

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`

/** On its own node the user may have been taken away, to see whether that would help. */
const stillThere = (user: string, node: NodeState, cluster: ClusterView): boolean =>
  cluster.nodeOfPod(user) !== node.name || node.pods.has(user)

const shareDisk = ({ spec }: PodFacts, other: PodFacts): boolean =>
  spec.volumes?.some((volume) => diskOf(volume) !== undefined && clashes(volume, other)) === true

const claimsOf = ({ spec, namespace, pod }: PodFacts): readonly string[] =>
  claimKeys(spec, namespace, pod.metadata.name ?? '')

function shareClaim(pod: PodFacts, other: PodFacts): boolean {
  const theirs = claimsOf(other)
  return theirs.length > 0 && claimsOf(pod).some((key) => theirs.includes(key))
}

interface Disk {
  readonly id: string
  /** Readers may share it. */
  readonly readOnly: boolean
}

function diskOf(volume: Volume): Disk | undefined {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume
  if (gce !== undefined) return { id: `gce ${gce.pdName}`, readOnly: gce.readOnly === true }
  if (aws !== undefined) return { id: `aws ${aws.volumeID}`, readOnly: false }
  if (iscsi !== undefined) return { id: `iscsi ${iscsi.iqn}`, readOnly: iscsi.readOnly === true }
  if (rbd !== undefined) return { id: `rbd ${rbd.pool} ${rbd.image}`, readOnly: rbd.readOnly === true }
  return undefined
}

function clashes(volume: Volume, { spec }: PodFacts): boolean {
  const disk = diskOf(volume)
  return (spec.volumes ?? []).some((other) => {
    const theirs = diskOf(other)
    if (theirs === undefined || disk?.id !== theirs.id || (disk.readOnly && theirs.readOnly)) return false
    const monitors = other.rbd?.monitors
    return monitors === undefined || volume.rbd?.monitors?.some((monitor) => monitors.includes(monitor)) === true
  })
}
