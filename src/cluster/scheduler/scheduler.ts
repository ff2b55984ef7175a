// Gives every pod without a node a node. One attempt per run: find a node, then bind the pod; or say why there is none,
// make room if less important pods can go, and wait for something that helps.
// Reads: Pods, Nodes; claims, volumes, Services, owners, budgets.  Writes: bindings, Pod.status (PodScheduled,
// nominatedNodeName), victims (condition, deletion).  Leaves pods of other schedulers alone.

import { isConflict, isNotFound } from '#api'
import {
  CSINode,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  StorageClass,
} from '#kinds'
import { objectKey } from '#objects'
import {
  type Cache,
  done,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordSeriesEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { attempt } from './cycle.ts'
import { refused } from './failure.ts'
import { Memory } from './memory.ts'
import { claimsToBind, selectedNode } from './plugins/volume-binding.ts'
import { type PodFacts, podFacts } from './pod-facts.ts'
import { defaultProfile, type Plugins, type Profile, pluginsOf } from './profiles.ts'
import { type AttemptReport, Reports } from './reports.ts'
import type { NodeState } from './view.ts'

/** A pod whose volumes are not there by then is placed anew. */
const volumeTimeoutMs = 600_000

export interface SchedulerOptions {
  /** Host in the name under which Events are reported. */
  readonly host?: string
  /** Default: the default scheduler alone. */
  readonly profiles?: readonly Profile[]
}

export interface Scheduler {
  readonly loops: readonly LoopDefinition[]
  /** What the last attempt for a pod (`namespace/name`) found. */
  lastAttempt(podKey: string): AttemptReport | undefined
}

export function createScheduler({ host = 'homeostat', profiles = [defaultProfile] }: SchedulerOptions = {}): Scheduler {
  const memories = new WeakMap<Cache, Memory>()
  const reports = new Reports()
  const names = new Set(profiles.map(({ schedulerName }) => schedulerName))
  const desks = new Map(
    profiles.map((profile) => {
      const instance = `${profile.schedulerName}-${host}`
      return [profile.schedulerName, { reports, instance, profile, plugins: pluginsOf(profile) }] as const
    }),
  )
  const memoryOf = (cache: Cache): Memory => {
    const known = memories.get(cache)
    if (known !== undefined) return known
    const memory = new Memory(cache, names)
    memories.set(cache, memory)
    return memory
  }
  const volumes = (_object: unknown, _old: unknown, cache: Cache): readonly string[] => memoryOf(cache).volumeChanged()
  const loop: LoopDefinition = {
    name: 'scheduler',
    user: 'system:kube-scheduler',
    manager: 'kube-scheduler',
    reconciles: Pod,
    watches: [
      watching(Node, (node, old, cache) => memoryOf(cache).nodeChanged(objectKey(node), old)),
      watching(Pod, (pod, old, cache) => {
        const key = objectKey(pod)
        return memoryOf(cache).podChanged(key, cache.get(Pod, key), old)
      }),
      watching(PersistentVolumeClaim, volumes),
      watching(PersistentVolume, volumes),
      watching(StorageClass, volumes),
    ],
    reads: [CSINode, Namespace, Service, ReplicaSet, StatefulSet, ReplicationController, PodDisruptionBudget],
    workers: 8,
    reconcile: (key, kit) => schedule(key, kit, { memory: memoryOf(kit.cache), desks }),
  }
  return { loops: [loop], lastAttempt: (podKey) => reports.of(podKey) }
}

/** The scheduler's loops, where nobody asks for its reports. */
export const schedulerLoops = (options?: SchedulerOptions): readonly LoopDefinition[] => createScheduler(options).loops

/** What one profile works with. */
export interface Desk {
  readonly memory: Memory
  readonly reports: Reports
  /** Name under which Events are reported. */
  readonly instance: string
  readonly profile: Profile
  readonly plugins: Plugins
}

interface Office {
  readonly memory: Memory
  readonly desks: ReadonlyMap<string, Omit<Desk, 'memory'>>
}

async function schedule(key: string, kit: Kit, office: Office): Promise<Outcome> {
  const { memory } = office
  const before = memory.waiting.moreImportant(key)
  if (before !== undefined) {
    await scheduleOne(before, kit, office)
    return requeueAfter(0)
  }
  return scheduleOne(key, kit, office)
}

async function scheduleOne(key: string, kit: Kit, { memory, desks }: Office): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  const drawer = desks.get(pod?.spec.schedulerName ?? defaultProfile.schedulerName)
  const held = memory.reserved.get(key)
  const isTaken = held === undefined && memory.snapshot.isPlaced(key)
  if (pod === undefined || drawer === undefined || !memory.isMine(pod) || isTaken) {
    memory.waiting.forget(key)
    return done()
  }
  const now = kit.world.clock.now()
  const delayMs = memory.waiting.delay(key, now)
  if (delayMs > 0) return requeueAfter(delayMs)
  const facts = podFacts(pod)
  const desk: Desk = { memory, ...drawer }
  if (held !== undefined) {
    const open = claimsToBind(facts, kit.cache)
    const stays = open.every(({ metadata }) => metadata.annotations?.[selectedNode] === held.nodeName)
    const isSame = held.uid === pod.metadata.uid
    const node = isSame ? memory.snapshot.node(held.nodeName) : undefined
    if (node !== undefined && open.length === 0) return bind(facts, node, { kit, desk })
    if (node !== undefined && stays && now < held.since + volumeTimeoutMs)
      return waitForVolumes(facts, { memory, now, until: held.since + volumeTimeoutMs })
    memory.unreserve(key)
  }
  return place(facts, { kit, desk })
}

/** The pod keeps its room, and is looked at again when something happens to volumes. */
function waitForVolumes(
  facts: PodFacts,
  { memory, now, until }: { readonly memory: Memory; readonly now: number; readonly until: number },
): Outcome {
  memory.waiting.hold(facts.key, new Set(['volume']), now)
  return requeueAfter(Math.min(memory.waiting.delay(facts.key, now), Math.max(0, until - now)))
}

async function place(facts: PodFacts, { kit, desk }: At): Promise<Outcome> {
  const { memory, reports } = desk
  const { snapshot } = memory
  const { key } = facts
  const now = kit.world.clock.now()
  const result = attempt(facts, snapshot, {
    random: kit.world.random,
    startAt: memory.nextNode,
    nominated: (nodeName) => memory.nominatedTo(nodeName),
    plugins: desk.plugins,
  })
  const refusals = (): ReturnType<AttemptReport['refused']> =>
    [...result.refusals].map(([node, { plugin, refusal }]) => ({ node, plugin, reasons: refusal.reasons }))
  if (result.type === 'notFound') {
    const { message } = result
    reports.add(key, {
      at: now,
      message,
      evaluated: snapshot.nodes.length,
      feasible: 0,
      refused: refusals,
      scores: () => [],
    })
    return refused(facts, result, { kit, desk })
  }
  memory.nextNode = (memory.nextNode + result.evaluated) % Math.max(1, snapshot.nodes.length)
  const { evaluated, feasible, scores } = result
  reports.add(key, { at: now, node: result.node.name, evaluated, feasible, refused: refusals, scores })
  const claims = claimsToBind(facts, kit.cache)
  if (claims.length > 0) return chooseForClaims(facts, claims, { nodeName: result.node.name, kit, memory })
  return bind(facts, result.node, { kit, desk })
}

interface At {
  readonly kit: Kit
  readonly desk: Desk
}

interface Choice {
  readonly nodeName: string
  readonly kit: Kit
  readonly memory: Memory
}

/** Claims that wait for their first pod are told its node; the pod is bound once they are. */
async function chooseForClaims(
  facts: PodFacts,
  claims: readonly PersistentVolumeClaim[],
  { nodeName, kit, memory }: Choice,
): Promise<Outcome> {
  const now = kit.world.clock.now()
  // Before the writes, so that whatever follows from them wakes the pod.
  memory.waiting.hold(facts.key, new Set(['volume']), now)
  memory.reserve(facts, nodeName, now)
  for (const { metadata } of claims) {
    const { namespace = '', name = '' } = metadata
    if (metadata.annotations?.[selectedNode] === nodeName) continue
    const patch = { metadata: { annotations: { [selectedNode]: nodeName } } }
    await kit.client.patch(PersistentVolumeClaim, { namespace, name }, patch, { type: 'application/merge-patch+json' })
  }
  return requeueAfter(memory.waiting.delay(facts.key, now))
}

async function bind(facts: PodFacts, node: NodeState, { kit, desk }: At): Promise<Outcome> {
  const { memory, instance, profile } = desk
  const { pod, key, namespace } = facts
  const { name = '', uid = '' } = pod.metadata
  // From now on the pod counts on its node, so that others can be placed while the write is under way.
  memory.snapshot.assume(facts, node.name)
  memory.reserved.delete(key)
  memory.waiting.forget(key)
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node.name },
  }
  try {
    await kit.client.createSubresource(Pod, { namespace, name }, 'binding', binding)
  } catch (error) {
    memory.snapshot.forget(key)
    memory.podChanged(key)
    if (isNotFound(error) || isConflict(error)) return done()
    memory.waiting.retry(key, kit.world.clock.now())
    throw error
  }
  recordSeriesEvent(kit, {
    object: pod,
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned ${namespace}/${name} to ${node.name}`,
    controller: profile.schedulerName,
    instance,
  })
  return done()
}
