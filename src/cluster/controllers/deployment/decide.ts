// What a Deployment does next: which ReplicaSet it creates, resizes or forgets, and what its status says. One step of a
// rollout per call; the next one follows from what the ReplicaSets report. Pure. Follows syncDeployment of Kubernetes.

import type { Deployment, DeploymentStatus, ReplicaSet } from '#kinds'
import {
  annotateNewest,
  annotateSize,
  desiredReplicasOf,
  latestRevision,
  revisionAnnotation,
  revisionOf,
  withAnnotations,
} from './annotations.ts'
import { conditionOf, reasons, statusWith } from './conditions.ts'
import { decideRollback, forgotten, type Rollback, superfluous, wantedRevision } from './history.ts'
import { isRollingUpdate, progressDeadlineMs, wantedReplicas } from './limits.ts'
import { findNewest, newReplicaSet, sizeOf, sum, withSize } from './replica-sets.ts'
import { decideNewest, decideOld, newestSize } from './rolling.ts'
import { decideScale, type Resize } from './scale.ts'
import { countedStatus, deadlineAt, rolloutStatus } from './status.ts'

export interface Observed {
  readonly deployment: Deployment
  /** The ReplicaSets that the Deployment controls. */
  readonly sets: readonly ReplicaSet[]
  /** Whether pods of the old ReplicaSets are still there and not finished. */
  readonly oldPodsRun: (old: readonly ReplicaSet[]) => boolean
  readonly now: number
}

export interface Change {
  readonly set: ReplicaSet
  /** Text of the ScalingReplicaSet event, when the size changes. */
  readonly event?: string
}

export interface Decision {
  /** A ReplicaSet that does not exist yet: created before everything else. */
  readonly create?: Change
  readonly update: readonly Change[]
  readonly remove: readonly ReplicaSet[]
  /** The Deployment with its new status and revision; the same reference when nothing changed. */
  readonly deployment: Deployment
  readonly recheckAt?: number
  /** A way back to a former template: then nothing else is to be done. */
  readonly rollback?: Rollback
}

export function decideRollout(observed: Observed): Decision {
  const { deployment, sets, now } = observed
  const newest = findNewest(deployment, sets)
  const old = sets.filter((set) => set !== newest)
  if (deployment.metadata.deletionTimestamp !== undefined)
    return onlyStatus(observed, prepare(deployment, newest, old, now))
  const current = withPause(deployment, now)
  if (current.spec.paused === true) return resizeOnly(observed, prepare(current, newest, old, now))
  if (wantedRevision(current) !== undefined) return goBack(observed, current, { newest, old })
  if (isScaled(current, sets)) return resizeOnly(observed, prepare(current, newest, old, now))
  if (newest === undefined && mayStart(observed, old)) return startRollout(observed, current, old)
  const prepared = prepare(current, newest, old, now)
  return isRollingUpdate(deployment) ? rollingStep(observed, prepared) : recreateStep(observed, prepared)
}

/** The Deployment with its condition for being paused or resumed. */
function withPause(deployment: Deployment, now: number): Deployment {
  if (progressDeadlineMs(deployment) === undefined) return deployment
  const status = deployment.status ?? {}
  const reason = conditionOf(status.conditions, 'Progressing')?.reason
  if (reason === reasons.timedOut || (deployment.spec.paused === true) === (reason === reasons.paused))
    return deployment
  const text =
    deployment.spec.paused === true
      ? { reason: reasons.paused, message: 'Deployment is paused' }
      : { reason: reasons.resumed, message: 'Deployment is resumed' }
  return withStatus(deployment, statusWith(status, { type: 'Progressing', status: 'Unknown', ...text }, now))
}

/** The Deployment was resized since its ReplicaSets were last. */
function isScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => {
    const desired = sizeOf(set) > 0 ? desiredReplicasOf(set) : undefined
    return desired !== undefined && desired !== wantedReplicas(deployment)
  })
}

/** The parts of a Deployment, with the newest ReplicaSet's annotations and the Deployment's revision in order. */
interface Prepared {
  readonly deployment: Deployment
  readonly newest: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
  readonly all: readonly ReplicaSet[]
}

function prepare(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): Prepared {
  if (newest === undefined) return { deployment, newest, old, all: old }
  const annotations = annotateNewest(deployment, newest.metadata.annotations ?? {}, latestRevision(old) + 1)
  const annotated =
    annotations === newest.metadata.annotations ? newest : { ...newest, metadata: { ...newest.metadata, annotations } }
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  const ready =
    (annotated.spec.minReadySeconds ?? 0) === minReadySeconds
      ? annotated
      : { ...annotated, spec: { ...annotated.spec, minReadySeconds } }
  const revised = withRevision(deployment, String(revisionOf(ready)))
  const known =
    progressDeadlineMs(deployment) === undefined ||
    conditionOf(deployment.status?.conditions, 'Progressing') !== undefined
  const found = {
    type: 'Progressing',
    status: 'True',
    reason: reasons.found,
    message: `Found new replica set "${newest.metadata.name}"`,
  } as const
  const current = known ? revised : withStatus(revised, statusWith(revised.status ?? {}, found, now))
  return { deployment: current, newest: ready, old, all: [...old, ready] }
}

function onlyStatus({ deployment, sets, now }: Observed, prepared: Prepared): Decision {
  const status = countedStatus(prepared.deployment, prepared.newest, prepared.all, now)
  const { update } = resize(sets, prepared, [])
  return finished(deployment, { update, remove: [] }, withStatus(prepared.deployment, status))
}

function resizeOnly({ deployment, sets, now }: Observed, prepared: Prepared): Decision {
  const resized = resize(sets, prepared, decideScale(prepared.deployment, prepared.newest, prepared.old))
  const mayForget = prepared.deployment.spec.paused === true && wantedRevision(prepared.deployment) === undefined
  const remove = mayForget ? superfluous(prepared.deployment, prepared.old) : []
  const status = countedStatus(prepared.deployment, resized.newest, resized.all, now)
  return finished(deployment, { update: resized.update, remove }, withStatus(prepared.deployment, status))
}

/** First everything must be in order that says which revision the present template has; nothing else is done meanwhile. */
function goBack(observed: Observed, current: Deployment, { newest, old }: Pick<Prepared, 'newest' | 'old'>): Decision {
  const { deployment, sets, now } = observed
  if (newest === undefined) return startRollout(observed, current, old)
  const prepared = prepare(current, newest, old, now)
  const { update } = resize(sets, prepared, [])
  if (update.length > 0 || prepared.deployment !== deployment)
    return finished(deployment, { update, remove: [] }, prepared.deployment)
  return { deployment, update: [], remove: [], rollback: decideRollback(deployment, prepared.all) }
}

/** A rolling update starts at once; Recreate waits until the old pods are gone. */
function mayStart(observed: Observed, old: readonly ReplicaSet[]): boolean {
  if (isRollingUpdate(observed.deployment)) return true
  return sum(old, sizeOf) === 0 && sum(old, (set) => set.status?.replicas) === 0 && !observed.oldPodsRun(old)
}

function startRollout({ deployment, sets, now }: Observed, current: Deployment, old: readonly ReplicaSet[]): Decision {
  const empty = newReplicaSet(current, latestRevision(old) + 1)
  const newest = withSize(empty, newestSize(current, [...old, empty], empty))
  const message = `Created new replica set "${newest.metadata.name}"`
  const created = { type: 'Progressing', status: 'True', reason: reasons.created, message } as const
  const revised = withRevision(current, String(revisionOf(newest)))
  const started =
    progressDeadlineMs(current) === undefined
      ? revised
      : withStatus(revised, statusWith(revised.status ?? {}, created, now))
  const all = [...old, newest]
  const replaces = isRollingUpdate(current) && wantedRevision(current) === undefined
  const resized = resize(
    sets,
    { deployment: started, newest, old, all },
    replaces ? decideOld(current, newest, old) : [],
  )
  const status = rolloutStatus(started, newest, resized.all, now)
  const scaled = sizeOf(newest) > 0 ? { event: scaleText(newest, 0) } : {}
  return {
    create: { set: newest, ...scaled },
    ...finished(deployment, { update: resized.update, remove: [] }, withStatus(started, status)),
  }
}

function rollingStep({ deployment, sets, now }: Observed, prepared: Prepared): Decision {
  const { newest, old, all } = prepared
  if (newest === undefined) throw new Error('a rolling update has a newest ReplicaSet')
  const grown = decideNewest(prepared.deployment, all, newest)
  const resizes = grown === undefined ? decideOld(prepared.deployment, newest, old) : [grown]
  const resized = resize(sets, prepared, resizes)
  const remove = resizes.length === 0 ? forgotten(prepared.deployment, resized.old) : []
  const status = rolloutStatus(prepared.deployment, resized.newest, resized.all, now)
  return finished(deployment, { update: resized.update, remove }, withStatus(prepared.deployment, status))
}

function recreateStep(observed: Observed, prepared: Prepared): Decision {
  const { newest, old } = prepared
  const stopping = old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, replicas: 0 }))
  const starting =
    newest !== undefined &&
    stopping.length === 0 &&
    mayStart(observed, old) &&
    sizeOf(newest) !== wantedReplicas(prepared.deployment)
  const resizes = starting ? [{ set: newest, replicas: wantedReplicas(prepared.deployment) }] : stopping
  const resized = resize(observed.sets, prepared, resizes)
  const remove = resizes.length === 0 ? forgotten(prepared.deployment, resized.old) : []
  const status = rolloutStatus(prepared.deployment, resized.newest, resized.all, observed.now)
  return finished(observed.deployment, { update: resized.update, remove }, withStatus(prepared.deployment, status))
}

interface Resized extends Omit<Prepared, 'deployment'> {
  readonly update: readonly Change[]
}

/** The sets after all that is to be done with them; one that is resized twice is written, and told of, twice. */
function resize(observed: readonly ReplicaSet[], prepared: Prepared, resizes: readonly Resize[]): Resized {
  const known = new Map(observed.map((set) => [set.metadata.uid, set]))
  const latest = new Map(prepared.all.map((set) => [set.metadata.uid, set]))
  const asked = new Set(resizes.map(({ set }) => set.metadata.uid))
  const isNews = (set: ReplicaSet): boolean => known.has(set.metadata.uid) && known.get(set.metadata.uid) !== set
  const update: Change[] = prepared.all
    .filter((set) => isNews(set) && !asked.has(set.metadata.uid))
    .map((set) => ({ set }))
  for (const { set, replicas } of resizes) {
    const before = latest.get(set.metadata.uid) ?? set
    const after = sized(prepared.deployment, before, replicas)
    if (!isNews(after)) continue
    latest.set(set.metadata.uid, after)
    const event = sizeOf(before) === replicas ? {} : { event: scaleText(after, sizeOf(before)) }
    update.push({ set: after, ...event })
  }
  const current = (set: ReplicaSet): ReplicaSet => latest.get(set.metadata.uid) ?? set
  const newest = prepared.newest === undefined ? undefined : current(prepared.newest)
  return { newest, old: prepared.old.map(current), all: prepared.all.map(current), update }
}

function sized(deployment: Deployment, set: ReplicaSet, replicas: number): ReplicaSet {
  const { metadata } = set
  const annotations = annotateSize(deployment, metadata.annotations ?? {})
  const annotated = annotations === metadata.annotations ? set : { ...set, metadata: { ...metadata, annotations } }
  return replicas === sizeOf(set) ? annotated : withSize(annotated, replicas)
}

const scaleText = (set: ReplicaSet, before: number): string =>
  `Scaled ${sizeOf(set) > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${sizeOf(set)}`

function withRevision(deployment: Deployment, revision: string): Deployment {
  const before = deployment.metadata.annotations ?? {}
  const annotations = withAnnotations(before, { [revisionAnnotation]: revision })
  return annotations === before ? deployment : { ...deployment, metadata: { ...deployment.metadata, annotations } }
}

const withStatus = (deployment: Deployment, status: DeploymentStatus): Deployment =>
  status === deployment.status ? deployment : { ...deployment, status }

function finished(observed: Deployment, steps: Pick<Decision, 'update' | 'remove'>, deployment: Deployment): Decision {
  const recheckAt = deployment === observed ? deadlineAt(deployment, deployment.status ?? {}) : undefined
  return recheckAt === undefined ? { deployment, ...steps } : { deployment, recheckAt, ...steps }
}
