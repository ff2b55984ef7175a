// Scores of the nodes that a pod fits on: each plug-in's, weighed and added; and the choice by them.

import type { Random } from '#world'
import type { ShapeAnswers } from './node-answers.ts'
import type { NodeScore, Scores } from './plugin.ts'
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

/** So many nodes of an attempt are told of, the best first. */
const toldOf = 20

interface Part {
  readonly by: WeighedScore
  /** Of each feasible node. */
  readonly scores: Scores
}

/** Holds until the next attempt: its rows are those of a sheet that all attempts write on. */
export interface Scored {
  readonly totals: Scores
  readonly parts: readonly Part[]
}

interface Scoring {
  readonly cluster: ClusterView
  readonly feasible: readonly NodeState[]
  readonly scores: readonly WeighedScore[]
  readonly answers?: ShapeAnswers | undefined
}

/** A row of numbers that is used again and again. An attempt is one turn: no other one can begin meanwhile. */
class ScratchRow {
  #room = new Float64Array(128)
  #row = this.#room

  of(length: number): Scores {
    if (this.#row.length === length) return this.#row
    if (this.#room.length < length) this.#room = new Float64Array(Math.max(length, this.#room.length * 2))
    this.#row = this.#room.subarray(0, length)
    return this.#row
  }
}

const totalsRow = new ScratchRow()
const rows: ScratchRow[] = []

function rowFor(place: number, length: number): Scores {
  const row = rows[place] ?? new ScratchRow()
  rows[place] = row
  return row.of(length)
}

export function scoreNodes(pod: PodFacts, { cluster, feasible, scores: plugins, answers }: Scoring): Scored {
  const totals = totalsRow.of(feasible.length).fill(0)
  const parts: Part[] = []
  for (let place = 0; place < plugins.length; place += 1) {
    const by = plugins[place] as WeighedScore
    const prepared = by.plugin.prepareScore(pod, cluster, feasible)
    if (prepared === undefined) continue
    const scores = rowFor(place, feasible.length)
    score(prepared, feasible, { scores, known: answers?.scores(place) })
    prepared.normalize?.(scores)
    const { weight } = by
    for (let i = 0; i < scores.length; i += 1) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0)
    parts.push({ by, scores })
  }
  return { totals, parts }
}

interface Raw {
  readonly scores: Scores
  readonly known: ReturnType<ShapeAnswers['scores']> | undefined
}

function score({ ofNode, score: ask }: NodeScore, feasible: readonly NodeState[], { scores, known }: Raw): void {
  const row = ofNode === true ? known : undefined
  for (let i = 0; i < feasible.length; i += 1) {
    const node = feasible[i] as NodeState
    scores[i] = row === undefined ? ask(node) : row.about(node, ask)
  }
}

export function bestOf(feasible: readonly NodeState[], totals: Scores, random: Random): NodeState | undefined {
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

/**
 * The best nodes, the best first. Written down at once and briefly, since the sheet is used again, and told in full only
 * when somebody asks: of most attempts nobody does.
 */
export function scoresOf(feasible: readonly NodeState[], scored: Scored | undefined): () => readonly NodeScores[] {
  if (scored === undefined) return () => feasible.map(({ name }) => ({ node: name, total: 0, byPlugin: [] }))
  const { totals, parts } = scored
  const best = bestPlaces(totals)
  const names = Array.from(best, (i) => feasible[i]?.name ?? '')
  const plugins = parts.map(({ by }) => by)
  const numbers = new Float64Array(best.length * (parts.length + 1))
  const note = (row: number, scores: Scores): void => {
    for (let i = 0; i < best.length; i += 1) numbers[row * best.length + i] = scores[best[i] ?? 0] ?? 0
  }
  note(0, totals)
  for (let i = 0; i < parts.length; i += 1) note(i + 1, (parts[i] as Part).scores)
  const number = (row: number, i: number): number => numbers[row * names.length + i] ?? 0
  return () =>
    names.map((node, i) => ({
      node,
      total: number(0, i),
      byPlugin: plugins.map(({ plugin, weight }, at) => ({ plugin: plugin.name, score: number(at + 1, i), weight })),
    }))
}

const bestRow = new Int32Array(toldOf)

/** Where the highest are, in order; among equals the first ones. Holds until the next attempt. */
function bestPlaces(totals: Scores): Int32Array {
  let count = 0
  const totalAt = (at: number): number => totals[bestRow[at] ?? 0] ?? 0
  for (let i = 0; i < totals.length; i += 1) {
    const total = totals[i] ?? 0
    if (count === toldOf && total <= totalAt(count - 1)) continue
    if (count < toldOf) count += 1
    let at = count - 1
    for (; at > 0 && totalAt(at - 1) < total; at -= 1) bestRow[at] = bestRow[at - 1] ?? 0
    bestRow[at] = i
  }
  return bestRow.subarray(0, count)
}
