// Plays the kubelets of all nodes: one loop for pods, one for nodes. Each pod is a small machine (PodRun) that says what
// is to be told and when it wants to be woken; here it meets the API.
// Reads: Pods, Nodes, ConfigMaps, Secrets.  Writes: Pod.status, the deletion of pods that have ended, Events.

import type { PortConnection, SessionStreams } from '#api'
import {
  ConfigMap,
  CSIDriver,
  Node,
  NodeProfile,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type ProfileWebhook,
  Secret,
  ServiceAccount,
  WorkloadProfile,
} from '#kinds'
import { isEqual, objectKey } from '#objects'
import { type Cache, done, type Kit, type LoopDefinition, type Outcome, watching } from '#reconcile'
import type { World } from '#world'
import { type Answer, answerOf, nobody } from './answering.ts'
import { containersOf } from './containers.ts'
import { sendSignal } from './ending.ts'
import { type CommandRequest, runCommand } from './exec/exec.ts'
import { Floor } from './floor.ts'
import { type Desk, keepPod } from './keeping.ts'
import { containerLog, type LogRequest } from './logs.ts'
import { figuresOf, type NodeFigures, nodeLoad } from './node-load.ts'
import { nodeLoop } from './node-loop.ts'
import { type NodeSpec, numberedNodes } from './node-object.ts'
import type { PodRun } from './pod-run.ts'
import { servePort } from './port-server.ts'
import { NodeProfiles } from './profiles/node-profiles.ts'
import { rulesOfPod } from './profiles/node-rules.ts'
import { type DecidedField, type Outage, ProfiledWorkloads } from './profiles/profiled-workloads.ts'
import { nodeSample, podSample, type UsageSample } from './samples.ts'
import { keepStatic } from './static-keeping.ts'
import { type Timings, usualTimings } from './timings.ts'
import {
  type NetworkTrouble,
  type NodeShortage,
  type RuntimeTrouble,
  type StorageOutage,
  Troubles,
} from './troubles.ts'
import type { Workloads } from './workload.ts'

export interface KubeletOptions {
  /** How many nodes, or which; default 3. */
  readonly nodes?: number | readonly NodeSpec[]
  readonly timings?: Timings
  readonly workloads?: Workloads
}

/** Which rule decides what: of each container, and of the node as far as that concerns the pod. */
export interface Simulation {
  readonly containers: readonly { readonly name: string; readonly decided: readonly DecidedField[] }[]
  readonly node: readonly DecidedField[]
}

export interface Kubelet {
  readonly loops: readonly LoopDefinition[]
  /** The log of one container (the API server's node gateway). */
  logs(pod: Pod, request: LogRequest, signal: AbortSignal): AsyncIterable<string>
  /** Runs a command in a container, or joins what it runs; answers the exit code, throws what kubectl shall see. */
  run(pod: Pod, request: CommandRequest, streams: SessionStreams, signal: AbortSignal): Promise<number>
  /** Carries one connection to a port of a pod to its end; throws what kubectl shall see. */
  connect(pod: Pod, port: number, connection: PortConnection, signal: AbortSignal): Promise<void>
  /** What a pod's containers, or a node, took when it was last measured: the source of the metrics API. */
  podUsage(pod: Pod): UsageSample | undefined
  nodeUsage(name: string): UsageSample | undefined
  readonly nodeNames: readonly string[]
  nodeFigures(): readonly NodeFigures[]
  /** Which rule decides each field of what a container does. */
  rulesFor(pod: Pod, container: string): readonly DecidedField[]
  /** The same for all containers of a pod, and for its node. */
  simulationOf(pod: Pod): Simulation
  /** Which profile decides what of a node. */
  rulesOfNode(name: string): readonly DecidedField[]
  /** How the simulated server in a pod answers admission reviews; undefined: nothing listens. */
  webhookOf(pod: Pod): ProfileWebhook | undefined
  /** What a connection to a pod meets now. */
  answerOf(pod: Pod, port: number, protocol: string): Answer
  /** Calls `heard` with each pod that may answer otherwise from now on. */
  onTraffic(heard: (pod: Pod) => void): void
  /** Sends a signal to the first process of a running container; false when it does not run. */
  kill(pod: Pod, container: string, signal: number): boolean
  /** Registries that refuse pulls from now on; the list replaces the one before. */
  setOutages(outages: readonly Outage[]): void
  /** Storage that does not answer from now on; the list replaces the one before. */
  setStorageOutages(outages: readonly StorageOutage[]): void
  /** Nodes on which something else takes the room from now on; the list replaces the one before. */
  setShortages(shortages: readonly NodeShortage[]): void
  /** Nodes whose runtime does not answer; the list replaces the one before. */
  setRuntimes(runtimes: readonly RuntimeTrouble[]): void
  /** Nodes whose pods get no network; the list replaces the one before. Seen when a node looks at its runtime next. */
  setNetworks(networks: readonly NetworkTrouble[]): void
  /** Stops the kubelet of a node, as when its process dies: its containers go on, nobody reports. */
  stopNode(name: string): void
  startNode(name: string): void
  /** The machine was started anew: nothing of what ran on it runs any more, and its boot id is another one. */
  rebootNode(name: string): void
  /** All nodes are silent until `release`: nobody knows yet which of them are stopped. */
  hold(): void
  release(): void
}

/** What could not be reported is reported within ten seconds after the API server is back. */
const reportBackoff = { firstMs: 100, maxMs: 10_000 }

interface Latest {
  readonly floor: Floor
  readonly world: World
}

export function createKubelet(options: KubeletOptions = {}): Kubelet {
  const { nodes = 3, timings = usualTimings } = options
  const workloads = new ProfiledWorkloads(options.workloads, () =>
    specs.flatMap(({ name }) => [...(latest?.floor.podsOn(name) ?? [])]),
  )
  const profiles = new NodeProfiles()
  const troubles = new Troubles()
  let profilesChanged = false
  const specs = typeof nodes === 'number' ? numberedNodes(nodes) : nodes
  const stopped = new Set<string>()
  let held = false
  const isStopped = (name: string): boolean => held || stopped.has(name)
  /** Nodes whose kubelet has begun anew and has not said so yet. */
  const restarted = new Set<string>()
  const floors = new WeakMap<Cache, Floor>()
  let latest: Latest | undefined
  const listeners: ((pod: Pod) => void)[] = []
  const onTraffic = ({ pod }: PodRun): void => {
    for (const heard of listeners) heard(pod)
  }
  let wakePod: (key: string) => void = () => {}
  let wakeNode: (key: string) => void = () => {}
  const floorOf = ({ cache, world }: Kit): Floor => {
    const known = floors.get(cache)
    if (known !== undefined) return known
    const floor = new Floor(cache, {
      nodes: specs,
      timings,
      workloads,
      profiles,
      troubles,
      random: world.random,
      onTraffic,
      wake: (key) => wakePod(key),
      isStopped,
    })
    floors.set(cache, floor)
    profilesChanged = true
    // Before anything is decided about a mirror.
    profiles.use(cache.list(NodeProfile))
    floor.readManifests()
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
      watching(NodeProfile, () => [manifestsKey]),
      watching(Node, ({ metadata }, old) =>
        profiles.version === 0 || isEqual(metadata.labels, old?.metadata.labels) ? none : [manifestsKey],
      ),
    ],
    reads: [ConfigMap, Secret, ServiceAccount, PersistentVolumeClaim, PersistentVolume, CSIDriver],
    startKeys: [manifestsKey],
    wakes: (wake) => {
      wakePod = wake
      return () => {}
    },
    workers: 16,
    backoff: reportBackoff,
    reconcile(key, kit) {
      const floor = floorOf(kit)
      latest = { floor, world: kit.world }
      if (profilesChanged) {
        profilesChanged = false
        workloads.use(kit.cache.list(WorkloadProfile))
      }
      const desk = { floor, wake: (other: string) => wakePod(other) }
      if (key === manifestsKey) return readManifests(desk, kit, profiles)
      return floor.isStaticKey(key, kit.cache.get(Pod, key)) ? keepStatic(key, kit, desk) : keepPod(key, kit, desk)
    },
  }
  const nodeDefinition: LoopDefinition = {
    ...nodeLoop({
      nodes: specs,
      isStopped,
      takeRestarted: (name) => restarted.delete(name),
      placeOf: (name) => latest?.floor.nodeNamed(name),
      wakePod: (key) => wakePod(key),
      networkTrouble: (name) => troubles.networkOf(name),
      runtimeTrouble: (name) => troubles.runtimeOf(name),
      profiles,
    }),
    wakes: (wake) => {
      wakeNode = wake
      return () => {}
    },
  }
  const sampleOf = (name: string, { floor, world }: Latest): UsageSample => {
    const now = world.clock.now()
    return nodeSample(nodeLoad(name, floor, { troubles, now }), workloads, now)
  }
  const rulesOfNode = (name: string): readonly DecidedField[] =>
    latest?.floor.nodeNamed(name)?.runtime.facts().decided ?? []
  return {
    loops: [podLoop, nodeDefinition],
    logs: (pod, request, signal) =>
      containerLog(pod, request, { workloads, signal, ...(latest === undefined ? {} : { world: latest.world }) }),
    async run(pod, request, streams, signal) {
      const { nodeName = '' } = pod.spec
      if (latest === undefined || isStopped(nodeName)) throw new Error(unreachable(nodeName, latest))
      const { floor, world } = latest
      const follow = (until: AbortSignal): AsyncIterable<string> =>
        containerLog(pod, { ...wholeLog, container: request.container }, { workloads, signal: until, world })
      const wake = (): void => wakePod(objectKey(pod))
      return runCommand(floor.runFor(pod), request, streams, { world, signal, follow, wake })
    },
    async connect(pod, port, connection, signal) {
      const { nodeName = '' } = pod.spec
      if (latest === undefined || isStopped(nodeName)) throw new Error(unreachable(nodeName, latest))
      await servePort(latest.floor.runFor(pod), { port, world: latest.world, signal }, connection)
    },
    podUsage: (pod) =>
      latest === undefined || stopped.has(pod.spec.nodeName ?? '')
        ? undefined
        : podSample(pod, workloads, latest.world.clock.now()),
    nodeUsage: (name) =>
      latest === undefined || stopped.has(name) || !names.has(name) ? undefined : sampleOf(name, latest),
    nodeNames: specs.map(({ name }) => name),
    nodeFigures: () => {
      if (latest === undefined) return []
      const { floor, world } = latest
      return specs.flatMap(({ name }) => figuresOf(name, floor, world.clock.now()))
    },
    rulesFor: (pod, container) => workloads.rulesFor(pod, container),
    simulationOf: (pod) => ({
      containers: containersOf(pod.spec).map(({ spec: { name } }) => ({
        name,
        decided: workloads.rulesFor(pod, name),
      })),
      node: rulesOfPod(pod, rulesOfNode(pod.spec.nodeName ?? '')),
    }),
    rulesOfNode,
    webhookOf: (pod) => workloads.webhook(pod),
    answerOf(pod, port, protocol) {
      const run = latest?.floor.runFor(pod)
      return run === undefined || latest === undefined
        ? nobody
        : answerOf(run, { port, protocol, now: latest.world.clock.now() })
    },
    onTraffic(heard) {
      listeners.push(heard)
    },
    kill(pod, container, signal) {
      const run = latest?.floor.runFor(pod)
      if (run === undefined || latest === undefined) return false
      run.agenda.advance(latest.world.clock.now())
      const hit = sendSignal(run, container, signal)
      if (hit) wakePod(objectKey(pod))
      return hit
    },
    setOutages: (outages) => workloads.setOutages(outages),
    setStorageOutages: (outages) => troubles.setStorage(outages),
    setNetworks(networks) {
      const now = latest?.world.clock.now() ?? 0
      for (const name of troubles.setNetworks(networks)) {
        for (const run of latest?.floor.runsOn(name) ?? []) {
          run.agenda.advance(now)
          run.syncRegularly()
          wakePod(objectKey(run.pod))
        }
      }
    },
    setRuntimes(runtimes) {
      const now = latest?.world.clock.now() ?? 0
      for (const name of troubles.setRuntimes(runtimes, now)) {
        for (const run of latest?.floor.runsOn(name) ?? []) {
          run.agenda.advance(now)
          run.runtimeTurned()
          wakePod(objectKey(run.pod))
        }
      }
    },
    setShortages(shortages) {
      if (troubles.setShortages(shortages)) for (const { name } of specs) wakeNode(name)
    },
    stopNode(name) {
      stopped.add(name)
      latest?.floor.stop(name)
    },
    rebootNode(name) {
      latest?.floor.reboot(name, latest.world.clock.now())
    },
    hold() {
      held = true
    },
    release() {
      if (!held) return
      held = false
      for (const { name } of specs) wakeNode(name)
      for (const key of latest?.floor.keysOn(names) ?? []) wakePod(key)
    },
    startNode(name) {
      stopped.delete(name)
      restarted.add(name)
      latest?.floor.restart(name, latest.world.clock.now())
      wakeNode(name)
      for (const key of latest?.floor.keysOn(new Set([name])) ?? []) wakePod(key)
    },
  }
}

const none: readonly string[] = []

/** What a container writes from now on. */
const wholeLog = { follow: true, previous: false, timestamps: false, tailLines: 0 }

/** What the API server has of a node that does not answer. */
const unreachable = (name: string, latest: Latest | undefined): string =>
  `error dialing backend: dial tcp ${latest?.floor.nodeNamed(name)?.runtime.hostIP ?? name}:10250: connect: no route to host`

/** Stands for the folders of all nodes that hold manifests of static pods. */
const manifestsKey = 'manifests'

async function readManifests({ floor, wake }: Desk, { cache }: Kit, profiles: NodeProfiles): Promise<Outcome> {
  profiles.use(cache.list(NodeProfile))
  for (const key of floor.readManifests()) wake(key)
  return done()
}

/** The loops, where nobody asks for logs. */
export const kubeletLoops = (options?: KubeletOptions): readonly LoopDefinition[] => createKubelet(options).loops
