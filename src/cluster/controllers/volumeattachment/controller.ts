// Has volumes attached to the nodes whose pods need them, and detached when they do not. The driver does the attaching; it
// answers in the attachment's status.
// Reads: Nodes, Pods, PersistentVolumeClaims, PersistentVolumes, CSIDrivers, VolumeAttachments.
// Writes: VolumeAttachments (create, delete), Node.status.volumesAttached.

import { isAlreadyExists, isNotFound } from '#api'
import {
  type AttachableVolume,
  attachable,
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
  type VolumeError,
} from '#kinds'
import { isEqual, parseTime } from '#objects'
import {
  type Cache,
  done,
  type Index,
  type Kit,
  type Outcome,
  podsByNode,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { attachmentsElsewhere } from '../attachments.ts'
import { defineController } from '../define.ts'
import { Notes } from '../notes.ts'
import { PerWorld } from '../per-world.ts'
import { isPodTerminated } from '../pods.ts'
import { claimsOf, podsByClaim } from '../pods-by-claim.ts'
import { decideAttachments, forceDetachMs, newAttachment } from './decide.ts'

const component = 'attachdetach-controller'
/** A volume that another node holds is looked at this often. */
const retryMs = 5000
const outOfService = 'node.kubernetes.io/out-of-service'
const managedMark = 'volumes.kubernetes.io/controller-managed-attach-detach'
/** Attachments that are to go once their node has unmounted them. */
const unmounting = new Notes()
/** When the failure was that a pod was told of last. */
const toldFailures = new PerWorld<number>()
/** Pods that were told that another node holds their volume. */
const warned = new Notes()

const attachmentsByNode: Index<VolumeAttachment> = {
  name: 'node',
  kind: VolumeAttachment,
  values: ({ spec }) => [spec.nodeName],
}

export const attachDetachController = defineController({
  name: 'attachdetach',
  account: 'attachdetach-controller',
  reconciles: Node,
  watches: [
    watching(Node, (node, old) =>
      isEqual(node.status?.volumesInUse, old?.status?.volumesInUse) ? [] : [node.metadata.name ?? ''],
    ),
    watching(Pod, (pod) => (claimsOf(pod).length > 0 ? nodeOf(pod) : [])),
    watching(PersistentVolumeClaim, ({ metadata }, _old, cache) =>
      cache.by(podsByClaim, `${metadata.namespace}/${metadata.name}`).flatMap(nodeOf),
    ),
    // Another node may wait for the volume.
    watching(VolumeAttachment, ({ spec }, _old, cache) => [
      spec.nodeName,
      ...podsOf(cache, spec.source.persistentVolumeName ?? '').flatMap(nodeOf),
    ]),
  ],
  reads: [PersistentVolume, CSIDriver],
  reconcile,
})

function podsOf(cache: Cache, volume: string): readonly Pod[] {
  const claim = cache.get(PersistentVolume, volume)?.spec?.claimRef
  return claim === undefined ? [] : cache.by(podsByClaim, `${claim.namespace}/${claim.name}`)
}

const nodeOf = ({ spec }: Pod): readonly string[] => (spec.nodeName ? [spec.nodeName] : [])

/** Volumes that the pods of a node use, with the pods. */
function volumesOn(cache: Cache, nodeName: string): ReadonlyMap<string, { one: AttachableVolume; pods: Pod[] }> {
  const found = new Map<string, { one: AttachableVolume; pods: Pod[] }>()
  for (const pod of cache.by(podsByNode, nodeName)) {
    if (isPodTerminated(pod)) continue
    for (const key of claimsOf(pod)) {
      const volume = cache.get(PersistentVolume, cache.get(PersistentVolumeClaim, key)?.spec?.volumeName ?? '')
      const one = volume === undefined ? undefined : attachable(volume, (name) => cache.get(CSIDriver, name))
      if (one === undefined) continue
      const entry = found.get(one.volume) ?? { one, pods: [] }
      entry.pods.push(pod)
      found.set(one.volume, entry)
    }
  }
  return found
}

async function reconcile(nodeName: string, kit: Kit): Promise<Outcome> {
  const { cache } = kit
  const node = cache.get(Node, nodeName)
  // Its kubelet does it itself.
  if (node !== undefined && node.metadata.annotations?.[managedMark] === undefined) return done()
  const volumes = node === undefined ? new Map<never, never>() : volumesOn(cache, nodeName)
  const attachments = cache.by(attachmentsByNode, nodeName)
  if (volumes.size === 0 && attachments.length === 0 && (node?.status?.volumesAttached ?? []).length === 0)
    return done()
  const isElsewhere = (volume: string): boolean => attachmentsElsewhere(cache, volume, nodeName).length > 0
  const wanted = [...volumes.values()].map(({ one }) => one)
  const told = node?.status?.volumesAttached
  const decision = decideAttachments({
    node: nodeName,
    wanted,
    attachments,
    isElsewhere,
    inUse: node?.status?.volumesInUse ?? [],
    force: (one) => node === undefined || isForced(kit, node, one),
    ...(told === undefined ? {} : { told }),
  })
  for (const { volume } of decision.arrived)
    for (const pod of volumes.get(volume)?.pods ?? []) arrived(kit, pod, volume)
  // What is about to be detached is not to be mounted any more.
  if (node !== undefined && decision.volumesAttached !== undefined) {
    const { volumesAttached } = decision
    await kit.client.updateStatus(Node, { ...node, status: { ...node.status, volumesAttached } })
  }
  for (const one of decision.detach) await detach(kit, one)
  for (const one of decision.attach) await attach(kit, one, nodeName)
  for (const { volume } of decision.blocked)
    for (const pod of volumes.get(volume)?.pods ?? []) warn(kit, pod, volume, nodeName)
  for (const { spec, status } of attachments) {
    const { persistentVolumeName = '' } = spec.source
    if (status?.attachError === undefined || status.attached) continue
    for (const pod of volumes.get(persistentVolumeName)?.pods ?? [])
      tellFailure(kit, pod, persistentVolumeName, status.attachError)
  }
  for (const { metadata } of decision.detach) unmounting.forget(kit.world, metadata.uid ?? '')
  return decision.blocked.length + decision.held.length > 0 ? requeueAfter(retryMs) : done()
}

/** Whether a volume may be taken from a node that has not let it go. */
function isForced({ world }: Kit, { status, spec }: Node, { metadata }: VolumeAttachment): boolean {
  if (spec.taints?.some(({ key }) => key === outOfService) === true) return true
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
  return world.clock.now() - unmounting.since(world, metadata.uid ?? '') >= forceDetachMs && !ready
}

async function attach(kit: Kit, one: AttachableVolume, nodeName: string): Promise<void> {
  try {
    await kit.client.create(VolumeAttachment, newAttachment(one, nodeName))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

async function detach(kit: Kit, { metadata }: VolumeAttachment): Promise<void> {
  try {
    await kit.client.delete(VolumeAttachment, { name: metadata.name ?? '' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function arrived(kit: Kit, pod: Pod, volume: string): void {
  warned.forget(kit.world, `${pod.metadata.uid}/${volume}`)
  const message = `AttachVolume.Attach succeeded for volume "${volume}" `
  recordEvent(kit, { object: pod, component, type: 'Normal', reason: 'SuccessfulAttachVolume', message })
}

/** Said once for each attempt. */
function tellFailure(kit: Kit, pod: Pod, volume: string, { message = '', time }: VolumeError): void {
  const note = `${pod.metadata.uid}/${volume}/failed`
  const at = parseTime(time) ?? 0
  const told = toldFailures.of(kit.world)
  if ((told.get(note) ?? -1) >= at) return
  told.set(note, at)
  const text = `AttachVolume.Attach failed for volume "${volume}" : ${message}`
  recordEvent(kit, { object: pod, component, type: 'Warning', reason: 'FailedAttachVolume', message: text })
}

/** Said once for each pod. */
function warn(kit: Kit, pod: Pod, volume: string, nodeName: string): void {
  const note = `${pod.metadata.uid}/${volume}`
  if (warned.has(kit.world, note)) return
  warned.since(kit.world, note)
  const users = usersElsewhere(kit.cache, volume, nodeName)
  const inNamespace = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace)
  const names = inNamespace.map(({ metadata }) => metadata.name).sort()
  const others = users.length - names.length
  const more = others > 0 ? ` and ${others} pod(s) in different namespaces` : ''
  const why =
    names.length > 0
      ? `Volume is already used by pod(s) ${names.join(', ')}${more}`
      : users.length > 0
        ? `Volume is already used by ${users.length} pod(s) in different namespaces`
        : "Volume is already exclusively attached to one node and can't be attached to another"
  const message = `Multi-Attach error for volume "${volume}" ${why}`
  recordEvent(kit, { object: pod, component, type: 'Warning', reason: 'FailedAttachVolume', message })
}

const usersElsewhere = (cache: Cache, volume: string, nodeName: string): readonly Pod[] =>
  podsOf(cache, volume).filter(
    (pod) => pod.spec.nodeName !== undefined && pod.spec.nodeName !== nodeName && !isPodTerminated(pod),
  )
