// The arguments of plug-ins in a profile's pluginConfig, with the checks and defaults of kubescheduler.config.k8s.io/v1.

import type { NodeAffinity, TopologySpreadConstraint } from '#kinds'
import type { Fields } from '#objects'
import {
  defaultArgs,
  type PluginArgs,
  type ScoringStrategy,
  type ShapePoint,
  type WeighedResource,
} from '../plugin-args.ts'

type Draft = { -readonly [K in keyof PluginArgs]: PluginArgs[K] }

interface ArgsReader {
  readonly kind: string
  readonly read: (fields: Fields, args: Draft) => void
}

const readers: Readonly<Record<string, ArgsReader>> = {
  NodeResourcesFit: { kind: 'NodeResourcesFitArgs', read: readFit },
  NodeResourcesBalancedAllocation: { kind: 'NodeResourcesBalancedAllocationArgs', read: readBalanced },
  NodeAffinity: { kind: 'NodeAffinityArgs', read: readNodeAffinity },
  InterPodAffinity: { kind: 'InterPodAffinityArgs', read: readInterPodAffinity },
  PodTopologySpread: { kind: 'PodTopologySpreadArgs', read: readSpread },
  DefaultPreemption: { kind: 'DefaultPreemptionArgs', read: readPreemption },
  VolumeBinding: { kind: 'VolumeBindingArgs', read: readVolumeBinding },
}

const apiVersion = 'kubescheduler.config.k8s.io/v1'

export function readPluginConfig(entries: readonly Fields[]): PluginArgs {
  const args: Draft = { ...defaultArgs }
  const seen = new Set<string>()
  for (const entry of entries) {
    const name = entry.text('name')
    const fields = entry.object('args')
    entry.end()
    if (name === undefined) {
      if (!entry.has('name')) entry.fault('name', 'is required')
      continue
    }
    if (seen.has(name)) entry.fault('name', `"${name}" is configured twice`)
    seen.add(name)
    const reader = readers[name]
    if (reader === undefined) {
      entry.fault('name', `"${name}" takes no arguments; those that do: ${Object.keys(readers).join(', ')}`)
      continue
    }
    if (fields === undefined) continue
    fields.text('apiVersion', [apiVersion])
    fields.text('kind', [reader.kind])
    reader.read(fields, args)
    fields.end()
  }
  return args
}

function readFit(fields: Fields, args: Draft): void {
  const ignoredResources = fields.texts('ignoredResources') ?? []
  const ignoredResourceGroups = fields.texts('ignoredResourceGroups') ?? []
  ignoredResourceGroups.forEach((group, i) => {
    if (group.includes('/')) fields.fault(`ignoredResourceGroups[${i}]`, 'is a resource, must be a group: no "/"')
  })
  const strategy = fields.object('scoringStrategy')
  args.fit = {
    ignoredResources,
    ignoredResourceGroups,
    scoringStrategy: strategy === undefined ? defaultArgs.fit.scoringStrategy : readStrategy(strategy),
  }
}

const strategies = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'] as const

function readStrategy(fields: Fields): ScoringStrategy {
  const type = (fields.text('type', strategies) ?? 'LeastAllocated') as ScoringStrategy['type']
  const resources = readResources(fields)
  const ratio = fields.object('requestedToCapacityRatio')
  const shape = ratio === undefined ? [] : readShape(ratio)
  ratio?.end()
  if (type === 'RequestedToCapacityRatio' && ratio === undefined)
    fields.fault('requestedToCapacityRatio', 'is required when type is RequestedToCapacityRatio')
  fields.end()
  return { type, resources: resources ?? defaultArgs.fit.scoringStrategy.resources, shape }
}

function readResources(fields: Fields): readonly WeighedResource[] | undefined {
  const entries = fields.objects('resources')
  if (entries === undefined || entries.length === 0) return undefined
  return entries.flatMap((entry) => {
    const name = entry.text('name')
    if (!entry.has('name')) entry.fault('name', 'is required')
    const weight = entry.whole('weight', { min: 0, max: 100 }) ?? 1
    entry.end()
    return name === undefined ? [] : [{ name, weight: weight === 0 ? 1 : weight }]
  })
}

function readShape(fields: Fields): readonly ShapePoint[] {
  const points = (fields.objects('shape') ?? []).map((point, i, all) => {
    const utilization = point.whole('utilization', { min: 0, max: 100 }) ?? 0
    const score = point.whole('score', { min: 0, max: 10 }) ?? 0
    point.end()
    const before = i === 0 ? undefined : all[i - 1]?.raw('utilization')
    if (typeof before === 'number' && utilization <= before)
      point.fault('utilization', `is ${utilization}, must be larger than that of the point before (${before})`)
    return { utilization, score }
  })
  if (points.length === 0) fields.fault('shape', 'needs at least one point')
  return points
}

function readBalanced(fields: Fields, args: Draft): void {
  const resources = readResources(fields)
  resources?.forEach(({ weight }, i) => {
    if (weight !== 1) fields.fault(`resources[${i}].weight`, `is ${weight}, must be 1`)
  })
  args.balanced = { resources: resources ?? defaultArgs.balanced.resources }
}

function readNodeAffinity(fields: Fields, args: Draft): void {
  const added = fields.object('addedAffinity')
  if (added === undefined) return
  const required = added.object('requiredDuringSchedulingIgnoredDuringExecution')
  const preferred = added.objects('preferredDuringSchedulingIgnoredDuringExecution')
  if (required !== undefined) {
    const terms = required.objects('nodeSelectorTerms') ?? []
    if (terms.length === 0) required.fault('nodeSelectorTerms', 'needs at least one term')
    for (const term of terms) checkTerm(term)
    required.end()
  }
  for (const one of preferred ?? []) {
    if (!one.has('weight')) one.fault('weight', 'is required')
    one.whole('weight', { min: 1, max: 100 })
    const preference = one.object('preference')
    if (preference === undefined) one.fault('preference', 'is required')
    else checkTerm(preference)
    one.end()
  }
  if (required === undefined && (preferred ?? []).length === 0)
    added.fault('', 'must say what is required or preferred')
  added.end()
  args.nodeAffinity = { addedAffinity: fields.raw('addedAffinity') as NodeAffinity }
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

function checkTerm(term: Fields): void {
  for (const list of ['matchExpressions', 'matchFields']) {
    for (const requirement of term.objects(list) ?? []) {
      if (!requirement.has('key')) requirement.fault('key', 'is required')
      requirement.text('key')
      const operator = requirement.text('operator', list === 'matchFields' ? ['In', 'NotIn'] : operators)
      if (!requirement.has('operator')) requirement.fault('operator', 'is required')
      const values = requirement.texts('values') ?? []
      if (['In', 'NotIn'].includes(operator ?? '') && values.length === 0)
        requirement.fault('values', `needs at least one value when operator is ${operator}`)
      if (['Exists', 'DoesNotExist'].includes(operator ?? '') && values.length > 0)
        requirement.fault('values', `must be empty when operator is ${operator}`)
      if (['Gt', 'Lt'].includes(operator ?? '') && values.length !== 1)
        requirement.fault('values', `needs exactly one value when operator is ${operator}`)
      requirement.end()
    }
  }
  term.end()
}

function readInterPodAffinity(fields: Fields, args: Draft): void {
  const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = defaultArgs.interPodAffinity
  args.interPodAffinity = {
    hardPodAffinityWeight: fields.whole('hardPodAffinityWeight', { min: 0, max: 100 }) ?? hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods:
      fields.flag('ignorePreferredTermsOfExistingPods') ?? ignorePreferredTermsOfExistingPods,
  }
}

function readSpread(fields: Fields, args: Draft): void {
  const constraints = fields.objects('defaultConstraints') ?? []
  const defaultingType = (fields.text('defaultingType', ['System', 'List']) ?? 'System') as 'System' | 'List'
  if (defaultingType === 'System' && constraints.length > 0)
    fields.fault('defaultConstraints', 'must be empty when defaultingType is System: set it to List')
  args.spread = { defaultingType, defaultConstraints: constraints.map(readConstraint) }
}

function readConstraint(fields: Fields): TopologySpreadConstraint {
  for (const name of ['maxSkew', 'topologyKey', 'whenUnsatisfiable'])
    if (!fields.has(name)) fields.fault(name, 'is required')
  if (fields.raw('labelSelector') !== undefined)
    fields.fault('labelSelector', 'must not be set: pods are counted by their Services and owners')
  const policies = ['Honor', 'Ignore'] as const
  const minDomains = fields.whole('minDomains', { min: 1 })
  const nodeAffinityPolicy = fields.text('nodeAffinityPolicy', policies)
  const nodeTaintsPolicy = fields.text('nodeTaintsPolicy', policies)
  const constraint = {
    maxSkew: fields.whole('maxSkew', { min: 1 }) ?? 1,
    topologyKey: fields.text('topologyKey') ?? '',
    whenUnsatisfiable: fields.text('whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway']) ?? 'ScheduleAnyway',
    ...(minDomains === undefined ? {} : { minDomains }),
    ...(nodeAffinityPolicy === undefined ? {} : { nodeAffinityPolicy }),
    ...(nodeTaintsPolicy === undefined ? {} : { nodeTaintsPolicy }),
  } as TopologySpreadConstraint
  fields.end()
  return constraint
}

function readPreemption(fields: Fields, args: Draft): void {
  const { preemption } = defaultArgs
  const share = fields.whole('minCandidateNodesPercentage', { min: 0, max: 100 })
  const least = fields.whole('minCandidateNodesAbsolute', { min: 0 })
  args.preemption = {
    minCandidateNodesPercentage: share ?? preemption.minCandidateNodesPercentage,
    minCandidateNodesAbsolute: least ?? preemption.minCandidateNodesAbsolute,
  }
  if (share === 0 && least === 0)
    fields.fault('minCandidateNodesAbsolute', 'and minCandidateNodesPercentage cannot both be 0')
}

function readVolumeBinding(fields: Fields, args: Draft): void {
  const bindTimeoutSeconds = fields.whole('bindTimeoutSeconds', { min: 0 })
  if (fields.raw('shape') !== undefined)
    fields.fault('shape', 'cannot be set: the feature gate StorageCapacityScoring is off in 1.34')
  args.volumeBinding = { bindTimeoutSeconds: bindTimeoutSeconds ?? defaultArgs.volumeBinding.bindTimeoutSeconds }
}
