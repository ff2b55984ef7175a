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
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { csiNodeOf, driversOf } from './csi-node.ts'
import { endForMemory } from './ending.ts'
import type { NodePlace } from './floor.ts'
import { garbageDue, readinessOf } from './node-health.ts'
import { leaseNamespace, type NodeSpec, newNode, noPressures, pressureWords, renewedLease } from './node-object.ts'
import { dueStatus, type NodeFindings } from './node-status.ts'
import type { NodeEventText } from './pressure/node-pressure.ts'
import type { NodeProfiles } from './profiles/node-profiles.ts'
import type { Silence } from './troubles.ts'
import { attachedNames, type ClaimLookups } from './volumes/claims.ts'

const renewMs = 10_000
/** A lease that could not be renewed is tried again soon, however long the API server has been away. */
const renewBackoff = { firstMs: 100, maxMs: 7000 }

export interface NodesOptions {
  readonly nodes: readonly NodeSpec[]
  readonly isStopped: (name: string) => boolean
  /** Whether the node's kubelet has begun anew since this was last asked. */
  readonly takeRestarted: (name: string) => boolean
  /** The node as the pods' loop runs it; undefined before that has begun. */
  readonly placeOf: (name: string) => NodePlace | undefined
  readonly wakePod: (key: string) => void
  /** Why the node's pods get no network. */
  readonly networkTrouble: (name: string) => string | undefined
  readonly runtimeTrouble: (name: string) => Silence | undefined
  readonly profiles: NodeProfiles
}

interface Place {
  readonly options: NodesOptions
  readonly index: ReadonlyMap<string, number>
  /** Nodes whose kubelet was announced since the loop started. */
  readonly announced: Set<string>
  /** When a node with a silent runtime was looked at last. */
  readonly lookedAt: Map<string, number>
}

export function nodeLoop(options: NodesOptions): LoopDefinition {
  const { nodes } = options
  const names = new Set(nodes.map(({ name }) => name))
  const index = new Map(nodes.map(({ name }, i) => [name, i]))
  const places = new WeakMap<Cache, Place>()
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
    workers: 16,
    backoff: renewBackoff,
    reconcile(key, kit) {
      options.profiles.use(kit.cache.list(NodeProfile))
      const place = places.get(kit.cache) ?? { options, index, announced: new Set(), lookedAt: new Map() }
      places.set(kit.cache, place)
      return keepNode(key, kit, place)
    },
  }
}

async function keepNode(name: string, kit: Kit, place: Place): Promise<Outcome> {
  const index = place.index.get(name) ?? 0
  const { options } = place
  const spec = options.nodes[index]
  if (spec === undefined || options.isStopped(name)) return done()
  const there = options.placeOf(name)
  const client = kit.client.as(componentCaller(`system:node:${name}`, 'kubelet'))
  const now = kit.world.clock.now()
  let node = kit.cache.get(Node, name)
  if (options.takeRestarted(name) || !place.announced.has(name)) {
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
  await keepDrivers(node, { kit, client, place })
  tellGarbage(name, kit, place)
  const checkAt = there === undefined ? undefined : keepRoom(node, there, { kit, place })
  const status = dueStatus(node, findingsOn(node, { spec, index, runtime: there?.runtime }, { kit, place }))
  if (status !== undefined) {
    const before = node.status
    node = await client.updateStatus(Node, { ...node, status })
    if (readyOf(status) !== readyOf(before)) stateEvent(name, kit, readyOf(status) ? 'NodeReady' : 'NodeNotReady')
    const bootID = status.nodeInfo?.bootID
    if (before?.nodeInfo !== undefined && before.nodeInfo.bootID !== bootID) {
      const message = `Node ${name} has been rebooted, boot id: ${bootID}`
      nodeEvent(name, kit, { type: 'Warning', reason: 'Rebooted', message })
    }
    for (const state of pressureChanges(before, status)) stateEvent(name, kit, state)
  }
  const lease = kit.cache.get(Lease, `${leaseNamespace}/${name}`)
  const renewedAt = parseTime(lease?.spec.renewTime) ?? Number.NEGATIVE_INFINITY
  const lookAgainMs = (checkAt ?? Number.POSITIVE_INFINITY) - now
  if (renewedAt + renewMs > now)
    return requeueAfter(Math.max(1, Math.ceil(Math.min(renewedAt + renewMs - now, lookAgainMs))))
  const renewed = renewedLease(node, lease, now)
  if (lease === undefined) {
    try {
      await client.create(Lease, renewed)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  } else await client.update(Lease, renewed)
  return requeueAfter(Math.max(1, Math.min(renewMs, lookAgainMs)))
}

interface Keeping {
  readonly kit: Kit
  readonly place: Place
}

function findingsOn(
  node: Node,
  { spec, index, runtime }: Pick<NodeFindings, 'spec' | 'index' | 'runtime'>,
  { kit, place }: Keeping,
): NodeFindings {
  const { cache, world } = kit
  const lookups: ClaimLookups = {
    claim: (key) => cache.get(PersistentVolumeClaim, key),
    volume: (name) => cache.get(PersistentVolume, name),
    driver: (name) => cache.get(CSIDriver, name),
  }
  const { resources } = place.options.profiles.of(spec.name, node.metadata.labels)
  const { networkTrouble, runtimeTrouble } = place.options
  const troubles = { network: networkTrouble(spec.name), runtime: runtimeTrouble(spec.name) }
  return {
    spec,
    index,
    runtime,
    readiness: readinessOf(troubles, kit.world.clock.now()),
    pressures: runtime?.pressures ?? noPressures,
    resources: runtime?.offered(resources) ?? resources,
    volumesInUse: runtime === undefined ? (node.status?.volumesInUse ?? []) : attachedNames(runtime.claimants, lookups),
    now: world.clock.now(),
  }
}

/** Stands for a CSINode that is not there. */
const missing = [undefined]

/** Registers the drivers of the node. */
async function keepDrivers(node: Node, { kit, place, client }: Keeping & { readonly client: Client }): Promise<void> {
  const { name = '', labels } = node.metadata
  const before = kit.cache.get(CSINode, name)
  const own = place.options.profiles.of(name, labels).csiDrivers
  const known = kit.cache.list(CSIDriver)
  // Mostly there are none.
  if (own.length + known.length + (before?.spec.drivers ?? missing).length === 0) return
  const drivers = driversOf(name, own, known)
  const wanted = csiNodeOf(node, before, drivers)
  if (wanted === before) return
  if (before !== undefined) {
    await client.update(CSINode, wanted)
    return
  }
  try {
    await client.create(CSINode, wanted)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** A runtime that is silent cannot be asked to remove what is old. */
function tellGarbage(name: string, kit: Kit, { options, lookedAt }: Place): void {
  const silence = options.runtimeTrouble(name)
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

/** Looks at what the node has left, and has a pod leave where that is too little; answers when to look again. */
function keepRoom(node: Node, { pressure }: NodePlace, { kit, place }: Keeping): number | undefined {
  const now = kit.world.clock.now()
  const name = node.metadata.name ?? ''
  const { events, victim, killed, overdue } = pressure.check(node, now)
  for (const { type, reason, message } of events) nodeEvent(name, kit, { type, reason, message })
  if (killed !== undefined) {
    killed.run.agenda.advance(now)
    endForMemory(killed.run, killed.container)
    place.options.wakePod(objectKey(killed.run.pod))
  }
  if (victim !== undefined) {
    const { run, message, annotations, graceSeconds } = victim
    run.agenda.advance(now)
    run.tell({ type: 'Warning', reason: 'Evicted', message, annotations })
    run.disrupt(message)
    run.evict({ reason: 'Evicted', message }, graceSeconds)
    place.options.wakePod(objectKey(run.pod))
  }
  if (overdue !== undefined) {
    const message = 'Container runtime did not kill the pod within specified grace period.'
    overdue.tell({ type: 'Warning', reason: 'ExceededGracePeriod', message })
    place.options.wakePod(objectKey(overdue.pod))
  }
  return pressure.nextAt
}

/** Names of the Events for conditions that are not what they were. */
function pressureChanges(before: NodeStatus | undefined, after: NodeStatus): readonly string[] {
  const of = (status: NodeStatus | undefined, type: string) =>
    status?.conditions?.find((condition) => condition.type === type)?.status
  return pressureWords.flatMap(({ type, under, free }) => {
    const [old, now] = [of(before, type), of(after, type)]
    // A node that was lost says nothing of what it never had.
    return old === now || (old !== 'True' && now === 'False') ? [] : [now === 'True' ? under[2] : free[2]]
  })
}

const stateEvent = (name: string, kit: Kit, state: string): void =>
  nodeEvent(name, kit, { type: 'Normal', reason: state, message: `Node ${name} status is now: ${state}` })

function nodeEvent(name: string, kit: Kit, { type, reason, message }: NodeEventText): void {
  // Kubelets write Events about their node under its name in place of its uid.
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } }
  recordEvent(kit, { object, type, reason, message, component: 'kubelet', host: name })
}

function announce(name: string, kit: Kit): void {
  nodeEvent(name, kit, { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' })
  for (const state of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'])
    stateEvent(name, kit, state)
  const enforced = 'Updated Node Allocatable limit across pods'
  nodeEvent(name, kit, { type: 'Normal', reason: 'NodeAllocatableEnforced', message: enforced })
}
