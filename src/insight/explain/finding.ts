// What `explain` says: which loop has the next step, what gap it sees, and where that can be read.

import type { KubeObject } from '#objects'
import type { Placement } from './placement.ts'

export interface Finding {
  /** `converged`: no gap. `progressing`: the loop is at work. `stuck`: it cannot close the gap by itself. */
  readonly state: 'converged' | 'progressing' | 'stuck'
  /** The loop whose turn it is: `scheduler`, `kubelet on node-1`, `deployment controller`. */
  readonly loop: string
  /** `Pod shop/web-1`. */
  readonly object: string
  /** What the loop observes against what it wants, in one sentence. */
  readonly gap: string
  /** Fields, conditions and Events that show it. */
  readonly evidence: readonly string[]
  /** What a person can do, where something can be done. */
  readonly advice?: string
  /** Of a pod: what the scheduler found last. */
  readonly placement?: Placement
}

/** `Deployment shop/web`. */
export const describeObject = (object: KubeObject): string => {
  const { namespace, name } = object.metadata
  return `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`
}

interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export const conditionOf = (
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): ConditionLike | undefined => conditions?.find((condition) => condition.type === type)

export const isReady = (status: { readonly conditions?: readonly ConditionLike[] } | undefined): boolean =>
  conditionOf(status?.conditions, 'Ready')?.status === 'True'

/** `condition Ready=False (ContainersNotReady: containers with unready status: [app])`. */
export function describeCondition(condition: ConditionLike): string {
  const why = [condition.reason, condition.message].filter((part) => part !== undefined && part !== '').join(': ')
  return `condition ${condition.type}=${condition.status}${why === '' ? '' : ` (${why})`}`
}

export interface EventLike {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly lastTimestamp?: string
  readonly eventTime?: string
  readonly metadata: { readonly creationTimestamp?: string }
}

const timeOf = (event: EventLike): string =>
  event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? ''

/** The newest Event with one of these reasons, as evidence. */
export function eventEvidence(events: readonly EventLike[], reasons: readonly string[]): readonly string[] {
  const newest = events
    .filter((event) => event.reason !== undefined && reasons.includes(event.reason))
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))[0]
  if (newest === undefined) return []
  const times = (newest.count ?? 1) > 1 ? ` (${newest.count} times)` : ''
  return [`event ${newest.reason}${times}: ${newest.message ?? ''}`]
}
