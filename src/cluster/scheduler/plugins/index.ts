// The plug-ins in the order in which Kubernetes runs them. A profile makes its own of them, with its arguments.

import type { FilterPlugin, ScorePlugin } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import { dynamicResources } from './dynamic-resources.ts'
import { imageLocality } from './image-locality.ts'
import { interPodAffinity } from './inter-pod-affinity.ts'
import { nodeAffinity } from './node-affinity.ts'
import { nodeName } from './node-name.ts'
import { nodePorts } from './node-ports.ts'
import { nodeResourcesBalancedAllocation } from './node-resources-balanced.ts'
import { nodeResourcesFit } from './node-resources-fit.ts'
import { nodeUnschedulable } from './node-unschedulable.ts'
import { nodeVolumeLimits } from './node-volume-limits.ts'
import { podTopologySpread } from './pod-topology-spread.ts'
import { taintToleration } from './taint-toleration.ts'
import { volumeBinding } from './volume-binding.ts'
import { volumeRestrictions } from './volume-restrictions.ts'
import { volumeZone } from './volume-zone.ts'

type Make<T> = (args: PluginArgs) => T

export const filterPlugins: Readonly<Record<string, Make<FilterPlugin>>> = {
  NodeUnschedulable: () => nodeUnschedulable,
  NodeName: () => nodeName,
  TaintToleration: () => taintToleration,
  NodeAffinity: nodeAffinity,
  NodePorts: () => nodePorts,
  NodeResourcesFit: nodeResourcesFit,
  VolumeRestrictions: () => volumeRestrictions,
  NodeVolumeLimits: () => nodeVolumeLimits,
  VolumeBinding: () => volumeBinding,
  VolumeZone: () => volumeZone,
  PodTopologySpread: podTopologySpread,
  InterPodAffinity: interPodAffinity,
  DynamicResources: () => dynamicResources,
}

export interface ScoreEntry {
  readonly make: Make<ScorePlugin>
  readonly weight: number
}

export const scorePlugins: Readonly<Record<string, ScoreEntry>> = {
  TaintToleration: { make: () => taintToleration, weight: 3 },
  NodeAffinity: { make: nodeAffinity, weight: 2 },
  NodeResourcesFit: { make: nodeResourcesFit, weight: 1 },
  PodTopologySpread: { make: podTopologySpread, weight: 2 },
  InterPodAffinity: { make: interPodAffinity, weight: 2 },
  NodeResourcesBalancedAllocation: { make: nodeResourcesBalancedAllocation, weight: 1 },
  ImageLocality: { make: () => imageLocality, weight: 1 },
}
