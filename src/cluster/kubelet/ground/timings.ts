// How long things take on a node, in milliseconds. `usualTimings` are the medians of a real node; `noDelays` is for
// benchmarks and a fast start: everything that is not a back-off or a period of the pod's own happens at once.

export interface Timings {
  /** How long after a change of the pod its kubelet takes it up. */
  readonly noticeMs: number
  readonly sandboxMs: number
  readonly stopSandboxMs: number
  readonly createMs: number
  readonly startMs: number
  /** Mounting volumes; the service account token is one. */
  readonly mountMs: number
  readonly execMs: number
  /** How often the runtime is listed: containers that start or end are noticed then. */
  readonly relistMs: number
  /** How often pods that are due are taken up. */
  readonly tickMs: number
  readonly pullFactor: number
  /** A failed sync is repeated after this, and up to half as much again. */
  readonly retryMs: number
  readonly firstMountRetryMs: number
  readonly evictionCheckMs: number
}

export const usualTimings: Timings = {
  noticeMs: 15,
  sandboxMs: 100,
  stopSandboxMs: 150,
  createMs: 20,
  startMs: 90,
  mountMs: 300,
  execMs: 60,
  relistMs: 1000,
  tickMs: 1000,
  pullFactor: 1,
  retryMs: 10_000,
  firstMountRetryMs: 500,
  evictionCheckMs: 10_000,
}

export const noDelays: Timings = {
  ...usualTimings,
  noticeMs: 0,
  sandboxMs: 0,
  stopSandboxMs: 0,
  createMs: 0,
  startMs: 0,
  mountMs: 0,
  execMs: 0,
  relistMs: 0,
  tickMs: 0,
  pullFactor: 0,
}

/** The first moment of a rhythm (`phase` + n·`period`) that is later than `after`; at once where there is no rhythm. */
export function nextBeat(after: number, period: number, phase: number): number {
  if (period <= 0) return after
  return (Math.floor((after - phase) / period) + 1) * period + phase
}

/** The last moment of a rhythm that is not later than `at`. */
export function lastBeat(at: number, period: number, phase: number): number {
  if (period <= 0) return at
  return Math.floor((at - phase) / period) * period + phase
}
