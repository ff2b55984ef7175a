// Which plug-ins a profile runs at which point: the default ones, without those that are disabled, with those that are
// enabled, as kube-scheduler merges them. What we have no counterpart for (a point of a plug-in that cannot be told from
// its filter, plug-ins from outside) is refused or, where it changes nothing, accepted.

import type { Fields } from '#objects'
import { defaultScores, filterNames, type Profile, type WeighedPlugin } from '../profiles.ts'

const points = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
  'multiPoint',
] as const

type Point = (typeof points)[number]

const scoreNames = defaultScores.map(({ name }) => name)

/** The plug-ins that have something to do at a point, where it can be changed here. */
const atPoint: Partial<Record<Point, readonly string[]>> = {
  preEnqueue: ['SchedulingGates', 'DefaultPreemption', 'DynamicResources'],
  queueSort: ['PrioritySort'],
  filter: filterNames,
  postFilter: ['DefaultPreemption', 'DynamicResources'],
  score: [...scoreNames, 'VolumeBinding', 'DynamicResources'],
  bind: ['DefaultBinder'],
}

const multiPoint: readonly string[] = [
  'SchedulingGates',
  'PrioritySort',
  ...filterNames,
  'DefaultPreemption',
  'NodeResourcesBalancedAllocation',
  'ImageLocality',
  'DefaultBinder',
]

/** Without these nothing is ever queued or bound. */
const needed: readonly (readonly [point: Point, plugin: string])[] = [
  ['preEnqueue', 'SchedulingGates'],
  ['queueSort', 'PrioritySort'],
  ['bind', 'DefaultBinder'],
]

interface PluginSet {
  readonly enabled: readonly { readonly name: string; readonly weight: number | undefined }[]
  readonly disabled: ReadonlySet<string>
}

const nothing: PluginSet = { enabled: [], disabled: new Set() }

export function readPlugins(fields: Fields): Pick<Profile, 'filters' | 'scores' | 'preempts'> {
  const sets = new Map<Point, PluginSet>()
  for (const point of points) {
    const set = fields.object(point)
    if (set !== undefined) sets.set(point, readSet(set, point))
  }
  fields.end()
  const everywhere = sets.get('multiPoint') ?? nothing
  const multi = mergedMultiPoint(everywhere)
  const at = (point: Point): readonly WeighedPlugin[] => expanded(multi, sets.get(point) ?? nothing, point)
  for (const [point, plugin] of needed) {
    if (!at(point).some(({ name }) => name === plugin))
      fields.fault(point, `needs ${plugin}: without it no pod would be placed`)
  }
  return {
    filters: at('filter').flatMap(({ name }) => (filterNames.includes(name) ? [name] : [])),
    scores: at('score').filter(({ name }) => scoreNames.includes(name)),
    preempts: at('postFilter').some(({ name }) => name === 'DefaultPreemption'),
  }
}

function readSet(fields: Fields, point: Point): PluginSet {
  const seen = new Set<string>()
  const enabled = (fields.objects('enabled') ?? []).flatMap((entry) => {
    const name = readName(entry, point, { star: false })
    const weight = entry.whole('weight', { min: 0, max: 1_000_000 })
    entry.end()
    if (name === undefined) return []
    if (seen.has(name)) entry.fault('name', `"${name}" is enabled twice`)
    seen.add(name)
    return [{ name, weight: weight === 0 ? undefined : weight }]
  })
  const disabled = (fields.objects('disabled') ?? []).flatMap((entry) => {
    const name = readName(entry, point, { star: true })
    entry.raw('weight')
    entry.end()
    return name ?? []
  })
  fields.end()
  return { enabled, disabled: new Set(disabled) }
}

function readName(entry: Fields, point: Point, { star }: { readonly star: boolean }): string | undefined {
  const name = entry.text('name')
  if (name === undefined) {
    if (!entry.has('name')) entry.fault('name', 'is required')
    return undefined
  }
  if (star && name === '*') return name
  if (!multiPoint.includes(name)) {
    entry.fault('name', `"${name}" is no plug-in of this scheduler; there are ${multiPoint.join(', ')}`)
    return undefined
  }
  if (!star && atPoint[point]?.includes(name) === false)
    entry.fault('name', `"${name}" has nothing to do at ${point}; there are ${atPoint[point]?.join(', ')}`)
  return name
}

const isOff = (name: string, { disabled }: PluginSet): boolean => disabled.has(name) || disabled.has('*')

/** Default ones keep their place, with another weight perhaps; others come behind them. */
function mergedMultiPoint(set: PluginSet): PluginSet['enabled'] {
  const own = new Map(set.enabled.map((plugin) => [plugin.name, plugin]))
  const kept = multiPoint.filter((name) => !isOff(name, set))
  return [
    ...kept.map((name) => own.get(name) ?? { name, weight: undefined }),
    ...set.enabled.filter(({ name }) => !kept.includes(name)),
  ]
}

function expanded(multi: PluginSet['enabled'], set: PluginSet, point: Point): readonly WeighedPlugin[] {
  const possible = atPoint[point] ?? []
  const explicit = new Set(set.enabled.map(({ name }) => name))
  const overriding = set.enabled.filter(({ name }) => multi.some((plugin) => plugin.name === name))
  const inherited = multi.filter(({ name }) => !explicit.has(name) && !isOff(name, set))
  const added = set.enabled.filter((plugin) => !overriding.includes(plugin))
  return [...overriding, ...inherited, ...added]
    .filter(({ name }) => possible.includes(name))
    .map(({ name, weight }) => ({ name, weight: weight ?? usualWeight(name) }))
}

const usualWeight = (name: string): number => defaultScores.find((score) => score.name === name)?.weight ?? 1
