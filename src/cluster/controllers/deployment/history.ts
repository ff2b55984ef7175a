// What becomes of a Deployment's former ReplicaSets: those beyond the history limit are forgotten, and a Deployment that
// carries the annotation of the old rollback API gets the template of one of them back. Pure.

import type { Deployment, ReplicaSet } from '#kinds'
import { annotationsOf, revisionOf, rollbackAnnotation } from './annotations.ts'
import { hashLabel, isSameTemplate, oldestFirst, sizeOf } from './replica-sets.ts'
import { isComplete } from './status.ts'

/** Once a rollout is complete, ReplicaSets beyond the history limit are forgotten. */
export const forgotten = (deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  isComplete(deployment, deployment.status ?? {}) ? superfluous(deployment, old) : []

export function superfluous(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === 2147483647) return []
  const alive = old.filter((set) => set.metadata.deletionTimestamp === undefined)
  const surplus = Math.max(0, alive.length - limit)
  const empty = (set: ReplicaSet): boolean =>
    sizeOf(set) === 0 &&
    (set.status?.replicas ?? 0) === 0 &&
    (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0)
  return [...alive]
    .sort((a, b) => revisionOf(a) - revisionOf(b) || oldestFirst(a, b))
    .slice(0, surplus)
    .filter(empty)
}

export interface Rollback {
  /** Without the annotation, and where there is something to go back to, with its template. */
  readonly deployment: Deployment
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }
}

/** The revision that the annotation asks for, 0 being the one before; undefined without one that is a number. */
export function wantedRevision({ metadata }: Deployment): number | undefined {
  const [, sign, digits] = wholeNumber.exec(metadata.annotations?.[rollbackAnnotation] ?? '') ?? []
  return digits === undefined || BigInt(digits) > largest ? undefined : Number(`${sign}${digits}`)
}

/** As Go reads an int64. */
const wholeNumber = /^([+-]?)0*(\d{1,19})$/
const largest = 2n ** 63n - 1n

export function decideRollback(deployment: Deployment, sets: readonly ReplicaSet[]): Rollback {
  const wanted = wantedRevision(deployment) || revisionBefore(sets)
  const giveUp = (reason: string, message: string): Rollback => ({
    deployment: withAnnotations(deployment, deployment.metadata.annotations ?? {}),
    event: { type: 'Warning', reason, message },
  })
  if (wanted === 0) return giveUp('DeploymentRollbackRevisionNotFound', 'Unable to find last revision.')
  const set = sets.find((each) => revisionOf(each) === wanted)
  if (set === undefined)
    return giveUp('DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.')
  const { name } = deployment.metadata
  if (isSameTemplate(set.spec.template ?? {}, deployment.spec.template))
    return giveUp(
      'DeploymentRollbackTemplateUnchanged',
      `The rollback revision contains the same template as current deployment "${name}"`,
    )
  const message = `Rolled back deployment "${name}" to revision ${wanted}`
  return {
    deployment: withTemplateOf(deployment, set),
    event: { type: 'Normal', reason: 'DeploymentRollback', message },
  }
}

/** The second of the revisions, from the newest. */
function revisionBefore(sets: readonly ReplicaSet[]): number {
  const [, second = 0] = sets.map(revisionOf).sort((a, b) => b - a)
  return Math.max(0, second)
}

/** The annotations go with the template: they tell of it (a cause of change). Those of the Deployment itself stay. */
function withTemplateOf(deployment: Deployment, { metadata, spec }: ReplicaSet): Deployment {
  const { metadata: made = {}, ...template } = spec.template ?? {}
  const { [hashLabel]: _, ...labels } = made.labels ?? {}
  const annotations = { ...annotationsOf(deployment).own, ...annotationsOf({ metadata }).copied }
  const back = withAnnotations(deployment, annotations)
  return { ...back, spec: { ...back.spec, template: { ...template, metadata: { ...made, labels } } } }
}

function withAnnotations(deployment: Deployment, annotations: Readonly<Record<string, string>>): Deployment {
  const { [rollbackAnnotation]: _, ...rest } = annotations
  return { ...deployment, metadata: { ...deployment.metadata, annotations: rest } }
}
