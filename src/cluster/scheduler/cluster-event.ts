// What happens in a cluster that may let a refused pod fit, and in whose words it is told. Plug-ins name the events that
// can change their mind (their queueing hints); the queue of waiting pods holds events against them.

import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceV1ResourceClaim as ResourceClaim,
  ResourceSlice,
  StorageClass,
  VolumeAttachment,
} from '#kinds'
import { isEqual } from '#objects'
import type { PodFacts } from './pod-facts.ts'

type Changed<T> = { readonly object: T; readonly old: T | undefined }

export type ClusterEvent =
  | ({ readonly type: 'nodeAdded' | 'nodeGone' | 'nodeAllocatable' | 'nodeLabels' | 'nodeTaints' } & Changed<Node>)
  | { readonly type: 'podGone' | 'podPlaced' | 'promiseGone'; readonly pod: PodFacts }
  | { readonly type: 'podRelabelled' | 'podShrunk' | 'podItself'; readonly pod: PodFacts; readonly before: PodFacts }
  | ({ readonly type: 'claim' } & Changed<PersistentVolumeClaim>)
  | ({ readonly type: 'volume' } & Changed<PersistentVolume>)
  | ({ readonly type: 'storageClass' } & Changed<StorageClass>)
  | ({ readonly type: 'csiNode' } & Changed<CSINode>)
  | ({ readonly type: 'csiDriver' } & Changed<CSIDriver>)
  | ({ readonly type: 'storageCapacity' } & Changed<CSIStorageCapacity>)
  | ({ readonly type: 'attachmentGone' } & Changed<VolumeAttachment>)
  | ({ readonly type: 'resourceClaim' } & Changed<ResourceClaim>)
  | ({ readonly type: 'resourceSlice' } & Changed<ResourceSlice>)
  | ({ readonly type: 'deviceClass' } & Changed<DeviceClass>)

export type EventType = ClusterEvent['type']
export type EventOf<T extends EventType> = ClusterEvent & { readonly type: T }

/** `a node is added`: what a waiting pod may be waiting for. */
export const eventWords: Readonly<Record<EventType, string>> = {
  nodeAdded: 'a node is added',
  nodeGone: 'a node goes',
  nodeAllocatable: 'a node offers more',
  nodeLabels: 'labels of a node change',
  nodeTaints: 'a node loses a taint or is uncordoned',
  podGone: 'a pod leaves a node',
  podPlaced: 'a pod is placed',
  promiseGone: 'a pod gives up the node that it was promised',
  podShrunk: 'a placed pod asks for less',
  podRelabelled: 'labels of a placed pod change',
  podItself: 'the pod itself changes',
  claim: 'a PersistentVolumeClaim of the pod appears or changes',
  volume: 'a PersistentVolume appears or changes',
  storageClass: 'a StorageClass appears or changes',
  csiNode: 'a CSINode appears or changes',
  csiDriver: 'a CSIDriver changes',
  storageCapacity: 'a CSIStorageCapacity appears or grows',
  attachmentGone: 'a volume is detached',
  resourceClaim: 'a ResourceClaim of the pod changes or devices are given back',
  resourceSlice: 'a ResourceSlice appears or changes',
  deviceClass: 'a DeviceClass appears or changes',
}

/** Heartbeats change nothing for the scheduler; labels, taints and resources do. */
export function nodeEvents(node: Node, old: Node | undefined): readonly ClusterEvent[] {
  if (old === undefined) return [{ type: 'nodeAdded', object: node, old }]
  const events: ClusterEvent[] = []
  if (!isEqual(node.status?.allocatable, old.status?.allocatable))
    events.push({ type: 'nodeAllocatable', object: node, old })
  if (!isEqual(node.metadata.labels, old.metadata.labels)) events.push({ type: 'nodeLabels', object: node, old })
  const sameTaints = isEqual(node.spec.taints, old.spec.taints) && node.spec.unschedulable === old.spec.unschedulable
  if (!sameTaints) events.push({ type: 'nodeTaints', object: node, old })
  return events
}
