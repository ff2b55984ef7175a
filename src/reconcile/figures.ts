// What the runtime tells of itself: read by the dashboard, /metrics and `explain`. Plain values, made when asked for.

import type { Kind } from '#kinds'

export interface Failure {
  readonly at: number
  readonly message: string
}

export interface InformerFigures {
  readonly kind: Kind
  readonly objects: number
  readonly revision: number
  readonly synced: boolean
  readonly paused: boolean
  readonly events: number
  readonly lists: number
  readonly errors: number
  readonly lastEventAt?: number
  readonly lastError?: Failure
}

export interface BackoffFigures {
  readonly key: string
  /** Failures in a row. */
  readonly failures: number
  readonly error: string
  /** World time of the next try; absent while the key is being worked on or is queued. */
  readonly nextTryAt?: number
}

export interface ReconcileFigures {
  readonly key: string
  readonly at: number
  readonly durationMs: number
}

export interface LoopFigures {
  readonly name: string
  readonly manager: string
  readonly kind?: Kind
  readonly workers: number
  readonly paused: boolean
  /** Every cache that the loop reads has been filled. */
  readonly synced: boolean
  /** Keys that wait for a worker. */
  readonly queueDepth: number
  /** Keys that are being worked on. */
  readonly working: readonly string[]
  /** Keys that wait until the cache shows what the loop itself wrote. */
  readonly held: number
  /** Keys that will be looked at again at a set time (`requeueAfter`). */
  readonly scheduled: number
  readonly backoff: readonly BackoffFigures[]
  readonly lastError?: Failure & { readonly key: string }
  readonly lastReconcile?: ReconcileFigures
  readonly reconciles: number
  readonly errors: number
  /** World time spent in reconciles: all together, and the longest one. */
  readonly totalMs: number
  readonly longestMs: number
}

export interface RuntimeFigures {
  readonly loops: readonly LoopFigures[]
  readonly caches: readonly InformerFigures[]
}
