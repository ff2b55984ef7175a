// The ReplicaSets of a Deployment: which one is of the current template, which are older, and what a new one looks like.
// Pure.

import { Deployment, type PodTemplateSpec, type ReplicaSet } from '#kinds'
import { isEqual, type LabelSelector } from '#objects'
import { controllerReference } from '../claims.ts'
import { hashOf } from '../hash.ts'
import { annotateNewest, annotateSize } from './annotations.ts'

export const hashLabel = 'pod-template-hash'

/** Oldest first; of the same second, by name. */
export const oldestFirst = (a: ReplicaSet, b: ReplicaSet): number => {
  const [timeA, timeB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (timeA !== timeB) return timeA < timeB ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

/** The oldest ReplicaSet whose template is the Deployment's. */
export function findNewest(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  let found: ReplicaSet | undefined
  for (const set of sets) {
    if (!isSameTemplate(set.spec.template ?? {}, deployment.spec.template)) continue
    if (found === undefined || oldestFirst(set, found) < 0) found = set
  }
  return found
}

/** Whether two templates make the same pods; the hash label that a ReplicaSet adds does not count. */
export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  if (a === b) return true
  return (a.spec === b.spec || isEqual(a.spec, b.spec)) && isEqual(metadataOf(a), metadataOf(b))
}

function metadataOf({ metadata = {} }: PodTemplateSpec): object {
  const { labels = {}, annotations = {}, ...rest } = metadata
  const { [hashLabel]: _, ...own } = labels
  return { ...rest, labels: own, annotations }
}

const longestName = 253

/** A ReplicaSet of the current template, without size: its replicas are decided together with the others'. */
export function newReplicaSet(deployment: Deployment, revision: number): ReplicaSet {
  const { spec, metadata, status } = deployment
  const hash = hashOf(spec.template, status?.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name?.slice(0, longestName - 1 - hash.length)}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: annotateSize(deployment, annotateNewest(deployment, {}, revision)),
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas: 0,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: selectorWith(spec.selector, hash),
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}

const selectorWith = (selector: LabelSelector, hash: string): LabelSelector => ({
  ...selector,
  matchLabels: { ...selector.matchLabels, [hashLabel]: hash },
})

export const sizeOf = (set: ReplicaSet): number => set.spec.replicas ?? 0

export const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((total, set) => total + (count(set) ?? 0), 0)

export const withSize = (set: ReplicaSet, replicas: number): ReplicaSet => ({ ...set, spec: { ...set.spec, replicas } })
