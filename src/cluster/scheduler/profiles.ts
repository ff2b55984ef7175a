// Profiles: one scheduler answers to several names, with other plug-ins, weights, arguments or shares of nodes for each.

import type { FilterPlugin, Hint, ScorePlugin } from './plugin.ts'
import { defaultArgs, type PluginArgs } from './plugin-args.ts'
import { filterPlugins, scorePlugins } from './plugins/index.ts'

export interface WeighedPlugin {
  readonly name: string
  readonly weight: number
}

export interface Profile {
  /** Pods with this spec.schedulerName are placed by this profile. */
  readonly schedulerName: string
  /** How many percent of the nodes are enough to choose from; default: by the size of the cluster. */
  readonly percentageOfNodesToScore?: number
  /** The filters, in their order; default: all. */
  readonly filters?: readonly string[]
  /** The scores with their weights; default: all, with the usual ones. */
  readonly scores?: readonly WeighedPlugin[]
  /** Whether less important pods are made to leave; default: yes. */
  readonly preempts?: boolean
  readonly args?: PluginArgs
}

/** Back-off of pods that did not fit. */
export interface Backoff {
  readonly initialSeconds: number
  readonly maxSeconds: number
}

export const defaultBackoff: Backoff = { initialSeconds: 1, maxSeconds: 10 }

export interface WeighedScore {
  readonly plugin: ScorePlugin
  readonly weight: number
}

/** A profile with its plug-ins made. */
export interface Plugins {
  readonly filters: readonly FilterPlugin[]
  readonly scores: readonly WeighedScore[]
  readonly percentageOfNodesToScore?: number
  readonly preempts: boolean
  readonly args: PluginArgs
}

export const defaultProfile: Profile = { schedulerName: 'default-scheduler' }

export const filterNames: readonly string[] = Object.keys(filterPlugins)
export const defaultScores: readonly WeighedPlugin[] = Object.entries(scorePlugins).map(([name, { weight }]) => ({
  name,
  weight,
}))

export function pluginsOf(profile: Profile): Plugins {
  const { filters = filterNames, scores = defaultScores, preempts = true, args = defaultArgs } = profile
  const { percentageOfNodesToScore } = profile
  return {
    filters: filters.flatMap((name) => filterPlugins[name]?.(args) ?? []),
    scores: scores.flatMap(({ name, weight }) => {
      const entry = scorePlugins[name]
      return entry === undefined ? [] : [{ plugin: entry.make(args), weight }]
    }),
    preempts,
    args,
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
  }
}

export const defaultPlugins: Plugins = pluginsOf(defaultProfile)

/** An event that a pod waits for, and the plug-in that it may convince. */
export interface Waker {
  readonly plugin: string
  readonly hint: Hint
}

const wakersOf = new WeakMap<FilterPlugin, readonly Waker[]>()

/** What may help a pod that these plug-ins refused. */
export function wakersFor(refusing: ReadonlySet<string>, { filters }: Plugins): readonly Waker[] {
  return filters.flatMap((plugin) => {
    if (!refusing.has(plugin.name)) return []
    const known = wakersOf.get(plugin) ?? plugin.helpedBy.map((hint) => ({ plugin: plugin.name, hint }))
    wakersOf.set(plugin, known)
    return known
  })
}
