// What is answered under /api/v1/homeostat where it is not insight's or the reconciler's own word. The page takes these
// types from here, so that a changed answer is a fault of the page's types.

import type { LoopTrouble, Waiting } from '#insight'
import type { BackoffFigures, LoopFigures } from '#reconcile'

/** Figures as the dashboard shows them: times as text, keys in work counted. */
export interface ShownLoop extends Omit<LoopFigures, 'kind' | 'working' | 'backoff' | 'lastError' | 'lastReconcile'> {
  readonly kind?: string
  readonly working: number
  readonly workingKeys: readonly string[]
  readonly backoff: readonly ShownBackoff[]
  readonly lastError?: { readonly key: string; readonly message: string; readonly at: string }
  readonly lastReconcileAt?: string
  readonly lastDurationMs?: number
  readonly lastKey?: string
}

export interface ShownBackoff extends Omit<BackoffFigures, 'nextTryAt'> {
  readonly nextTryAt?: string
}

/** Objects with a gap, and loops that cannot work. */
export interface EverythingWaiting extends Waiting {
  readonly loops: readonly LoopTrouble[]
}
