// How many pods of a namespace match a selector, by node. A count is made when it is first asked for and kept up from
// then on, so that spreading a pod does not cost more the more pods there are.

import type { PodFacts } from './pod-facts.ts'
import type { CompiledSelector } from './selector.ts'

export interface PodCounts {
  readonly total: number
  on(nodeName: string): number
  /** Only nodes with at least one. */
  readonly byNode: ReadonlyMap<string, number>
}

export interface CountQuestion {
  readonly namespace: string
  readonly selector: CompiledSelector
  /** Pods that are being deleted count too. */
  readonly terminating: boolean
}

export type PlacedPods = Iterable<readonly [pod: PodFacts, nodeName: string]>

class Count implements PodCounts {
  total = 0
  readonly byNode = new Map<string, number>()
  readonly question: CountQuestion

  constructor(question: CountQuestion) {
    this.question = question
  }

  on(nodeName: string): number {
    return this.byNode.get(nodeName) ?? 0
  }

  change(pod: PodFacts, nodeName: string, by: 1 | -1): void {
    if (pod.terminating && !this.question.terminating) return
    if (!this.question.selector.matches(pod.labels)) return
    this.total += by
    const count = this.on(nodeName) + by
    if (count === 0) this.byNode.delete(nodeName)
    else this.byNode.set(nodeName, count)
  }
}

/** So many counts are kept; beyond that all are forgotten and made again as they are asked for. */
const limit = 2000

export class PodCountIndex {
  readonly #byNamespace = new Map<string, Map<string, Count>>()
  #size = 0

  of(question: CountQuestion, placed: () => PlacedPods): PodCounts {
    const text = question.terminating ? `t${question.selector.text}` : question.selector.text
    const known = this.#byNamespace.get(question.namespace)?.get(text)
    if (known !== undefined) return known
    if (this.#size >= limit) this.#forget()
    const count = new Count(question)
    for (const [pod, nodeName] of placed()) {
      if (pod.namespace === question.namespace) count.change(pod, nodeName, 1)
    }
    const counts = this.#byNamespace.get(question.namespace) ?? new Map<string, Count>()
    counts.set(text, count)
    this.#byNamespace.set(question.namespace, counts)
    this.#size += 1
    return count
  }

  add(pod: PodFacts, nodeName: string): void {
    this.#change(pod, nodeName, 1)
  }

  remove(pod: PodFacts, nodeName: string): void {
    this.#change(pod, nodeName, -1)
  }

  #change(pod: PodFacts, nodeName: string, by: 1 | -1): void {
    const counts = this.#byNamespace.get(pod.namespace)
    if (counts === undefined) return
    for (const count of counts.values()) count.change(pod, nodeName, by)
  }

  #forget(): void {
    this.#byNamespace.clear()
    this.#size = 0
  }
}
