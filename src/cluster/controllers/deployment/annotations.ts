// The annotations by which a Deployment and its ReplicaSets remember revisions and sizes. Pure; every function answers
// the same reference when nothing changes.

import type { Deployment, ReplicaSet } from '#kinds'
import type { KubeObject } from '#objects'
import { maxSurge, wantedReplicas } from './limits.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
const historyAnnotation = 'deployment.kubernetes.io/revision-history'
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const maxAnnotation = 'deployment.kubernetes.io/max-replicas'
export const rollbackAnnotation = 'deprecated.deployment.rollback.to'

/** Bytes that the list of former revisions may take. */
const historyLimit = 2000

/** Annotations of a Deployment that are its own and not copied to its ReplicaSets. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
])

type Annotations = Readonly<Record<string, string>>

/** Those that stay with the object, and those that a Deployment and its newest ReplicaSet have in common. */
export function annotationsOf({ metadata }: Pick<KubeObject, 'metadata'>): {
  readonly own: Annotations
  readonly copied: Annotations
} {
  const all = Object.entries(metadata.annotations ?? {})
  return {
    own: Object.fromEntries(all.filter(([key]) => notCopied.has(key))),
    copied: Object.fromEntries(all.filter(([key]) => !notCopied.has(key))),
  }
}

export const revisionOf = (set: ReplicaSet): number => wholeNumber(set.metadata.annotations?.[revisionAnnotation]) ?? 0

export const desiredReplicasOf = (set: ReplicaSet): number | undefined =>
  wholeNumber(set.metadata.annotations?.[desiredAnnotation])

export const maxReplicasOf = (set: ReplicaSet): number | undefined =>
  wholeNumber(set.metadata.annotations?.[maxAnnotation])

export const latestRevision = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((latest, set) => Math.max(latest, revisionOf(set)), 0)

/** Annotations of the newest ReplicaSet: the Deployment's own, the revision, and those before it after a roll-back. */
export function annotateNewest(deployment: Deployment, old: Annotations, revision: number): Annotations {
  const changes: Record<string, string> = { ...annotationsOf(deployment).copied }
  const before = old[revisionAnnotation]
  if ((wholeNumber(before) ?? 0) < revision) {
    changes[revisionAnnotation] = String(revision)
    if (before !== undefined) changes[historyAnnotation] = longerHistory(old[historyAnnotation] ?? '', before)
  }
  return withAnnotations(old, changes)
}

function longerHistory(history: string, revision: string): string {
  const revisions = history === '' ? [] : history.split(',')
  let length = history.length + revision.length + 1
  while (length > historyLimit && revisions.length > 0) length -= (revisions.shift() ?? '').length + 1
  return [...revisions, revision].join(',')
}

/** Annotations that say for which size of the Deployment a ReplicaSet was last scaled. */
export const annotateSize = (deployment: Deployment, old: Annotations): Annotations =>
  withAnnotations(old, {
    [desiredAnnotation]: String(wantedReplicas(deployment)),
    [maxAnnotation]: String(wantedReplicas(deployment) + maxSurge(deployment)),
  })

export function withAnnotations(old: Annotations, changes: Annotations): Annotations {
  return Object.entries(changes).every(([key, value]) => old[key] === value) ? old : { ...old, ...changes }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined
}
