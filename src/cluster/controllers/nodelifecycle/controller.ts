// Notices nodes that stop reporting: says so in their conditions, keeps new pods away by taints, marks their pods as not
// ready, and taints nodes one by one so that their pods are evicted.
// Reads: Nodes, Leases, Pods.  Writes: Node status and taints, Pod status.

import { isConflict, isNotFound } from '#api'
import { Lease, Node, Pod } from '#kinds'
import { formatTime } from '#objects'
import { type Cache, done, type Kit, type Outcome, podsByNode, recordEvent, requeueAfter, watching } from '#reconcile'
import type { World } from '#world'
import { defineController } from '../define.ts'
import { isPodReady } from '../pods.ts'
import { readyCondition, schedulingTaints, silentAt, unknownConditions, withTaints } from './health.ts'
import { KnownNodes, monitorPeriodMs } from './known-nodes.ts'
import { missingLabels } from './labels.ts'
import { decideEvictions } from './zones.ts'

const component = 'node-controller'
const leaseNamespace = 'kube-node-lease'
const known = new KnownNodes()
const strategicMerge = { type: 'application/strategic-merge-patch+json' } as const
/** A taint that could not be written is tried again as soon as that. */
const taintAgainMs = 100
/** When the zones were looked at last. */
const looks = new WeakMap<World, number>()

export const nodeLifecycleController = defineController({
  name: 'nodelifecycle',
  account: 'node-controller',
  reconciles: Node,
  watches: [
    watching(Node, ({ metadata }) => [metadata.name ?? '']),
    watching(Lease, ({ metadata }) => (metadata.namespace === leaseNamespace ? [metadata.name ?? ''] : [])),
    watching(Pod, nodeOfPod),
  ],
  reconcile: reconcileNode,
})

/** One key for all nodes: whether one may be evicted depends on how the others are. */
export const nodeEvictionController = defineController({
  name: 'node-eviction',
  account: 'node-controller',
  watches: [watching(Node, (node, old) => (old === undefined || mattersToZones(node, old) ? ['*'] : []))],
  startKeys: ['*'],
  workers: 1,
  reconcile: reconcileZones,
})

async function reconcileNode(name: string, kit: Kit): Promise<Outcome> {
  const node = kit.cache.get(Node, name)
  if (node === undefined) return takeLeave(kit, name)
  greet(kit, node)
  const now = kit.world.clock.now()
  const silent = silentAt(node, kit.cache.get(Lease, `${leaseNamespace}/${name}`))
  const current = silent <= now ? await markUnknown(kit, node, now) : node
  const taints = schedulingTaints(current, now)
  if (!sameList(taints, current.spec?.taints)) await kit.client.update(Node, withTaints(current, taints))
  const labels = missingLabels(current)
  if (labels !== undefined) await kit.client.patch(Node, { name }, { metadata: { labels } }, strategicMerge)
  if (readyCondition(current)?.status === 'Unknown')
    for (const pod of kit.cache.by(podsByNode, name)) await markNotReady(kit, pod, now)
  return silent > now ? requeueAfter(silent - now) : done()
}

/** As the real controller does for every node that it sees for the first time since it was started. */
function greet(kit: Kit, node: Node): void {
  const { name = '', uid = '' } = node.metadata
  if (!known.seen(kit.world, name, uid)) return
  tell(kit, { name, uid }, 'RegisteredNode', `event: Registered Node ${name} in Controller`)
}

function takeLeave(kit: Kit, name: string): Outcome {
  const departure = known.missing(kit.world, name)
  if (departure.type === 'wait') return requeueAfter(departure.ms)
  if (departure.type === 'unknown') return done()
  tell(kit, { name, uid: departure.uid }, 'RemovingNode', `event: Removing Node ${name} from Controller`)
  return done()
}

async function markUnknown(kit: Kit, node: Node, now: number): Promise<Node> {
  const conditions = unknownConditions(node, now)
  if (sameList(conditions, node.status?.conditions)) return node
  const marked = await kit.client.updateStatus(Node, { ...node, status: { ...node.status, conditions } })
  if (readyCondition(node)?.status === 'True') {
    const { name = '', uid = '' } = node.metadata
    tell(kit, { name, uid }, 'NodeNotReady', 'status is now: NodeNotReady')
  }
  return marked
}

/** Of a node by name and uid, as the real loop refers to it: the Event names no revision. */
function tell(kit: Kit, metadata: { readonly name: string; readonly uid: string }, reason: string, what: string): void {
  const object = { apiVersion: 'v1', kind: 'Node', metadata }
  recordEvent(kit, { object, component, type: 'Normal', reason, message: `Node ${metadata.name} ${what}` })
}

async function markNotReady(kit: Kit, pod: Pod, now: number): Promise<void> {
  if (!isPodReady(pod)) return
  const conditions = pod.status?.conditions?.map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: formatTime(now) } : condition,
  )
  try {
    await kit.client.updateStatus(Pod, {
      ...pod,
      status: { ...pod.status, ...(conditions === undefined ? {} : { conditions }) },
    })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  recordEvent(kit, { object: pod, component, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' })
}

async function reconcileZones(_key: string, kit: Kit): Promise<Outcome> {
  const now = kit.world.clock.now()
  // All nodes are looked at together, so not at each of their changes.
  const againAt = (looks.get(kit.world) ?? Number.NEGATIVE_INFINITY) + monitorPeriodMs
  if (now < againAt) return requeueAfter(againAt - now)
  looks.set(kit.world, now)
  const { changes, nextAt } = decideEvictions(kit.cache.list(Node), now)
  let isBehind = false
  for (const { node, taints } of changes) {
    try {
      await kit.client.update(Node, withTaints(node, taints))
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error
      // The node changed or went meanwhile, if only by the taint that keeps new pods away.
      isBehind = true
    }
  }
  if (isBehind) {
    looks.delete(kit.world)
    return requeueAfter(taintAgainMs)
  }
  return nextAt === undefined ? done() : requeueAfter(Math.max(0, nextAt - now))
}

const mattersToZones = (node: Node, old: Node): boolean =>
  readyCondition(node)?.status !== readyCondition(old)?.status ||
  node.spec?.taints !== old.spec?.taints ||
  node.metadata.labels !== old.metadata.labels

const sameList = (a: readonly unknown[], b: readonly unknown[] | undefined): boolean =>
  a === b || (a.length === 0 && b === undefined)

/** Pods only matter when they claim to be ready on a node that is not. */
function nodeOfPod(pod: Pod, _old: Pod | undefined, cache: Cache): Iterable<string> {
  const name = pod.spec.nodeName ?? ''
  if (name === '' || !isPodReady(pod)) return []
  const node = cache.get(Node, name)
  return node !== undefined && readyCondition(node)?.status === 'Unknown' ? [name] : []
}
