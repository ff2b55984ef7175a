// What can be read off the nodes: what they and their pods use, and which rule decides what is simulated on them.

import type { Pod } from '#kinds'
import { containersOf } from '../containers/containers.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { rulesOfPod } from '../profiles/node-rules.ts'
import { nodeSample, podSample, type UsageSample } from '../usage/samples.ts'
import type { DecidedField } from '../workload/decided-field.ts'
import { figuresOf, type NodeFigures, nodeLoad } from './node-load.ts'

/** Which rule decides what: of each container, and of the node as far as that concerns the pod. */
export interface Simulation {
  readonly containers: readonly { readonly name: string; readonly decided: readonly DecidedField[] }[]
  readonly node: readonly DecidedField[]
}

export interface Readings {
  /** What a pod's containers, or a node, took when it was last measured: the source of the metrics API. */
  podUsage(pod: Pod): UsageSample | undefined
  nodeUsage(name: string): UsageSample | undefined
  nodeFigures(): readonly NodeFigures[]
  /** Which rule decides each field of what a container does. */
  rulesFor(pod: Pod, container: string): readonly DecidedField[]
  /** The same for all containers of a pod, and for its node. */
  simulationOf(pod: Pod): Simulation
  /** Which profile decides what of a node. */
  rulesOfNode(name: string): readonly DecidedField[]
}

export function readings(fleet: Fleet): Readings {
  const { workloads, troubles } = fleet
  const rulesOfNode = (name: string): readonly DecidedField[] =>
    fleet.present?.floor.nodeNamed(name)?.runtime.facts().decided ?? []
  return {
    podUsage: (pod) =>
      fleet.present === undefined || fleet.isOff(pod.spec.nodeName ?? '')
        ? undefined
        : podSample(pod, workloads, fleet.now),
    nodeUsage(name) {
      const { present, now } = fleet
      if (present === undefined || fleet.isOff(name) || !fleet.names.has(name)) return undefined
      return nodeSample(nodeLoad(name, present.floor, { troubles, now }), workloads, now)
    },
    nodeFigures() {
      const { present, now } = fleet
      return present === undefined ? [] : fleet.specs.flatMap(({ name }) => figuresOf(name, present.floor, now))
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
  }
}
