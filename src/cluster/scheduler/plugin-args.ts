// What can be set about plug-ins, with Kubernetes' defaults: the `args` of a profile's pluginConfig.

import type { NodeAffinity, TopologySpreadConstraint } from '#kinds'

export interface WeighedResource {
  readonly name: string
  readonly weight: number
}

/** A point of the line that gives scores (0…10) to utilizations (0…100 %). */
export interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio'
  readonly resources: readonly WeighedResource[]
  /** For RequestedToCapacityRatio. */
  readonly shape: readonly ShapePoint[]
}

export interface PluginArgs {
  readonly fit: {
    readonly ignoredResources: readonly string[]
    readonly ignoredResourceGroups: readonly string[]
    readonly scoringStrategy: ScoringStrategy
  }
  readonly balanced: { readonly resources: readonly WeighedResource[] }
  readonly nodeAffinity: { readonly addedAffinity?: NodeAffinity }
  readonly interPodAffinity: {
    readonly hardPodAffinityWeight: number
    readonly ignorePreferredTermsOfExistingPods: boolean
  }
  readonly spread: {
    readonly defaultingType: 'System' | 'List'
    readonly defaultConstraints: readonly TopologySpreadConstraint[]
  }
  readonly preemption: {
    readonly minCandidateNodesPercentage: number
    readonly minCandidateNodesAbsolute: number
  }
  readonly volumeBinding: { readonly bindTimeoutSeconds: number }
}

const cpuAndMemory: readonly WeighedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

export const defaultArgs: PluginArgs = {
  fit: {
    ignoredResources: [],
    ignoredResourceGroups: [],
    scoringStrategy: { type: 'LeastAllocated', resources: cpuAndMemory, shape: [] },
  },
  balanced: { resources: cpuAndMemory },
  nodeAffinity: {},
  interPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
  spread: { defaultingType: 'System', defaultConstraints: [] },
  preemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
  volumeBinding: { bindTimeoutSeconds: 600 },
}
