// The plug-ins of the default profile, in the order in which Kubernetes runs them.

import type { FilterPlugin, ScorePlugin } from '../plugin.ts'
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

export const filterPlugins: readonly FilterPlugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
]

export const scorePlugins: readonly ScorePlugin[] = [
  taintToleration,
  nodeAffinity,
  nodeResourcesFit,
  podTopologySpread,
  interPodAffinity,
  nodeResourcesBalancedAllocation,
  imageLocality,
]
