// Registers the nodes and keeps them alive: a lease every 10 s, the node's status when it has changed and every 5 min.
// Reads: Nodes, Leases, CSINodes, CSIDrivers, claims and volumes.  Writes: Node, Node.status, CSINode, Lease.

import { isAlreadyExists } from '#api'
import type { Client } from '#client'
import {
  CSIDriver,
  CSINode,
  Lease,
  Node,
  NodeProfile,
  type NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
} from '#kinds'
import { objectKey, parseTime } from '#objects'
import {
  type Cache,
  componentCaller,
  done,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
} from '#reconcile'
import type { Fleet } from '../fleet/fleet.ts'
import { garbageDue, readinessOf } from '../node/node-health.ts'
import { leaseNamespace, type NodeSpec, newNode, noPressures, renewedLease } from '../node/node-object.ts'
import type { NodeRuntime } from '../node/node-runtime.ts'
import { dueStatus, type NodeFindings } from '../node/node-status.ts'
import { attachedNames, type ClaimLookups } from '../volumes/claims.ts'
import { keepDrivers } from './node-drivers.ts'
import { announce, nodeEvent, pressureChanges, stateEvent } from './node-events.ts'
import { keepRoom } from './node-room.ts'

const renewMs = 10_000
/** A lease that could not be renewed is tried again soon, however long the API server has been away. */
const renewBackoff = { firstMs: 100, maxMs: 7000 }

/** What one life of the loop remembers. */
interface Life {
  readonly fleet: Fleet
  /** Nodes whose kubelet was announced since the loop started. */
  readonly announced: Set<string>
  /** When a node with a silent runtime was looked at last. */
  readonly lookedAt: Map<string, number>
  /** Nodes that are known to take no new pods. */
  readonly cordoned: Set<string>
}

export function nodeLoop(fleet: Fleet): LoopDefinition {
  const { names } = fleet
  const places = new Map(fleet.specs.map((spec, index) => [spec.name, { spec, index }]))
  const lives = new WeakMap<Cache, Life>()
  return {
    name: 'kubelet-node',
    user: 'system:node:homeostat',
    manager: 'kubelet',
    reconciles: Node,
    watches: [
      watching(Node, (node) => (names.has(node.metadata.name ?? '') ? [objectKey(node)] : [])),
      watching(NodeProfile, () => names),
      watching(CSIDriver, () => names),
    ],
    reads: [Lease, CSINode, PersistentVolumeClaim, PersistentVolume],
    startKeys: [...names],
    wakes: (wake) => {
      fleet.wakeNode = wake
      return () => {}
    },
    workers: 16,
    backoff: renewBackoff,
    async reconcile(name, kit) {
      fleet.profiles.use(kit.cache.list(NodeProfile))
      const life = lives.get(kit.cache) ?? { fleet, announced: new Set(), lookedAt: new Map(), cordoned: new Set() }
      lives.set(kit.cache, life)
      const place = places.get(name)
      if (place === undefined || fleet.isStopped(name)) return done()
      const client = kit.client.as(componentCaller(`system:node:${name}`, 'kubelet'))
      return keepNode({ ...place, name, kit, client, life })
    },
  }
}

interface Keeping {
  readonly name: string
  readonly spec: NodeSpec
  readonly index: number
  readonly kit: Kit
  /** Speaks as the node. */
  readonly client: Client
  readonly life: Life
}

async function keepNode(keeping: Keeping): Promise<Outcome> {
  const { name, kit, client, life } = keeping
  const { fleet } = life
  if (fleet.takeRestarted(name) || !life.announced.has(name)) {
    life.announced.add(name)
    life.cordoned.delete(name)
    announce(name, kit)
  }
  const node = kit.cache.get(Node, name) ?? (await register(keeping))
  await keepDrivers(node, { kit, fleet, client })
  tellGarbage(keeping)
  const there = fleet.present?.floor.nodeNamed(name)
  const checkAt = there === undefined ? undefined : keepRoom(node, there, { kit, fleet })
  const reported = await report(node, there?.runtime, keeping)
  const now = kit.world.clock.now()
  const lookAgainMs = (checkAt ?? Number.POSITIVE_INFINITY) - now
  const renewAgainMs = await renewLease(reported, keeping)
  if (renewAgainMs === renewMs) tellCordon(reported, keeping)
  return requeueAfter(Math.max(1, Math.ceil(Math.min(renewAgainMs, lookAgainMs))))
}

async function register({ name, spec, index, kit, client }: Keeping): Promise<Node> {
  try {
    return await client.create(Node, newNode(spec, index, kit.world.clock.now()))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.get(Node, { name })
  }
}

/** Writes the status where that is due, and says what has changed by it. */
async function report(node: Node, runtime: NodeRuntime | undefined, keeping: Keeping): Promise<Node> {
  const { name, kit, client } = keeping
  const status = dueStatus(node, findingsOn(node, runtime, keeping))
  if (status === undefined) return node
  const { status: before } = node
  const written = await client.updateStatus(Node, { ...node, status })
  if (readyOf(status) !== readyOf(before)) stateEvent(name, kit, readyOf(status) ? 'NodeReady' : 'NodeNotReady')
  const bootID = status.nodeInfo?.bootID
  if (before?.nodeInfo !== undefined && before.nodeInfo.bootID !== bootID) {
    const message = `Node ${name} has been rebooted, boot id: ${bootID}`
    nodeEvent(name, kit, { type: 'Warning', reason: 'Rebooted', message })
  }
  for (const state of pressureChanges(before, status)) stateEvent(name, kit, state)
  return written
}

/** Renews the lease when that is due; answers in how many milliseconds it is due next. */
async function renewLease(node: Node, { name, kit, client }: Keeping): Promise<number> {
  const now = kit.world.clock.now()
  const lease = kit.cache.get(Lease, `${leaseNamespace}/${name}`)
  const renewedAt = parseTime(lease?.spec.renewTime) ?? Number.NEGATIVE_INFINITY
  if (renewedAt + renewMs > now) return renewedAt + renewMs - now
  const renewed = renewedLease(node, lease, now)
  if (lease === undefined) {
    try {
      await client.create(Lease, renewed)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  } else await client.update(Lease, renewed)
  return renewMs
}

function findingsOn(node: Node, runtime: NodeRuntime | undefined, { spec, index, kit, life }: Keeping): NodeFindings {
  const { cache, world } = kit
  const { profiles, troubles } = life.fleet
  const lookups: ClaimLookups = {
    claim: (key) => cache.get(PersistentVolumeClaim, key),
    volume: (name) => cache.get(PersistentVolume, name),
    driver: (name) => cache.get(CSIDriver, name),
  }
  const { resources, runtimeHandlers } = profiles.of(spec.name, node.metadata.labels)
  const around = { network: troubles.networkOf(spec.name), runtime: troubles.runtimeOf(spec.name) }
  const now = world.clock.now()
  return {
    spec,
    index,
    runtime,
    readiness: readinessOf(around, now),
    pressures: runtime?.pressures ?? noPressures,
    resources: runtime?.offered(resources) ?? resources,
    runtimeHandlers,
    volumesInUse: runtime === undefined ? (node.status?.volumesInUse ?? []) : attachedNames(runtime.claimants, lookups),
    now,
  }
}

/** A kubelet notices that its node was cordoned, or is no more, when it looks at it the next time. */
function tellCordon({ spec }: Node, { name, kit, life: { cordoned } }: Keeping): void {
  const isCordoned = spec.unschedulable === true
  if (isCordoned === cordoned.has(name)) return
  if (isCordoned) cordoned.add(name)
  else cordoned.delete(name)
  stateEvent(name, kit, isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable')
}

/** A runtime that is silent cannot be asked to remove what is old. */
function tellGarbage({ name, kit, life: { fleet, lookedAt } }: Keeping): void {
  const silence = fleet.troubles.runtimeOf(name)
  if (silence === undefined) {
    lookedAt.delete(name)
    return
  }
  const now = kit.world.clock.now()
  const { message } = silence
  if (garbageDue(silence, lookedAt.get(name) ?? 0, now))
    nodeEvent(name, kit, { type: 'Warning', reason: 'ContainerGCFailed', message })
  lookedAt.set(name, now)
}

const readyOf = (status: NodeStatus | undefined): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false
