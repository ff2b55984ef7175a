// How long a pod that is evicted for lack of room may take to end (eviction_manager.go, calculateEffectiveGracePeriod of
// pod_workers.go, killPodNow). Pure.

import type { Pod } from '#kinds'
import type { Threshold } from '../node/thresholds.ts'

/** Who is evicted at once gets no more. */
const hardSeconds = 1
const leastWaitSeconds = 10

export interface EvictionGrace {
  readonly seconds: number
  /** After so long the kubelet says that the pod should have ended. */
  readonly waitMs: number
}

export function graceFor({ spec }: Pod, { gracePeriodMs }: Threshold, maxPodGraceSeconds: number): EvictionGrace {
  const own = spec.terminationGracePeriodSeconds ?? 30
  const wanted = gracePeriodMs === 0 ? hardSeconds : Math.min(maxPodGraceSeconds, own)
  return {
    // Nothing is how a pod worker is told that nobody wants it to be shorter than the pod's own.
    seconds: Math.max(1, wanted === 0 ? own : wanted),
    waitMs: 1000 * Math.max(leastWaitSeconds, wanted + Math.trunc(wanted / 2)),
  }
}
