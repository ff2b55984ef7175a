// What a health rule answers: a word of Argo CD's, a message, and the proof: which field had which value under which rule.

import type { AnyObject, Json } from '#objects'

export type HealthStatus = 'Healthy' | 'Suspended' | 'Progressing' | 'Missing' | 'Degraded' | 'Unknown'

export interface Proof {
  /** Path of the field that decided, as `status.availableReplicas`. */
  readonly field: string
  /** Its value; absent when the field is not set. */
  readonly value?: Json
  /** The rule in words: `fewer than spec.replicas are available`. */
  readonly rule: string
}

export interface Verdict {
  readonly status: HealthStatus
  readonly message?: string
  readonly proof: Proof
  /** What is wrong with the user's own rule that should have decided, with its key in argocd-cm. */
  readonly fault?: string
  /** World time until which this holds although nothing changes; absent: for as long as the object stays as it is. */
  readonly until?: number
}

/** Decides for one kind. */
export type HealthRule = (object: AnyObject) => Verdict

/** A verdict proved by this field was made because the object is being deleted. */
export const deletionField = 'metadata.deletionTimestamp'

/** Best to worst. */
const order: readonly HealthStatus[] = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown']

export const isHealthStatus = (value: unknown): value is HealthStatus => order.some((status) => status === value)

export const isWorse = (a: HealthStatus, than: HealthStatus): boolean => order.indexOf(a) > order.indexOf(than)

export type ProofParts = readonly [field: string, value: unknown, rule: string]

export function verdict(status: HealthStatus, message: string | undefined, [field, value, rule]: ProofParts): Verdict {
  const proof = value === undefined ? { field, rule } : { field, value: value as Json, rule }
  return message === undefined || message === '' ? { status, proof } : { status, message, proof }
}

export const healthy = (proof: ProofParts, message?: string): Verdict => verdict('Healthy', message, proof)
export const progressing = (proof: ProofParts, message?: string): Verdict => verdict('Progressing', message, proof)
export const degraded = (proof: ProofParts, message?: string): Verdict => verdict('Degraded', message, proof)
export const suspended = (proof: ProofParts, message?: string): Verdict => verdict('Suspended', message, proof)
export const unknown = (proof: ProofParts, message?: string): Verdict => verdict('Unknown', message, proof)

export interface StatusCondition {
  readonly type: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

export const findCondition = (
  conditions: readonly StatusCondition[] | null | undefined,
  type: string,
): StatusCondition | undefined => conditions?.find((condition) => condition.type === type)

/** Proof by a condition. */
export const byCondition = (condition: StatusCondition, rule: string): ProofParts => [
  `status.conditions[type=${condition.type}]`,
  condition.reason === undefined ? (condition.status ?? '') : `${condition.status} (${condition.reason})`,
  rule,
]
