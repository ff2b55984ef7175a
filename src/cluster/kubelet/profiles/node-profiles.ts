// What the NodeProfiles of the cluster say of each node: fields from the profile with the highest priority that gives
// them (then by name), lists from all that match. Pure but for the profiles that were taken over last.

import type { NodeDriver, NodeProfile, NodeProfileSpec } from '#kinds'
import { isEqual, matchesGlobs, matchesLabels, parseTime, quantityValue } from '#objects'
import { plainPath } from '../ground/plain-path.ts'
import { usualHandlers } from '../node/container-runtime.ts'
import type { DatedCurve, NodeFacts, NodeUsageField } from '../node/node-facts.ts'
import { type Threshold, thresholdsFrom, usualThresholds } from '../node/thresholds.ts'
import { takenOver } from './by-priority.ts'
import { nodeRules } from './node-rules.ts'
import { curveOf } from './translate.ts'

type Labels = Readonly<Record<string, string>> | undefined

const usualTransitionMs = 300_000
const anyPulls: NodeFacts['imagePulls'] = {
  maxParallel: Number.POSITIVE_INFINITY,
  bytesPerSecond: Number.POSITIVE_INFINITY,
}
const noFacts: NodeFacts = {
  imagePulls: anyPulls,
  staticPods: [],
  files: new Map(),
  resources: {},
  csiDrivers: [],
  runtimeHandlers: new Set(usualHandlers),
  appArmor: { enabled: true, profiles: new Set() },
  usage: {},
  thresholds: usualThresholds,
  maxPodGraceSeconds: 0,
  pressureTransitionMs: usualTransitionMs,
  decided: [],
}

export class NodeProfiles {
  version = 0
  #profiles: readonly NodeProfile[] = []
  readonly #known = new Map<string, { readonly labels: Labels; readonly facts: NodeFacts }>()

  /** Takes over the profiles of the cluster; true when anything changed. */
  use(profiles: readonly NodeProfile[]): boolean {
    const sorted = takenOver(profiles, this.#profiles)
    if (sorted === undefined) return false
    this.#profiles = sorted
    this.version += 1
    this.#known.clear()
    return true
  }

  /** What holds on a node with these labels. */
  of(name: string, labels: Labels): NodeFacts {
    if (this.#profiles.length === 0) return noFacts
    const known = this.#known.get(name)
    if (known !== undefined && (known.labels === labels || isEqual(known.labels, labels))) return known.facts
    const matching = this.#profiles.filter(
      ({ spec: { match = {} } }) =>
        matchesGlobs(match.nodes, name) &&
        (match.nodeSelector === undefined || matchesLabels(match.nodeSelector, labels)),
    )
    const facts = matching.length === 0 ? noFacts : factsOf(matching)
    this.#known.set(name, { labels, facts })
    return facts
  }
}

function factsOf(profiles: readonly NodeProfile[]): NodeFacts {
  const specs = profiles.map(({ spec }) => spec)
  const first = <T>(pick: (spec: NodeProfileSpec) => T | undefined): T | undefined =>
    specs.map(pick).find((value) => value !== undefined)
  const drivers = new Map<string, NodeDriver>()
  for (const driver of specs.flatMap(({ csiDrivers = [] }) => csiDrivers))
    if (!drivers.has(driver.name)) drivers.set(driver.name, driver)
  const imagefs = first(({ imagefsCapacity }) => imagefsCapacity)
  const seconds = first((spec) => spec.evictionPressureTransitionSeconds)
  const maxParallel = first(({ imagePulls }) => imagePulls?.maxParallel)
  const bandwidth = first(({ imagePulls }) => imagePulls?.bandwidth)
  // What comes last in a map stays: the most important profile is laid over the others.
  const over = specs.toReversed()
  return {
    staticPods: specs.flatMap(({ staticPods = [] }) => staticPods),
    files: new Map(
      over.flatMap(({ files = [] }) => files.map(({ path, type = 'Directory' }) => [plainPath(path), type] as const)),
    ),
    resources: Object.fromEntries(
      over.flatMap(({ resources = {} }) => Object.entries(resources).map(([name, value]) => [name, String(value)])),
    ),
    csiDrivers: [...drivers.values()],
    runtimeHandlers: new Set([...usualHandlers, ...specs.flatMap(({ runtimeHandlers = [] }) => runtimeHandlers)]),
    appArmor: {
      enabled: first(({ appArmor }) => appArmor?.enabled) ?? noFacts.appArmor.enabled,
      profiles: new Set(specs.flatMap(({ appArmor }) => appArmor?.profiles ?? [])),
    },
    usage: usageOf(profiles),
    imagePulls: {
      maxParallel: maxParallel ?? anyPulls.maxParallel,
      bytesPerSecond: bandwidth === undefined ? anyPulls.bytesPerSecond : quantityValue(bandwidth),
    },
    ...(imagefs === undefined ? {} : { imagefsCapacity: quantityValue(imagefs) }),
    thresholds: thresholdsOf(specs),
    maxPodGraceSeconds: first((spec) => spec.evictionMaxPodGracePeriod) ?? noFacts.maxPodGraceSeconds,
    pressureTransitionMs: seconds === undefined ? usualTransitionMs : seconds * 1000,
    decided: nodeRules(profiles),
  }
}

/** Soft thresholds come with their grace periods, from one profile. */
function thresholdsOf(specs: readonly NodeProfileSpec[]): readonly Threshold[] {
  const hard = specs.find(({ evictionHard }) => evictionHard !== undefined)
  const soft = specs.find(({ evictionSoft }) => evictionSoft !== undefined)
  const reclaim = specs.find(({ evictionMinimumReclaim }) => evictionMinimumReclaim !== undefined)
  if (hard === undefined && soft === undefined && reclaim === undefined) return usualThresholds
  return thresholdsFrom({
    ...(hard?.evictionHard === undefined ? {} : { evictionHard: hard.evictionHard }),
    evictionSoft: soft?.evictionSoft ?? {},
    evictionSoftGracePeriod: soft?.evictionSoftGracePeriod ?? {},
    evictionMinimumReclaim: reclaim?.evictionMinimumReclaim ?? {},
  })
}

function usageOf(profiles: readonly NodeProfile[]): NodeFacts['usage'] {
  const usage: { [field in NodeUsageField]?: DatedCurve } = {}
  for (const { metadata, spec } of profiles)
    for (const [field, points] of Object.entries(spec.usage ?? {}) as [NodeUsageField, never][])
      usage[field] ??= { since: parseTime(metadata.creationTimestamp) ?? 0, points: curveOf(points, quantityValue) }
  return usage
}
