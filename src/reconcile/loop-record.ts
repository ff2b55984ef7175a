// How the runs of one loop have fared: how many, how long, and the last failure.

import type { Failure, LoopFigures, ReconcileFigures } from './figures.ts'

export class LoopRecord {
  readonly #counts = { reconciles: 0, errors: 0, totalMs: 0, longestMs: 0 }
  #lastError: (Failure & { readonly key: string }) | undefined
  #lastReconcile: ReconcileFigures | undefined

  failed(key: string, message: string, at: number): void {
    this.#counts.errors += 1
    this.#lastError = { key, message, at }
  }

  ended(key: string, startedAt: number, now: number): void {
    const durationMs = now - startedAt
    this.#counts.reconciles += 1
    this.#counts.totalMs += durationMs
    if (durationMs > this.#counts.longestMs) this.#counts.longestMs = durationMs
    this.#lastReconcile = { key, at: now, durationMs }
  }

  figures(): Pick<LoopFigures, 'reconciles' | 'errors' | 'totalMs' | 'longestMs' | 'lastError' | 'lastReconcile'> {
    return {
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
      ...(this.#lastReconcile === undefined ? {} : { lastReconcile: this.#lastReconcile }),
      ...this.#counts,
    }
  }
}
