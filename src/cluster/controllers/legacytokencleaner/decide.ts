// Which tokens in Secrets nobody needs any more: those that a service account lists, that no pod names and that were not
// used for a year. They are marked as invalid first, and go when another year has passed. Pure. Follows Kubernetes' cleaner
// of legacy service account tokens.

import type { Secret, ServiceAccount } from '#kinds'
import { formatTime, parseTime } from '#objects'

export const tokenType = 'kubernetes.io/service-account-token'
const accountAnnotation = 'kubernetes.io/service-account.name'
const uidAnnotation = 'kubernetes.io/service-account.uid'
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
export const invalidLabel = 'kubernetes.io/legacy-token-invalid-since'

const dayMs = 86_400_000
const unusedMs = 365 * dayMs

export const dayOf = (ms: number): string => formatTime(ms).slice(0, 10)

/** World time at which a day begins; undefined for what is no day. */
const startOf = (day: string | undefined): number | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? parseTime(`${day}T00:00:00Z`) : undefined

/** Whether uses have been noted for long enough: since the day after the one that is written down. */
export function isTrackedLongEnough(since: string | undefined, now: number): boolean {
  const at = startOf(since)
  return at !== undefined && now >= at + dayMs + unusedMs
}

export interface Observed {
  readonly secret: Secret
  readonly account: ServiceAccount | undefined
  /** Whether a pod names the Secret. */
  readonly isMounted: () => boolean
  readonly now: number
}

export type Fate = 'stays' | 'marked' | 'goes'

export function decideFate({ secret, account, isMounted, now }: Observed): Fate {
  const { creationTimestamp, deletionTimestamp, labels = {}, name } = secret.metadata
  const limit = now - unusedMs
  const createdAt = parseTime(creationTimestamp) ?? now
  if (secret.type !== tokenType || deletionTimestamp !== undefined || createdAt >= limit) return 'stays'
  const used = labels[lastUsedLabel]
  if (used !== undefined && (startOf(used) === undefined || used >= dayOf(limit))) return 'stays'
  const isListed = account?.secrets?.some((one) => one.name === name) === true
  if (!isListed || !isOf(secret, account) || isMounted()) return 'stays'
  const invalid = labels[invalidLabel]
  if (startOf(invalid) === undefined) return 'marked'
  return (invalid ?? '') >= dayOf(limit) ? 'stays' : 'goes'
}

export const accountOf = ({ metadata }: Secret): string | undefined => metadata.annotations?.[accountAnnotation]

function isOf({ metadata }: Secret, account: ServiceAccount | undefined): boolean {
  const uid = metadata.annotations?.[uidAnnotation] ?? ''
  return uid === '' || uid === account?.metadata.uid
}
