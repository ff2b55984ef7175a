// Plays the kubelets of all nodes: one loop for pods, one for nodes, and what can be asked of the nodes and done to them.

import type { Pod } from '#kinds'
import type { LoopDefinition } from '#reconcile'
import { Fleet, type KubeletOptions } from './fleet/fleet.ts'
import { type NodeGateway, nodeGateway } from './gateway/node-gateway.ts'
import { type Readings, readings } from './gateway/readings.ts'
import { type Interference, interference } from './interference.ts'
import { expansionLoop } from './loops/expansion-loop.ts'
import { nodeLoop } from './loops/node-loop.ts'
import { podLoop } from './loops/pod-loop.ts'

export interface Kubelet extends NodeGateway, Readings, Interference {
  readonly loops: readonly LoopDefinition[]
  readonly nodeNames: readonly string[]
  /** Calls `heard` with each pod that may answer otherwise from now on. */
  onTraffic(heard: (pod: Pod) => void): void
}

export function createKubelet(options: KubeletOptions = {}): Kubelet {
  const fleet = new Fleet(options)
  return {
    loops: [podLoop(fleet), nodeLoop(fleet), expansionLoop(fleet)],
    nodeNames: [...fleet.names],
    onTraffic: (heard) => fleet.onTraffic(heard),
    ...nodeGateway(fleet),
    ...readings(fleet),
    ...interference(fleet),
  }
}

/** The loops, where nobody asks for logs. */
export const kubeletLoops = (options?: KubeletOptions): readonly LoopDefinition[] => createKubelet(options).loops
