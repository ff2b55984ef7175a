// Scores of the nodes that a pod fits on: each plug-in's, weighed and added; and the choice by them.

import type { Random } from '#world'
import type { ShapeAnswers } from './node-answers.ts'
import type { NodeScore } from './plugin.ts'
import type { PodFacts } from './pod-facts.ts'
import type { WeighedScore } from './profiles.ts'
import type { ClusterView, NodeState } from './view.ts'

export interface PluginScore {
  readonly plugin: string
  /** 0…100. */
  readonly score: number
  readonly weight: number
}

export interface NodeScores {
  readonly node: string
  /** Of all plug-ins, weighed. */
  readonly total: number
  readonly byPlugin: readonly PluginScore[]
}

export interface Scored {
  readonly totals: readonly number[]
  readonly parts: readonly { readonly by: WeighedScore; readonly scores: readonly number[] }[]
}

interface Scoring {
  readonly cluster: ClusterView
  readonly feasible: readonly NodeState[]
  readonly scores: readonly WeighedScore[]
  readonly answers?: ShapeAnswers | undefined
}

export function scoreNodes(pod: PodFacts, { cluster, feasible, scores: plugins, answers }: Scoring): Scored {
  const totals = new Array<number>(feasible.length).fill(0)
  const parts: { by: WeighedScore; scores: number[] }[] = []
  for (const [place, by] of plugins.entries()) {
    const prepared = by.plugin.prepareScore(pod, cluster, feasible)
    if (prepared === undefined) continue
    const scores = rawScores(prepared, feasible, answers?.scores(place))
    prepared.normalize?.(scores)
    for (let i = 0; i < scores.length; i += 1) totals[i] = (totals[i] ?? 0) + by.weight * (scores[i] ?? 0)
    parts.push({ by, scores })
  }
  return { totals, parts }
}

function rawScores(
  { ofNode, score }: NodeScore,
  feasible: readonly NodeState[],
  row: ReturnType<ShapeAnswers['scores']> | undefined,
): number[] {
  const scores = new Array<number>(feasible.length)
  for (let i = 0; i < feasible.length; i += 1) {
    const node = feasible[i] as NodeState
    scores[i] = ofNode === true && row !== undefined ? row.about(node, score) : score(node)
  }
  return scores
}

export function bestOf(feasible: readonly NodeState[], totals: readonly number[], random: Random) {
  let [top, chosen, equals] = [Number.NEGATIVE_INFINITY, 0, 0]
  for (let i = 0; i < totals.length; i += 1) {
    const total = totals[i] ?? 0
    if (total > top) [top, chosen, equals] = [total, i, 1]
    else if (total === top) {
      equals += 1
      if (random.int(equals) === 0) chosen = i
    }
  }
  return feasible[chosen]
}

/** The best first. */
export const scoresOf = (feasible: readonly NodeState[], scored: Scored | undefined): readonly NodeScores[] =>
  feasible
    .map(({ name }, i) => ({
      node: name,
      total: scored?.totals[i] ?? 0,
      byPlugin: (scored?.parts ?? []).map(({ by, scores }) => ({
        plugin: by.plugin.name,
        score: scores[i] ?? 0,
        weight: by.weight,
      })),
    }))
    .sort((a, b) => b.total - a.total)
