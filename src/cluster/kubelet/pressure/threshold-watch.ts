// Since when a node's thresholds are met, which conditions follow from that, and which thresholds have pods evicted. Kept
// in memory only, as a real kubelet does: one that begins anew counts the grace periods from its first look on.

import type { PressureType } from '../node/node-object.ts'
import type { Observations } from '../node/signals.ts'
import { conditionsOf, type Met, metThresholds, nameOfThreshold, sorted, type Threshold } from '../node/thresholds.ts'

export interface WatchSettings {
  readonly thresholds: readonly Threshold[]
  readonly pressureTransitionMs: number
}

export class ThresholdWatch {
  #firstSeen: ReadonlyMap<string, number> = new Map()
  readonly #lastSeen = new Map<PressureType, number>()
  /** Thresholds that had pods evicted at the last look: they go on until the minimum is reclaimed. */
  #due: readonly Threshold[] = []

  /** Conditions that hold: as soon as a threshold is met, and for a while after it was last seen to be. */
  get conditions(): ReadonlySet<PressureType> {
    return new Set(this.#lastSeen.keys())
  }

  /** Takes note of what is left; answers the thresholds whose grace periods are over, in the order of their weight. */
  see(observations: Observations, { thresholds, pressureTransitionMs }: WatchSettings, now: number): readonly Met[] {
    const known = new Set(thresholds.map(nameOfThreshold))
    const open = this.#due.filter((threshold) => known.has(nameOfThreshold(threshold)))
    const met = merged(
      metThresholds(observations, thresholds),
      metThresholds(observations, open, { withReclaim: true }),
    )
    const before = this.#firstSeen
    this.#firstSeen = new Map(met.map(nameOfThreshold).map((name) => [name, before.get(name) ?? now]))
    for (const condition of conditionsOf(met)) this.#lastSeen.set(condition, now)
    for (const [condition, at] of this.#lastSeen) if (now - at >= pressureTransitionMs) this.#lastSeen.delete(condition)
    const due = met.filter((one) => now - (this.#firstSeen.get(nameOfThreshold(one)) ?? now) >= one.gracePeriodMs)
    this.#due = due
    return due
  }
}

function merged(met: readonly Met[], open: readonly Met[]): readonly Met[] {
  const names = new Set(met.map(nameOfThreshold))
  return sorted([...met, ...open.filter((one) => !names.has(nameOfThreshold(one)))])
}
