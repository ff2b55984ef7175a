// Profiles: one scheduler answers to several names, with other plug-ins, weights or shares of nodes for each.

import type { FilterPlugin, ScorePlugin } from './plugin.ts'
import { filterPlugins, scorePlugins } from './plugins/index.ts'

export interface Profile {
  /** Pods with this spec.schedulerName are placed by this profile. */
  readonly schedulerName: string
  /** How many percent of the nodes are enough to choose from; default: by the size of the cluster. */
  readonly percentageOfNodesToScore?: number
  /** Plug-ins that this profile does without. */
  readonly disabled?: readonly string[]
  /** Other weights than the usual ones. */
  readonly weights?: Readonly<Record<string, number>>
}

export interface Plugins {
  readonly filters: readonly FilterPlugin[]
  readonly scores: readonly ScorePlugin[]
  readonly percentageOfNodesToScore?: number
}

export const defaultProfile: Profile = { schedulerName: 'default-scheduler' }
export const defaultPlugins: Plugins = { filters: filterPlugins, scores: scorePlugins }

export function pluginsOf({ disabled = [], weights = {}, percentageOfNodesToScore }: Profile): Plugins {
  const isOn = ({ name }: { readonly name: string }): boolean => !disabled.includes(name)
  return {
    filters: filterPlugins.filter(isOn),
    scores: scorePlugins
      .filter(isOn)
      .map((plugin) =>
        weights[plugin.name] === undefined ? plugin : { ...plugin, weight: weights[plugin.name] ?? 0 },
      ),
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
  }
}
