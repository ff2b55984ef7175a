// The loops that live in every cluster: one line for each room that has some.

import { controllers, outsideControllers } from '#controllers'
import {
  createKubelet,
  type Kubelet,
  type KubeletOptions,
  noDelays,
  numberedNodes,
  standinKubeletLoops,
} from '#kubelet'
import { createTraffic, type ServiceProxy } from '#proxy'
import type { LoopDefinition } from '#reconcile'
import { createScheduler, type Scheduler, type SchedulerOptions } from '#scheduler'

/** Equal nodes, `node-0` and so on. */
export interface NodePlan {
  readonly count: number
  readonly allocatable?: Readonly<Record<string, string>>
}

export interface ResidentOptions {
  /** How many nodes, or what they are like, or which; default 3. The stand-in has its own five. */
  readonly nodes?: number | NodePlan | Exclude<KubeletOptions['nodes'], number | undefined>
  /** `standin` plays the much simpler kubelet that the recordings of test/golden were made with. */
  readonly kubelet?: 'real' | 'standin'
  /** No delays for pulling images and starting containers. */
  readonly instant?: boolean
  readonly workloads?: KubeletOptions['workloads']
  readonly scheduler?: SchedulerOptions
}

export interface Residents {
  readonly loops: readonly LoopDefinition[]
  /** Those of the parts of the control plane that a real cluster runs as programs of their own. */
  readonly components: Readonly<Record<'controller-manager' | 'scheduler', readonly LoopDefinition[]>>
  /** Asked by `explain` for the last attempt to place a pod. */
  readonly scheduler: Scheduler
  /** Asked by `explain` for where a Service leads. */
  readonly proxy: ServiceProxy
  /** Absent with the stand-in. */
  readonly kubelet?: Kubelet
}

export function createResidents(options: ResidentOptions = {}): Residents {
  const scheduler = createScheduler(options.scheduler)
  const machines = options.kubelet === 'standin' ? undefined : createKubelet(kubeletOptions(options))
  const proxy = createTraffic(machines)
  const kubelet = machines === undefined ? undefined : withProxies(machines, proxy)
  // The recordings for the stand-in were made with a bare control plane.
  const nodeSide = kubelet === undefined ? standinKubeletLoops() : [...outsideControllers, ...kubelet.loops]
  const loops = [...controllers, ...scheduler.loops, ...nodeSide, ...proxy.loops]
  const components = { 'controller-manager': controllers, scheduler: scheduler.loops }
  return { scheduler, proxy, loops, components, ...(kubelet === undefined ? {} : { kubelet }) }
}

/** A node that is offline has a silent proxy too. */
const withProxies = (kubelet: Kubelet, proxy: ServiceProxy): Kubelet => ({
  ...kubelet,
  stopNode(name) {
    kubelet.stopNode(name)
    proxy.silence(name)
  },
  startNode(name) {
    kubelet.startNode(name)
    proxy.hear(name)
  },
})

function kubeletOptions({ nodes = 3, instant, workloads }: ResidentOptions): KubeletOptions {
  return {
    nodes: typeof nodes === 'number' || isList(nodes) ? nodes : nodesOf(nodes),
    ...(instant === true ? { timings: noDelays } : {}),
    ...(workloads === undefined ? {} : { workloads }),
  }
}

const isList = <T>(value: object | readonly T[]): value is readonly T[] => Array.isArray(value)

const nodesOf = ({ count, allocatable }: NodePlan): ReturnType<typeof numberedNodes> =>
  numberedNodes(count).map((node) => (allocatable === undefined ? node : { ...node, allocatable }))
