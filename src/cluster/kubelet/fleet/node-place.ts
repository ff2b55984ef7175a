// One node and all that stands around it: its kubelet's memory, what its pods are given, and what watches over its room.

import {
  ConfigMap,
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  RuntimeClass,
  Secret,
  ServiceAccount,
} from '#kinds'
import { type Cache, podsByNode } from '#reconcile'
import type { Random } from '#world'
import type { Timings } from '../ground/timings.ts'
import type { Surroundings } from '../life/surroundings.ts'
import { IpPool } from '../node/addresses.ts'
import { ContainerRuntime } from '../node/container-runtime.ts'
import { isCritical } from '../node/critical.ts'
import type { NodeFacts } from '../node/node-facts.ts'
import { addressOf, type NodeSpec, rangeOf } from '../node/node-object.ts'
import { NodeRuntime } from '../node/node-runtime.ts'
import type { Troubles } from '../node/troubles.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { NodePressure } from '../pressure/node-pressure.ts'
import type { NodeProfiles } from '../profiles/node-profiles.ts'
import { addressesOf } from '../sync/sandbox.ts'
import type { VolumeLookups } from '../volumes/decide.ts'
import type { Workloads } from '../workload/workload.ts'

export interface FloorOptions {
  readonly nodes: readonly NodeSpec[]
  readonly timings: Timings
  readonly workloads: Workloads
  readonly profiles: NodeProfiles
  readonly troubles: Troubles
  readonly random: Random
  readonly onTraffic: (pod: Pod) => void
  readonly wake: (podKey: string) => void
  readonly onMounted: (claimKeys: readonly string[]) => void
  readonly isStopped: (nodeName: string) => boolean
}

export interface NodePlace {
  readonly spec: NodeSpec
  readonly index: number
  readonly runtime: NodeRuntime
  readonly around: Surroundings
  readonly pressure: NodePressure
  /** What it has taken up and not dropped again. */
  readonly runs: Set<PodRun>
}

/** What all nodes of a floor share. */
export interface FloorParts {
  readonly options: FloorOptions
  readonly cache: Cache
  readonly objects: VolumeLookups
  readonly runOf: (uid: string) => PodRun | undefined
  readonly factsOf: (spec: NodeSpec) => NodeFacts
}

export const lookupsIn = (cache: Cache): VolumeLookups => ({
  configMap: (key) => cache.get(ConfigMap, key),
  secret: (key) => cache.get(Secret, key),
  claim: (key) => cache.get(PersistentVolumeClaim, key),
  volume: (name) => cache.get(PersistentVolume, name),
  driver: (name) => cache.get(CSIDriver, name),
  hasServiceAccount: (key) => cache.get(ServiceAccount, key) !== undefined,
})

export function placeOf(
  { spec, index }: Pick<NodePlace, 'spec' | 'index'>,
  { options, cache, objects, runOf, factsOf }: FloorParts,
): NodePlace {
  const { timings, workloads, onTraffic, onMounted, troubles, wake, random } = options
  const runs = new Set<PodRun>()
  const runtime = new NodeRuntime({
    name: spec.name,
    hostIP: addressOf(spec, index),
    ips: new IpPool(rangeOf(spec, index), {
      shown: () => cache.by(podsByNode, spec.name),
      used: () => addressesOf(runs),
    }),
    workloads,
    timings,
    object: () => cache.get(Node, spec.name),
    facts: () => factsOf(spec),
    runtime: new ContainerRuntime(spec.containerRuntimeVersion),
  })
  const around: Surroundings = {
    node: runtime,
    timings,
    workloads,
    objects,
    runtimeHandler: (className) => cache.get(RuntimeClass, className)?.handler,
    storageTrouble: troubles.ofStorage,
    networkTrouble: () => troubles.networkOf(spec.name),
    runtimeTrouble: () => troubles.runtimeOf(spec.name),
    random,
    onTraffic,
    onMounted,
    wake,
  }
  const pressure = new NodePressure({
    runtime,
    workloads,
    troubles,
    runOf,
    isEvictable: (pod) => !isCritical(pod),
  })
  return { spec, index, runtime, around, pressure, runs }
}
