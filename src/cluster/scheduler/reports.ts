// What was found at the last attempt for each pod, plug-in by plug-in, for `explain` and the dashboard. Reports of pods
// that still wait are kept (up to a limit); of placed pods only the last few.

import type { NodeScores } from './cycle.ts'

export interface NodeReport {
  readonly node: string
  /** The plug-in that refused the node, and why. */
  readonly plugin: string
  readonly reasons: readonly string[]
}

export interface AttemptReport {
  readonly at: number
  /** The chosen node; absent when none fits. */
  readonly node?: string
  /** Kubernetes' message when none fits. */
  readonly message?: string
  readonly evaluated: number
  readonly feasible: number
  readonly refused: () => readonly NodeReport[]
  readonly scores: () => readonly NodeScores[]
}

const waitingLimit = 2000
const placedLimit = 200

export class Reports {
  readonly #waiting = new Map<string, AttemptReport>()
  readonly #placed = new Map<string, AttemptReport>()

  add(podKey: string, report: AttemptReport): void {
    const [map, limit] = report.node === undefined ? [this.#waiting, waitingLimit] : [this.#placed, placedLimit]
    this.#waiting.delete(podKey)
    this.#placed.delete(podKey)
    map.set(podKey, report)
    if (map.size <= limit) return
    const oldest = map.keys().next().value
    if (oldest !== undefined) map.delete(oldest)
  }

  of(podKey: string): AttemptReport | undefined {
    return this.#waiting.get(podKey) ?? this.#placed.get(podKey)
  }
}
