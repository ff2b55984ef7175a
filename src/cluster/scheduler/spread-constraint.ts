// Topology spread constraints of a pod, or those that its profile gives it, with selectors compiled; and which nodes'
// pods count for them.

import { matchesNodeAffinity, type PodSpec, type TopologySpreadConstraint, untoleratedTaint } from '#kinds'
import { byLabel, type Division, type Partition } from './partition.ts'
import type { PluginArgs } from './plugin-args.ts'
import type { PodFacts } from './pod-facts.ts'
import { type CompiledSelector, compileSelector } from './selector.ts'
import { defaultSpreadSelector } from './spread-selector.ts'
import type { ClusterView, NodeState } from './view.ts'

export const hostname = 'kubernetes.io/hostname'
const zone = 'topology.kubernetes.io/zone'

export interface Constraint {
  readonly maxSkew: number
  readonly key: string
  readonly selector: CompiledSelector
  readonly minDomains: number
  readonly honorsTaints: boolean
  /** Which nodes' pods count for this pod at all; undefined: those of all nodes. */
  readonly inclusion: Inclusion | undefined
}

interface Inclusion {
  /** The same for inclusions that mean the same. */
  readonly text: string
  readonly includes: (node: NodeState) => boolean
}

type When = 'DoNotSchedule' | 'ScheduleAnyway'

/** What a profile gives to pods without constraints of their own. */
interface Defaults {
  readonly spread: PluginArgs['spread']
  readonly cluster: ClusterView
}

const systemDefaults: readonly TopologySpreadConstraint[] = [
  { maxSkew: 3, topologyKey: hostname, whenUnsatisfiable: 'ScheduleAnyway' },
  { maxSkew: 5, topologyKey: zone, whenUnsatisfiable: 'ScheduleAnyway' },
]

const none: readonly Constraint[] = []

export function constraintsOf(pod: PodFacts, when: When, defaults?: Defaults): readonly Constraint[] {
  if (defaults === undefined)
    return (pod.spec.topologySpreadConstraints ?? [])
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
      .map((given) => constraintOf(given, compileSelector(given.labelSelector), pod.spec))
  const { spread, cluster } = defaults
  const isSystem = spread.defaultingType === 'System'
  const given = (isSystem ? systemDefaults : spread.defaultConstraints).filter(
    ({ whenUnsatisfiable, topologyKey }) =>
      whenUnsatisfiable === when && (!isSystem || cluster.nodesWithLabel(topologyKey) > 0),
  )
  const selector = given.length === 0 ? undefined : defaultSpreadSelector(pod, cluster.objects)
  return selector === undefined ? none : given.map((one) => constraintOf(one, selector, pod.spec))
}

function constraintOf(given: TopologySpreadConstraint, selector: CompiledSelector, spec: PodSpec): Constraint {
  const { maxSkew, topologyKey, minDomains = 1, nodeTaintsPolicy } = given
  const honorsTaints = nodeTaintsPolicy === 'Honor'
  return { maxSkew, key: topologyKey, minDomains, honorsTaints, selector, inclusion: inclusionOf(given, spec) }
}

function inclusionOf(given: TopologySpreadConstraint, spec: PodSpec): Inclusion | undefined {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = given
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const byAffinity = nodeAffinityPolicy === 'Honor' && (spec.nodeSelector !== undefined || required !== undefined)
  const byTaints = nodeTaintsPolicy === 'Honor'
  if (!byAffinity && !byTaints) return undefined
  const tolerations = spec.tolerations ?? []
  return {
    text: `${byAffinity ? JSON.stringify([spec.nodeSelector, required]) : ''}${byTaints ? JSON.stringify(tolerations) : ''}`,
    includes({ node, hardTaints }) {
      if (node === undefined || (byAffinity && !matchesNodeAffinity(spec, node))) return false
      return !byTaints || untoleratedTaint(hardTaints, tolerations, ['NoSchedule', 'NoExecute']) === undefined
    },
  }
}

export const hasKeys = (constraints: readonly Constraint[], { labels }: NodeState): boolean =>
  constraints.every(({ key }) => labels[key] !== undefined)

/** The domains of a constraint: only nodes that have the labels of `all` constraints and that it includes. */
export function divisionBy(constraint: Constraint, all: readonly Constraint[], cluster: ClusterView): Division {
  return cluster.divide(partitionBy(constraint, all))
}

function partitionBy({ key, inclusion }: Constraint, all: readonly Constraint[]): Partition {
  const others = all.filter((other) => other.key !== key)
  if (others.length === 0 && inclusion === undefined) return byLabel(key)
  const id = `${key}|${others.map((other) => other.key).join()}|${inclusion?.text ?? ''}`
  return {
    id,
    domainOf: (node) => (hasKeys(others, node) && inclusion?.includes(node) !== false ? node.labels[key] : undefined),
  }
}
