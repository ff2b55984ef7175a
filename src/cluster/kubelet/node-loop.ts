// Registers the nodes and keeps them alive: a lease every 10 s, the node's status when it has changed and every 5 min.
// Reads: Nodes, Leases.  Writes: Node, Node.status, Lease.

import { isAlreadyExists } from '#api'
import { type ContainerImage, Lease, Node, type NodeStatus } from '#kinds'
import { isEqual, objectKey, parseTime } from '#objects'
import {
  type Cache,
  componentCaller,
  done,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { isReady, leaseNamespace, type NodeSpec, newNode, nodeStatus, renewedLease } from './node-object.ts'
import type { NodeRuntime } from './node-runtime.ts'

const renewMs = 10_000
const statusMs = 300_000
const mostImages = 50

export interface NodesOptions {
  readonly nodes: readonly NodeSpec[]
  readonly isStopped: (name: string) => boolean
  /** Whether the node's kubelet has begun anew since this was last asked. */
  readonly takeRestarted: (name: string) => boolean
  /** The node as the pods' loop runs it; undefined before that has begun. */
  readonly runtimeOf: (name: string) => NodeRuntime | undefined
}

interface Place extends NodesOptions {
  readonly index: ReadonlyMap<string, number>
  /** Nodes whose kubelet was announced since the loop started. */
  readonly announced: Set<string>
}

export function nodeLoop(options: NodesOptions): LoopDefinition {
  const { nodes } = options
  const names = new Set(nodes.map(({ name }) => name))
  const index = new Map(nodes.map(({ name }, i) => [name, i]))
  const announced = new WeakMap<Cache, Set<string>>()
  return {
    name: 'kubelet-node',
    user: 'system:node:homeostat',
    manager: 'kubelet',
    reconciles: Node,
    watches: [watching(Node, (node) => (names.has(node.metadata.name ?? '') ? [objectKey(node)] : []))],
    reads: [Lease],
    startKeys: [...names],
    workers: 16,
    reconcile(key, kit) {
      const known = announced.get(kit.cache) ?? new Set()
      announced.set(kit.cache, known)
      return keepNode(key, kit, { ...options, index, announced: known })
    },
  }
}

async function keepNode(name: string, kit: Kit, place: Place): Promise<Outcome> {
  const index = place.index.get(name) ?? 0
  const spec = place.nodes[index]
  if (spec === undefined || place.isStopped(name)) return done()
  const runtime = place.runtimeOf(name)
  const client = kit.client.as(componentCaller(`system:node:${name}`, 'kubelet'))
  const now = kit.world.clock.now()
  let node = kit.cache.get(Node, name)
  if (place.takeRestarted(name) || !place.announced.has(name)) {
    place.announced.add(name)
    announce(name, kit)
  }
  if (node === undefined) {
    try {
      node = await client.create(Node, newNode(spec, index, now))
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      node = await client.get(Node, { name })
    }
  }
  const status = dueStatus(node, { spec, index, runtime, now })
  if (status !== undefined) {
    const wasReady = readyOf(node.status)
    node = await client.updateStatus(Node, { ...node, status })
    if (!wasReady) nodeEvent(name, kit, 'NodeReady', `Node ${name} status is now: NodeReady`)
  }
  const lease = kit.cache.get(Lease, `${leaseNamespace}/${name}`)
  const renewedAt = parseTime(lease?.spec.renewTime) ?? Number.NEGATIVE_INFINITY
  if (renewedAt + renewMs > now) return requeueAfter(Math.max(1, Math.ceil(renewedAt + renewMs - now)))
  const renewed = renewedLease(node, lease, now)
  if (lease === undefined) {
    try {
      await client.create(Lease, renewed)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  } else await client.update(Lease, renewed)
  return requeueAfter(renewMs)
}

const readyOf = (status: NodeStatus | undefined): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false

interface At {
  readonly spec: NodeSpec
  readonly index: number
  readonly runtime: NodeRuntime | undefined
  readonly now: number
}

/** Versions of nodes that say all there is to say, until when, and with how many images. */
const upToDate = new WeakMap<Node, { readonly imageCount: number; readonly until: number }>()

/** The status to be written now; undefined while it says the same and is fresh. */
function dueStatus(node: Node, { spec, index, runtime, now }: At): NodeStatus | undefined {
  const before = node.status
  const imageCount = runtime?.images.count ?? -1
  const checked = upToDate.get(node)
  if (checked !== undefined && checked.imageCount === imageCount && now < checked.until) return undefined
  const images = runtime === undefined ? (before?.images ?? []) : imagesOf(runtime, before?.images ?? [])
  const status = nodeStatus({ spec, index, before, readiness: isReady, images, now })
  const beatAt = parseTime(before?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime) ?? 0
  if (now - beatAt >= statusMs || !isEqual(timeless(status), timeless(before))) return status
  upToDate.set(node, { imageCount, until: beatAt + statusMs })
  return undefined
}

const timeless = (status: NodeStatus | undefined): object | undefined =>
  status && { ...status, conditions: status.conditions?.map(({ lastHeartbeatTime: _beat, ...rest }) => rest) }

/** The largest images of the node; those that were there before a restart stay. */
function imagesOf({ images }: NodeRuntime, before: readonly ContainerImage[]): readonly ContainerImage[] {
  for (const { names = [] } of before) for (const name of names) images.add(name)
  return [...images.pulled]
    .map((name) => ({ names: [name], sizeBytes: images.sizeOf(name) }))
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, mostImages)
}

function nodeEvent(name: string, kit: Kit, reason: string, message: string): void {
  // Kubelets write Events about their node under its name in place of its uid.
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } }
  recordEvent(kit, { object, type: 'Normal', reason, message, component: 'kubelet', host: name })
}

function announce(name: string, kit: Kit): void {
  nodeEvent(name, kit, 'Starting', 'Starting kubelet.')
  for (const state of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'])
    nodeEvent(name, kit, state, `Node ${name} status is now: ${state}`)
  nodeEvent(name, kit, 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods')
}
