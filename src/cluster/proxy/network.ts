// What lies beyond the tables: whether a node is cut off, and what a pod answers. The machine gives it; without one, every
// pod that runs answers.

import type { Pod } from '#kinds'

export interface Answer {
  readonly result: 'ok' | 'refused' | 'silent' | 'error'
  readonly httpStatus?: number
  readonly takesMs: number
  readonly why: string
  /** When it may be another without anything happening. */
  readonly until?: number
}

export interface Network {
  answerOf(pod: Pod, port: number, protocol: string): Answer
  /** Calls `heard` with each pod that may answer otherwise from now on. */
  onTraffic(heard: (pod: Pod) => void): void
}

export const quietNetwork: Network = {
  answerOf: ({ status }) =>
    status?.phase === 'Running'
      ? { result: 'ok', takesMs: 0, why: 'the pod runs' }
      : { result: 'refused', takesMs: 0, why: 'the pod does not run' },
  onTraffic: () => {},
}
