// Plays the kubelets of all nodes: one loop for pods, one for nodes. Each pod is a small machine (PodRun) that says what
// is to be told and when it wants to be woken; here it meets the API.
// Reads: Pods, Nodes, ConfigMaps, Secrets.  Writes: Pod.status, the deletion of pods that have ended, Events.

import { isConflict, isNotFound } from '#api'
import type { Client } from '#client'
import { ConfigMap, Node, Pod, type PodStatus, type ProfileWebhook, Secret, WorkloadProfile } from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  type Cache,
  done,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import type { World } from '#world'
import { admit, type Rejection, victimsFor } from './admission.ts'
import { sendSignal } from './ending.ts'
import { Floor } from './floor.ts'
import { containerLog, type LogRequest } from './logs.ts'
import { nodeLoop } from './node-loop.ts'
import { type NodeSpec, numberedNodes } from './node-object.ts'
import type { PodRun } from './pod-run.ts'
import { type DecidedField, type Outage, ProfiledWorkloads } from './profiles/profiled-workloads.ts'
import { rejectedStatus } from './rejection.ts'
import { nodeSample, podSample, type UsageSample } from './samples.ts'
import { type Timings, usualTimings } from './timings.ts'
import type { Workloads } from './workload.ts'

export interface KubeletOptions {
  /** How many nodes, or which; default 3. */
  readonly nodes?: number | readonly NodeSpec[]
  readonly timings?: Timings
  readonly workloads?: Workloads
}

export interface Kubelet {
  readonly loops: readonly LoopDefinition[]
  /** The log of one container (the API server's node gateway). */
  logs(pod: Pod, request: LogRequest, signal: AbortSignal): AsyncIterable<string>
  /** What a pod's containers, or a node, took when it was last measured: the source of the metrics API. */
  podUsage(pod: Pod): UsageSample | undefined
  nodeUsage(name: string): UsageSample | undefined
  readonly nodeNames: readonly string[]
  /** Which rule decides each field of what a container does. */
  rulesFor(pod: Pod, container: string): readonly DecidedField[]
  /** How the simulated server in a pod answers admission reviews; undefined: nothing listens. */
  webhookOf(pod: Pod): ProfileWebhook | undefined
  /** Sends a signal to the first process of a running container; false when it does not run. */
  kill(pod: Pod, container: string, signal: number): boolean
  /** Registries that refuse pulls from now on; the list replaces the one before. */
  setOutages(outages: readonly Outage[]): void
  /** Stops the kubelet of a node, as when its process dies: its containers go on, nobody reports. */
  stopNode(name: string): void
  startNode(name: string): void
}

export function createKubelet(options: KubeletOptions = {}): Kubelet {
  const { nodes = 3, timings = usualTimings } = options
  const workloads = new ProfiledWorkloads(options.workloads)
  let profilesChanged = false
  const specs = typeof nodes === 'number' ? numberedNodes(nodes) : nodes
  const stopped = new Set<string>()
  /** Nodes whose kubelet has begun anew and has not said so yet. */
  const restarted = new Set<string>()
  const floors = new WeakMap<Cache, Floor>()
  let latest: { readonly floor: Floor; readonly world: World } | undefined
  let wakePod: (key: string) => void = () => {}
  let wakeNode: (key: string) => void = () => {}
  const floorOf = ({ cache, world }: Kit): Floor => {
    const known = floors.get(cache)
    if (known !== undefined) return known
    const floor = new Floor(cache, { nodes: specs, timings, workloads, random: world.random }, stopped)
    floors.set(cache, floor)
    profilesChanged = true
    return floor
  }
  const names = new Set(specs.map(({ name }) => name))
  const podLoop: LoopDefinition = {
    name: 'kubelet',
    user: 'system:node:homeostat',
    manager: 'kubelet',
    reconciles: Pod,
    watches: [
      watching(Pod, (pod, _old, cache) => {
        if (!names.has(pod.spec.nodeName ?? '')) return none
        const key = objectKey(pod)
        // What the kubelet has written itself it has seen already.
        return floors.get(cache)?.hasSeen(pod) === true && cache.get(Pod, key) === pod ? none : [key]
      }),
      // Every pod that runs: its probes may find something else now.
      watching(WorkloadProfile, () => {
        profilesChanged = true
        return latest?.floor.keys() ?? []
      }),
    ],
    reads: [ConfigMap, Secret, Node],
    wakes: (wake) => {
      wakePod = wake
      return () => {}
    },
    workers: 16,
    reconcile(key, kit) {
      const floor = floorOf(kit)
      latest = { floor, world: kit.world }
      if (profilesChanged) {
        profilesChanged = false
        workloads.use(kit.cache.list(WorkloadProfile))
      }
      return keepPod(key, kit, { floor, wake: (other) => wakePod(other) })
    },
  }
  const nodeDefinition: LoopDefinition = {
    ...nodeLoop({
      nodes: specs,
      isStopped: (name) => stopped.has(name),
      takeRestarted: (name) => restarted.delete(name),
      runtimeOf: (name) => latest?.floor.nodeNamed(name)?.runtime,
    }),
    wakes: (wake) => {
      wakeNode = wake
      return () => {}
    },
  }
  return {
    loops: [podLoop, nodeDefinition],
    logs: (pod, request, signal) =>
      containerLog(pod, request, { workloads, signal, ...(latest === undefined ? {} : { world: latest.world }) }),
    podUsage: (pod) =>
      latest === undefined || stopped.has(pod.spec.nodeName ?? '')
        ? undefined
        : podSample(pod, workloads, latest.world.clock.now()),
    nodeUsage: (name) =>
      latest === undefined || stopped.has(name) || !names.has(name)
        ? undefined
        : nodeSample(name, latest.floor.podsOn(name), workloads, latest.world.clock.now()),
    nodeNames: specs.map(({ name }) => name),
    rulesFor: (pod, container) => workloads.rulesFor(pod, container),
    webhookOf: (pod) => workloads.webhook(pod),
    kill(pod, container, signal) {
      const run = latest?.floor.runOf(pod.metadata.uid ?? '')
      if (run === undefined || latest === undefined) return false
      run.agenda.advance(latest.world.clock.now())
      const hit = sendSignal(run, container, signal)
      if (hit) wakePod(objectKey(pod))
      return hit
    },
    setOutages: (outages) => workloads.setOutages(outages),
    stopNode(name) {
      stopped.add(name)
      latest?.floor.stop(name)
    },
    startNode(name) {
      stopped.delete(name)
      restarted.add(name)
      latest?.floor.restart(name, latest.world.clock.now())
      wakeNode(name)
      for (const key of latest?.floor.keysOn(name) ?? []) wakePod(key)
    },
  }
}

const none: readonly string[] = []

/** The loops, where nobody asks for logs. */
export const kubeletLoops = (options?: KubeletOptions): readonly LoopDefinition[] => createKubelet(options).loops

interface Desk {
  readonly floor: Floor
  readonly wake: (podKey: string) => void
}

async function keepPod(key: string, kit: Kit, desk: Desk): Promise<Outcome> {
  const { floor } = desk
  const pod = kit.cache.get(Pod, key)
  const now = kit.world.clock.now()
  const place = pod === undefined ? undefined : floor.nodeNamed(pod.spec.nodeName ?? '')
  let nextAt = Number.POSITIVE_INFINITY
  for (const run of floor.runsAt(key)) {
    if (run.uid === pod?.metadata.uid) continue
    // The pod is gone from the API, or another one has its name: what still runs is ended.
    run.agenda.advance(now)
    run.observe(undefined)
    run.agenda.advance(now)
    tellEvents(run, kit)
    if (run.isFinished) floor.drop(key, run)
    else nextAt = Math.min(nextAt, run.agenda.nextAt ?? nextAt)
  }
  if (pod !== undefined && place !== undefined && !floor.isStopped(place.spec.name)) {
    const known = floor.runOf(pod.metadata.uid ?? '')
    const run = known ?? floor.take(pod, place, now)
    const isNew = known === undefined
    const wakeAt = await keepRun(run, { pod, isNew, kit, desk })
    nextAt = Math.min(nextAt, wakeAt)
  }
  return nextAt === Number.POSITIVE_INFINITY ? done() : requeueAfter(Math.max(0, nextAt - now))
}

interface Keeping {
  readonly pod: Pod
  readonly isNew: boolean
  readonly kit: Kit
  readonly desk: Desk
}

/** Brings one pod up to now, tells what there is to tell, and answers when it wants to be woken. */
async function keepRun(run: PodRun, { pod, isNew, kit, desk }: Keeping): Promise<number> {
  const now = kit.world.clock.now()
  const { node } = run.around
  if (isNew && !run.isFinished && pod.status?.containerStatuses === undefined) {
    const rejection = admit(pod, node)
    if (rejection !== undefined) {
      const waits = makeRoom(run, rejection, { kit, desk })
      if (!waits) reject(run, rejection)
      else {
        desk.floor.drop(objectKey(pod), run)
        return now + 1000
      }
    } else node.admit(run.uid, pod)
  }
  if (isNew) run.begin()
  run.agenda.advance(now)
  run.observe(pod)
  const { version = 0 } = run.around.workloads
  if (run.workloadsVersion !== version) {
    run.workloadsVersion = version
    run.probing.changed()
  }
  run.agenda.advance(now)
  tellEvents(run, kit)
  const client = kit.client.as(node.caller)
  let nextAt = Number.POSITIVE_INFINITY
  try {
    nextAt = await tellStatus(run, client, now)
    if (run.isFinished && run.api.metadata.deletionTimestamp !== undefined) await remove(run.api, client)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return Math.min(nextAt, run.agenda.nextAt ?? nextAt)
}

function reject(run: PodRun, { reason, message }: Rejection): void {
  run.event('Warning', reason, message)
  run.reject(rejectedStatus(run.pod, { reason, message, now: run.now }))
}

/** A critical pod may make less important ones leave; true while it waits for them. */
function makeRoom(run: PodRun, rejection: Rejection, { kit, desk }: Pick<Keeping, 'kit' | 'desk'>): boolean {
  const { floor } = desk
  const { node } = run.around
  const victims = victimsFor(run.pod, node, rejection)
  for (const victim of victims) {
    const other = floor.runOf(victim.metadata.uid ?? '')
    if (other === undefined) continue
    other.agenda.advance(kit.world.clock.now())
    other.preempt()
    desk.wake(objectKey(victim))
  }
  return victims.length > 0
}

function tellEvents(run: PodRun, kit: Kit): void {
  for (const event of run.takeEvents())
    recordEvent(kit, { object: run.pod, ...event, component: 'kubelet', host: run.around.node.name })
}

/** What others wrote over a status that was told already is set right only after this time, as the real status manager does. */
const reconcileStatusMs = 10_000

const lastTold = new WeakMap<PodRun, { readonly status: PodStatus; readonly at: number }>()

/** Writes the status that is due; answers when to look again, if that is known. */
async function tellStatus(run: PodRun, client: Client, now: number): Promise<number> {
  const status = run.told()
  if (status === undefined || isTold(status, run.api.status)) return Number.POSITIVE_INFINITY
  const last = lastTold.get(run)
  const againAt = (last?.at ?? Number.NEGATIVE_INFINITY) + reconcileStatusMs
  if (last !== undefined && now < againAt && isTold(status, last.status)) return againAt
  const written = await client.updateStatus(Pod, { ...run.api, status })
  lastTold.set(run, { status, at: now })
  run.observe(written)
  return Number.POSITIVE_INFINITY
}

/** Whether the API says the same already; the order of conditions does not matter. */
function isTold(status: PodStatus, api: PodStatus | undefined): boolean {
  if (api === undefined) return false
  const { conditions = [], ...rest } = status
  const { conditions: told = [], ...others } = api
  return (
    conditions.length === told.length &&
    conditions.every((condition) =>
      isEqual(
        condition,
        told.find(({ type }) => type === condition.type),
      ),
    ) &&
    isEqual(rest, others)
  )
}

async function remove({ metadata }: Pod, client: Client): Promise<void> {
  const { namespace = '', name = '', uid } = metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  try {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0, ...preconditions })
  } catch (error) {
    // Another pod has taken the name.
    if (!isConflict(error)) throw error
  }
}
