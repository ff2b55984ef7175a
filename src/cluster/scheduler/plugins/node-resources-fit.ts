// A pod fits where what it requests is still free. Scores by the least or the most allocated node, or by a line through
// points of utilization, over the resources and weights of the profile.

import type { PodRequests } from '#kinds'
import { type FilterPlugin, hint, maxScore, type ScorePlugin } from '../plugin.ts'
import type { PluginArgs, ScoringStrategy, ShapePoint } from '../plugin-args.ts'
import type { Refusal } from '../refusal.ts'
import type { NodeState } from '../view.ts'
import { fitsEmpty, lessOf, offersMore, standing, utilization, type Wanted, wantedOf } from './resource-amounts.ts'

interface Shortage {
  readonly resource: string
  readonly beyondNode: boolean
}

const refusals = new Map<string, Refusal>()

/** Refusals are few and alike: the same ones are handed out for all nodes. */
function refusalOf(shortages: readonly Shortage[], tooManyPods: boolean): Refusal {
  const unresolvable = shortages.some(({ beyondNode }) => beyondNode)
  const reasons = [
    ...(tooManyPods ? ['Too many pods'] : []),
    ...shortages.map(({ resource }) => `Insufficient ${resource}`),
  ]
  const key = `${unresolvable} ${reasons.join()}`
  const known = refusals.get(key) ?? { reasons, unresolvable }
  if (refusals.size < 1000) refusals.set(key, known)
  return known
}

function shortagesOf(wanted: readonly Wanted[], node: NodeState): readonly Shortage[] {
  const shortages: Shortage[] = []
  for (const [resource, amount] of wanted) {
    const [offered, taken] = standing(resource, node)
    if (amount > offered - taken) shortages.push({ resource, beyondNode: amount > offered })
  }
  return shortages
}

/** Resources with a domain of their own, which another scheduler or a device plug-in may account for. */
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/')

export function nodeResourcesFit({ fit }: PluginArgs): FilterPlugin & ScorePlugin {
  const isIgnored = (name: string): boolean =>
    isExtended(name) &&
    (fit.ignoredResources.includes(name) || fit.ignoredResourceGroups.includes(name.split('/', 1)[0] ?? ''))
  const ignoresSome = fit.ignoredResources.length + fit.ignoredResourceGroups.length > 0
  const checked = (requests: PodRequests): readonly Wanted[] => {
    const wanted = wantedOf(requests)
    return ignoresSome ? wanted.filter(([resource]) => !isIgnored(resource)) : wanted
  }
  return {
    name: 'NodeResourcesFit',
    ofNode: true,
    helpedBy: [
      hint('podGone'),
      hint('promiseGone', (pod, { pod: other }) => pod.priority <= other.priority),
      hint('podShrunk', ({ requests }, { pod, before }) => {
        const freed = lessOf(before.requests, pod.requests)
        return wantedOf(requests).some(([resource]) => freed.includes(resource))
      }),
      hint('podItself', (_pod, { pod, before }) => lessOf(before.requests, pod.requests).length > 0),
      hint('nodeAdded', ({ requests }, { object }) => fitsEmpty(requests, object)),
      hint(
        'nodeAllocatable',
        ({ requests }, { object, old }) => fitsEmpty(requests, object) && offersMore(requests, object, old),
      ),
    ],
    prepareFilter({ requests }) {
      const wanted = checked(requests)
      const { milliCpu, memory } = requests
      const simple = wanted.every(([resource]) => resource === 'cpu' || resource === 'memory')
      return (node) => {
        const full = node.pods.size + 1 > node.allocatable.pods
        if (simple && !full) {
          const { allocatable } = node
          const cpuFits = milliCpu === 0 || node.milliCpu + milliCpu <= allocatable.milliCpu
          if (cpuFits && (memory === 0 || node.memory + memory <= allocatable.memory)) return undefined
        }
        const shortages = shortagesOf(wanted, node)
        return full || shortages.length > 0 ? refusalOf(shortages, full) : undefined
      }
    },
    prepareScore: ({ requests }) => ({ ofNode: true, score: scorerOf(fit.scoringStrategy, requests) }),
  }
}

type ScoreResource = (taken: number, offered: number) => number

function scorerOf({ type, resources, shape }: ScoringStrategy, requests: PodRequests): (node: NodeState) => number {
  const byRatio = type === 'RequestedToCapacityRatio'
  const of = byRatio ? ratioScore(shape) : type === 'MostAllocated' ? mostAllocated : leastAllocated
  return (node) => {
    let [sum, weights] = [0, 0]
    for (const { name, weight } of resources) {
      const used = utilization(name, node, requests, { withDefaults: true })
      if (used === undefined) continue
      const score = of(used[0], used[1])
      if (byRatio && score <= 0) continue
      sum += score * weight
      weights += weight
    }
    if (weights === 0) return 0
    return byRatio ? Math.round(sum / weights) : Math.floor(sum / weights)
  }
}

const leastAllocated: ScoreResource = (taken, offered) =>
  taken > offered ? 0 : Math.floor(((offered - taken) * maxScore) / offered)

const mostAllocated: ScoreResource = (taken, offered) => Math.floor((Math.min(taken, offered) * maxScore) / offered)

/** Points give scores up to 10. */
const scoreOfPoint = ({ score }: ShapePoint): number => score * (maxScore / 10)

const ratioScore =
  (shape: readonly ShapePoint[]): ScoreResource =>
  (taken, offered) =>
    onLine(shape, taken > offered ? 100 : Math.floor((taken * 100) / offered))

function onLine(shape: readonly ShapePoint[], at: number): number {
  const i = shape.findIndex(({ utilization: point }) => at <= point)
  const [before, after] = [shape[i - 1], shape[i]]
  if (after === undefined) {
    const last = shape.at(-1)
    return last === undefined ? 0 : scoreOfPoint(last)
  }
  if (before === undefined) return scoreOfPoint(after)
  const rise = (scoreOfPoint(after) - scoreOfPoint(before)) * (at - before.utilization)
  return scoreOfPoint(before) + Math.trunc(rise / (after.utilization - before.utilization))
}
