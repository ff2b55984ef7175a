// Below which amounts a kubelet evicts: hard thresholds at once, soft ones when they have been met for their grace period
// (eviction/helpers.go, the defaults of KubeletConfiguration). Pure.

import { durationMs } from '#objects'
import type { PressureType } from './node-object.ts'
import { amountFrom, type EvictedResource, isSignal, namesOf, type Observations, type Signal } from './signals.ts'

export interface Threshold {
  readonly signal: Signal
  /** A quantity, or a share of the capacity. */
  readonly value: string
  /** It has to be met for so long before anything is evicted; 0: a hard one. */
  readonly gracePeriodMs: number
  /** Once met, so much more than the threshold has to be there again. */
  readonly minimumReclaim?: string
}

/** As in KubeletConfiguration; each by signal. */
export interface EvictionSettings {
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionSoft?: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>
}

/** There is none for pid.available unless somebody sets one. */
const usualHard: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'imagefs.available': '15%',
  'nodefs.inodesFree': '5%',
  'imagefs.inodesFree': '5%',
}

/** The hard ones come first. Shares of nothing and of everything are no thresholds. */
export function thresholdsFrom(settings: EvictionSettings): readonly Threshold[] {
  const { evictionHard = usualHard, evictionSoft = {}, evictionSoftGracePeriod = {} } = settings
  const from = (values: Readonly<Record<string, string>>, graceOf: (signal: string) => number) =>
    Object.entries(values).flatMap(([signal, value]): readonly Threshold[] => {
      if (!isSignal(signal) || value === '0%' || value === '100%') return []
      const minimumReclaim = settings.evictionMinimumReclaim?.[signal]
      const threshold = { signal, value, gracePeriodMs: graceOf(signal) }
      return [minimumReclaim === undefined ? threshold : { ...threshold, minimumReclaim }]
    })
  const hard = from(evictionHard, () => 0)
  return [...hard, ...from(evictionSoft, (signal) => durationMs(evictionSoftGracePeriod[signal] ?? '0s') ?? 0)]
}

export const usualThresholds = thresholdsFrom({})

/** Tells a threshold from others, whenever it was read. */
export const nameOfThreshold = ({ signal, value, gracePeriodMs }: Threshold): string =>
  `${signal}<${value} for ${gracePeriodMs}`

export interface Met extends Threshold {
  /** What its value comes to on this node. */
  readonly amount: number
  readonly available: number
}

export interface Measure {
  /** Whether a threshold counts as met until the minimum is reclaimed, too. */
  readonly withReclaim: boolean
}

/** Memory comes first. */
const order: Readonly<Record<EvictedResource, number>> = { memory: 0, 'ephemeral-storage': 1, inodes: 1, pids: 1 }

/** In the order in which they are seen to. */
export const sorted = (met: readonly Met[]): readonly Met[] =>
  met.toSorted((a, b) => order[namesOf[a.signal].resource] - order[namesOf[b.signal].resource])

/** The thresholds that are met, however long they have been. */
export function metThresholds(
  observations: Observations,
  thresholds: readonly Threshold[],
  { withReclaim }: Measure = { withReclaim: false },
): readonly Met[] {
  const met = thresholds.flatMap((threshold): readonly Met[] => {
    const observed = observations[threshold.signal]
    if (observed === undefined) return []
    const { available, capacity } = observed
    const amount = amountFrom(threshold.value, capacity)
    const { minimumReclaim } = threshold
    const reclaim = withReclaim && minimumReclaim !== undefined ? (amountFrom(minimumReclaim, capacity) ?? 0) : 0
    return amount !== undefined && available < amount + reclaim ? [{ ...threshold, amount, available }] : []
  })
  return sorted(met)
}

export const conditionsOf = (met: readonly Met[]): ReadonlySet<PressureType> =>
  new Set(met.map(({ signal }) => namesOf[signal].condition))
