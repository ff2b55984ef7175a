// What a Probe has counted, and the status that tells it: pure.

import type { ProbeFailure, TrafficProbe, TrafficProbeStatus } from '#kinds'
import { formatTime, setCondition } from '#objects'
import type { Failure } from './request.ts'

export interface Tally {
  readonly sinceMs: number
  readonly succeeded: number
  readonly failed: number
  readonly consecutiveFailures: number
  readonly lastFailure?: ProbeFailure
  readonly failures: readonly NonNullable<TrafficProbeStatus['failures']>[number][]
}

export const emptyTally = (sinceMs: number): Tally => ({
  sinceMs,
  succeeded: 0,
  failed: 0,
  consecutiveFailures: 0,
  failures: [],
})

/** Goes on with what a status tells; what was sent since it was written is not known. */
export function tallyOf({ status = {} }: TrafficProbe, sinceMs: number): Tally {
  return {
    sinceMs,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    consecutiveFailures: status.consecutiveFailures ?? 0,
    ...(status.lastFailure === undefined ? {} : { lastFailure: status.lastFailure }),
    failures: status.failures ?? [],
  }
}

export const withSuccesses = (tally: Tally, count: number): Tally =>
  count === 0 ? tally : { ...tally, succeeded: tally.succeeded + count, consecutiveFailures: 0 }

export interface Failed {
  readonly failure: Failure
  readonly node: string
  /** When the last of them was sent. */
  readonly at: number
  readonly count: number
}

export function withFailures(tally: Tally, { failure, node, at, count }: Failed): Tally {
  if (count === 0) return tally
  const { reason } = failure
  const lastTime = formatTime(at)
  const known = tally.failures.find((one) => one.reason === reason)?.count ?? 0
  return {
    ...tally,
    failed: tally.failed + count,
    consecutiveFailures: tally.consecutiveFailures + count,
    lastFailure: { time: lastTime, node, ...failure },
    failures: [
      ...tally.failures.filter((one) => one.reason !== reason),
      { reason, count: known + count, lastTime },
    ].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
  }
}

export interface Observed {
  readonly probe: TrafficProbe
  readonly tally: Tally
  readonly origins: number
  readonly now: number
}

export function decideStatus({ probe, tally, origins, now }: Observed): TrafficProbeStatus {
  const { metadata, spec, status } = probe
  const total = tally.succeeded + tally.failed
  const generation = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }
  const before = status?.observedGeneration === metadata.generation ? status?.conditions : []
  return {
    ...generation,
    target: targetText(spec.target),
    origins,
    since: formatTime(tally.sinceMs),
    until: formatTime(now),
    total,
    succeeded: tally.succeeded,
    failed: tally.failed,
    consecutiveFailures: tally.consecutiveFailures,
    ...(tally.lastFailure === undefined ? {} : { lastFailure: tally.lastFailure }),
    ...(tally.failures.length === 0 ? {} : { failures: tally.failures }),
    conditions: setCondition(
      before,
      { type: 'Succeeding', ...succeeding({ probe, tally, origins }), ...generation },
      now,
    ),
  }
}

function succeeding({ probe, tally, origins }: Omit<Observed, 'now'>): {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
} {
  const { lastFailure, consecutiveFailures, succeeded } = tally
  if (consecutiveFailures > 0 && lastFailure !== undefined)
    return { status: 'False', reason: lastFailure.reason, message: lastFailure.message }
  if (probe.spec.suspend === true) return { status: 'Unknown', reason: 'NothingSent', message: 'it is suspended' }
  if (origins === 0) return { status: 'Unknown', reason: 'NothingSent', message: 'no node or pod that it names runs' }
  return succeeded === 0
    ? { status: 'Unknown', reason: 'NothingSent', message: 'nothing was sent yet' }
    : { status: 'True', reason: 'RequestsSucceed', message: 'the last request was answered well' }
}

export function targetText({
  service,
  namespace = 'default',
  host = '',
  port,
}: TrafficProbe['spec']['target']): string {
  const name = service === undefined ? host : `${namespace}/${service}`
  return port === undefined ? name : `${name}:${port}`
}
