// Gives every pod without a node a node. One attempt per run: find a node, then bind the pod; or say why there is none,
// make room if less important pods can go, and wait for something that helps.
// Reads: Pods, Nodes; claims, volumes, drivers, Services, owners, budgets.  Writes: bindings, volumes' claimRef, claims'
// selected node, Pod.status (PodScheduled, nominatedNodeName), victims.  Leaves pods of other schedulers alone.

import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceSlice,
  Service,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '#kinds'
import { formatTime, type KubeObject, objectKey } from '#objects'
import { type Cache, done, type Kit, type LoopDefinition, type Outcome, requeueAfter, watching } from '#reconcile'
import { assign, resume } from './assign.ts'
import type { ClusterEvent } from './cluster-event.ts'
import { attempt } from './cycle.ts'
import type { At, Desk } from './desk.ts'
import { podsByResourceClaim, ResourceClaim } from './devices/claims.ts'
import { failed, refused, tellRefusal } from './failure.ts'
import { Memory } from './memory.ts'
import { PluginError } from './plugin.ts'
import { type PodFacts, podFacts } from './pod-facts.ts'
import { type Backoff, defaultBackoff, defaultProfile, type Profile, pluginsOf } from './profiles.ts'
import { type PlacementReport, Reports } from './reports.ts'

export interface SchedulerOptions {
  /** Host in the name under which Events are reported. */
  readonly host?: string
  /** Default: the default scheduler alone. */
  readonly profiles?: readonly Profile[]
  readonly backoff?: Backoff
}

export interface Scheduler {
  readonly loops: readonly LoopDefinition[]
  /** The names that it answers to. */
  readonly names: readonly string[]
  /** What the last attempt for a pod (`namespace/name`) found, and what the pod waits for. */
  lastAttempt(podKey: string): PlacementReport | undefined
}

export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  const { host = 'homeostat', profiles = [defaultProfile], backoff = defaultBackoff } = options
  const memories = new WeakMap<Cache, Memory>()
  const reports = new Reports()
  const schedulerNames = new Set(profiles.map(({ schedulerName }) => schedulerName))
  const desks = new Map(
    profiles.map((profile) => {
      const instance = `${profile.schedulerName}-${host}`
      return [profile.schedulerName, { reports, instance, profile, plugins: pluginsOf(profile) }] as const
    }),
  )
  let newest: Memory | undefined
  const memoryOf = (cache: Cache): Memory => {
    const known = memories.get(cache)
    if (known !== undefined) return known
    const memory = new Memory(cache, { schedulerNames, backoff })
    memories.set(cache, memory)
    newest = memory
    return memory
  }
  const loop: LoopDefinition = {
    name: 'scheduler',
    user: 'system:kube-scheduler',
    manager: 'kube-scheduler',
    reconciles: Pod,
    watches: [
      watching(Node, (node, old, cache) => memoryOf(cache).nodeChanged(node, old)),
      watching(Pod, (pod, old, cache) => {
        const key = objectKey(pod)
        const now = cache.get(Pod, key)
        if (now === undefined) reports.forget(key)
        return memoryOf(cache).podChanged(key, now, now === undefined ? pod : old)
      }),
      ...volumeWatches(memoryOf),
      ...deviceWatches(memoryOf),
    ],
    reads: [Namespace, Service, ReplicaSet, StatefulSet, ReplicationController, PodDisruptionBudget],
    workers: 8,
    reconcile: (key, kit) => schedule(key, kit, { memory: memoryOf(kit.cache), desks }),
  }
  return {
    loops: [loop],
    names: [...schedulerNames],
    lastAttempt: (podKey) => reports.of(podKey, newest?.waiting.of(podKey)),
  }
}

/** The scheduler's loops, where nobody asks for its reports. */
export const schedulerLoops = (options?: SchedulerOptions): readonly LoopDefinition[] => createScheduler(options).loops

function volumeWatches(memoryOf: (cache: Cache) => Memory): readonly ReturnType<typeof watching>[] {
  return [
    telling(memoryOf, PersistentVolumeClaim, (object, old) => ({ type: 'claim', object, old })),
    telling(memoryOf, PersistentVolume, (object, old) => ({ type: 'volume', object, old })),
    telling(memoryOf, StorageClass, (object, old) => ({ type: 'storageClass', object, old })),
    telling(memoryOf, CSINode, (object, old) => ({ type: 'csiNode', object, old })),
    telling(memoryOf, CSIDriver, (object, old) => ({ type: 'csiDriver', object, old })),
    telling(memoryOf, CSIStorageCapacity, (object, old) => ({ type: 'storageCapacity', object, old })),
    watching(VolumeAttachment, (object, old, cache) =>
      cache.get(VolumeAttachment, objectKey(object)) === undefined
        ? memoryOf(cache).happened({ type: 'attachmentGone', object, old })
        : nothing,
    ),
  ]
}

function deviceWatches(memoryOf: (cache: Cache) => Memory): readonly ReturnType<typeof watching>[] {
  return [
    watching(ResourceClaim, (object, old, cache) => {
      const memory = memoryOf(cache)
      const key = objectKey(object)
      const isThere = cache.get(ResourceClaim, key) !== undefined
      memory.snapshot.inFlight.seen(object, isThere)
      // Pods that have waited for the claim to be there at all.
      const users = cache.by(podsByResourceClaim, key).flatMap((pod) => memory.podChanged(objectKey(pod), pod))
      return isThere ? [...users, ...memory.happened({ type: 'resourceClaim', object, old })] : users
    }),
    telling(memoryOf, ResourceSlice, (object, old) => ({ type: 'resourceSlice', object, old })),
    telling(memoryOf, DeviceClass, (object, old) => ({ type: 'deviceClass', object, old })),
  ]
}

/** What appears or changes may help; what goes does not. */
const telling = <T extends KubeObject>(
  memoryOf: (cache: Cache) => Memory,
  kind: Kind<T>,
  event: (object: T, old: T | undefined) => ClusterEvent,
): ReturnType<typeof watching> =>
  watching(kind, (object, old, cache) =>
    cache.get(kind, objectKey(object)) === undefined ? nothing : memoryOf(cache).happened(event(object, old)),
  )

const nothing: readonly string[] = []

interface Office {
  readonly memory: Memory
  readonly desks: ReadonlyMap<string, Omit<Desk, 'memory'>>
}

async function schedule(key: string, kit: Kit, office: Office): Promise<Outcome> {
  const { memory } = office
  const before = memory.waiting.before(key, kit.world.clock.now())
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
  if (pod === undefined || drawer === undefined || !memory.isMine(pod)) {
    memory.waiting.forget(key)
    return done()
  }
  if (isTaken) {
    memory.waiting.placed(key)
    return done()
  }
  const delayMs = memory.waiting.delay(key, kit.world.clock.now())
  if (delayMs > 0) return requeueAfter(delayMs)
  const at = { kit, desk: { memory, ...drawer } }
  if (held === undefined && pod.metadata.deletionTimestamp !== undefined) return skip(key, pod, at)
  const facts = podFacts(pod)
  const resumed = held === undefined ? undefined : await resume(facts, held, at)
  return resumed ?? place(facts, at)
}

/** A pod that is being deleted leaves the queue when its turn comes; only a change of it brings it back. */
function skip(key: string, pod: Pod, at: At): Outcome {
  const { waiting } = at.desk.memory
  const { namespace, name } = pod.metadata
  if (waiting.has(key)) tellRefusal(pod, `skip schedule deleting pod: ${namespace}/${name}`, at)
  waiting.forget(key)
  return done()
}

async function place(facts: PodFacts, { kit, desk }: At): Promise<Outcome> {
  const { memory, reports, plugins, profile } = desk
  const { snapshot } = memory
  const result = tried(() =>
    attempt(facts, snapshot, {
      random: kit.world.random,
      startAt: memory.nextNode,
      nominated: (nodeName) => memory.nominatedTo(nodeName),
      plugins,
    }),
  )
  if (result instanceof PluginError) return failed(facts, result.message, { kit, desk })
  const nodes = snapshot.nodes.length
  memory.nextNode = (memory.nextNode + result.evaluated) % Math.max(1, nodes)
  if (result.type === 'notFound') return refused(facts, result, { kit, desk })
  const at = formatTime(kit.world.clock.now())
  reports.placed(facts.key, result, { at, scheduler: profile.schedulerName, nodes })
  return assign(facts, result.node, { kit, desk })
}

/** What a plug-in could not say is an answer too. */
function tried<T>(work: () => T): T | PluginError {
  try {
    return work()
  } catch (error) {
    if (error instanceof PluginError) return error
    throw error
  }
}
