// How many pods of a namespace match a selector, by node. Pods are grouped by their labels, which the pods of one owner
// share: a selector is held against groups, never against pods, and a pod touches only the counts of its group. Groups
// and counts find each other by a label that both have.

import type { PodFacts } from './pod-facts.ts'
import { type CompiledSelector, labelText } from './selector.ts'
import { type PodCounts, Tally } from './tally.ts'

type Labels = PodFacts['labels']

export interface CountQuestion {
  readonly namespace: string
  readonly selector: CompiledSelector
  /** Pods that are being deleted count too. */
  readonly terminating: boolean
}

class Count extends Tally {
  readonly question: CountQuestion

  constructor(question: CountQuestion) {
    super()
    this.question = question
  }
}

/** The pods of a namespace that have the same labels. */
class Group {
  readonly labels: Labels
  readonly text: string
  readonly staying = new Tally()
  readonly leaving = new Tally()
  /** The counts that these labels match. */
  counts: Count[] = []

  constructor(labels: Labels, text: string) {
    this.labels = labels
    this.text = text
  }

  get isEmpty(): boolean {
    return this.staying.byNode.size === 0 && this.leaving.byNode.size === 0
  }

  change(nodeName: string, by: 1 | -1, terminating: boolean): void {
    const own = terminating ? this.leaving : this.staying
    own.change(nodeName, by)
    for (const count of this.counts) if (!terminating || count.question.terminating) count.change(nodeName, by)
  }

  feed(count: Count): void {
    if (!count.question.selector.matches(this.labels)) return
    this.counts.push(count)
    count.addAll(this.staying)
    if (count.question.terminating) count.addAll(this.leaving)
  }
}

const nothing: readonly never[] = []

const pairsOf = (labels: Labels): readonly string[] =>
  Object.entries(labels).map(([key, value]) => labelText(key, value))

/** One namespace. Groups without pods are dropped. */
class Space {
  readonly #groups = new Map<string, Group>()
  readonly #groupsByPair = new Map<string, Set<Group>>()
  readonly #byLabels = new WeakMap<Labels, Group>()
  readonly #counts = new Map<string, Count>()
  /** By the label that their selectors ask for; undefined: those that ask for none. */
  readonly #countsByAnchor = new Map<string | undefined, Count[]>()

  count(question: CountQuestion): Count | undefined {
    return this.#counts.get(textOf(question))
  }

  makeCount(question: CountQuestion): Count {
    const count = new Count(question)
    const { anchor } = question.selector
    const groups = anchor === undefined ? this.#groups.values() : (this.#groupsByPair.get(anchor) ?? nothing)
    for (const group of groups) group.feed(count)
    this.#counts.set(textOf(question), count)
    const others = this.#countsByAnchor.get(anchor)
    if (others === undefined) this.#countsByAnchor.set(anchor, [count])
    else others.push(count)
    return count
  }

  change({ labels, terminating }: PodFacts, nodeName: string, by: 1 | -1): void {
    const group = this.#groupOf(labels)
    group.change(nodeName, by, terminating)
    if (group.isEmpty) this.#drop(group)
  }

  forgetCounts(): void {
    this.#counts.clear()
    this.#countsByAnchor.clear()
    for (const group of this.#groups.values()) group.counts = []
  }

  #groupOf(labels: Labels): Group {
    const known = this.#byLabels.get(labels)
    if (known !== undefined && this.#groups.get(known.text) === known) return known
    const text = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    const group = this.#groups.get(text) ?? this.#makeGroup(labels, text)
    this.#byLabels.set(labels, group)
    return group
  }

  #makeGroup(labels: Labels, text: string): Group {
    const group = new Group(labels, text)
    for (const count of this.#countsByAnchor.get(undefined) ?? nothing) group.feed(count)
    for (const pair of pairsOf(labels)) {
      for (const count of this.#countsByAnchor.get(pair) ?? nothing) group.feed(count)
      const others = this.#groupsByPair.get(pair)
      if (others === undefined) this.#groupsByPair.set(pair, new Set([group]))
      else others.add(group)
    }
    this.#groups.set(text, group)
    return group
  }

  #drop(group: Group): void {
    this.#groups.delete(group.text)
    for (const pair of pairsOf(group.labels)) {
      const groups = this.#groupsByPair.get(pair)
      if (groups?.delete(group) === true && groups.size === 0) this.#groupsByPair.delete(pair)
    }
  }
}

const textOf = ({ terminating, selector }: CountQuestion): string => (terminating ? `t${selector.text}` : selector.text)

/** So many counts are kept; beyond that all are forgotten and made again as they are asked for. */
const limit = 2000

export class PodCountIndex {
  readonly #spaces = new Map<string, Space>()
  #size = 0

  of(question: CountQuestion): PodCounts {
    const space = this.#space(question.namespace)
    const known = space.count(question)
    if (known !== undefined) return known
    if (this.#size >= limit) this.#forget()
    this.#size += 1
    return space.makeCount(question)
  }

  add(pod: PodFacts, nodeName: string): void {
    this.#space(pod.namespace).change(pod, nodeName, 1)
  }

  remove(pod: PodFacts, nodeName: string): void {
    this.#space(pod.namespace).change(pod, nodeName, -1)
  }

  #space(namespace: string): Space {
    let space = this.#spaces.get(namespace)
    if (space === undefined) {
      space = new Space()
      this.#spaces.set(namespace, space)
    }
    return space
  }

  #forget(): void {
    for (const space of this.#spaces.values()) space.forgetCounts()
    this.#size = 0
  }
}
