// Who the pods of a StatefulSet are: ordinal, name, labels, host name and claims. Pure.

import { type PersistentVolumeClaim, type Pod, type PodTemplateSpec, StatefulSet, type Volume } from '#kinds'
import { controllerReference } from '../claims.ts'

export const revisionLabel = 'controller-revision-hash'
const nameLabel = 'statefulset.kubernetes.io/pod-name'
const indexLabel = 'apps.kubernetes.io/pod-index'

export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1

/** Undefined for a pod whose name is not one of the set's. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const match = /^(.*)-(\d+)$/.exec(pod.metadata.name ?? '')
  return match === null || match[1] !== set.metadata.name ? undefined : Number(match[2])
}

export const podNameOf = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`

export const revisionOf = (pod: Pod): string | undefined => pod.metadata.labels?.[revisionLabel]

export interface PodRevision {
  readonly name: string
  readonly template: PodTemplateSpec
}

export function newPod(set: StatefulSet, ordinal: number, revision: PodRevision): Pod {
  const { labels, annotations, finalizers } = revision.template.metadata ?? {}
  const name = podNameOf(set, ordinal)
  const { serviceName } = set.spec
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace ?? '',
      labels: { ...labels, [nameLabel]: name, [indexLabel]: String(ordinal), [revisionLabel]: revision.name },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(StatefulSet, set)],
    },
    spec: {
      ...(revision.template.spec ?? { containers: [] }),
      hostname: name,
      ...(serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName }),
      ...withClaims(set, ordinal, revision.template.spec?.volumes),
    },
  }
}

function withClaims(
  set: StatefulSet,
  ordinal: number,
  volumes: readonly Volume[] | undefined,
): { readonly volumes?: readonly Volume[] } {
  const templates = set.spec.volumeClaimTemplates ?? []
  if (templates.length === 0) return volumes === undefined ? {} : { volumes }
  const claims = templates.map((template) => ({
    name: template.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimNameOf(set, template, ordinal) },
  }))
  const others = (volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name))
  return { volumes: [...claims, ...others] }
}

const claimNameOf = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${template.metadata.name}-${set.metadata.name}-${ordinal}`

/** The claims of one pod, as they are created. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const deleted = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete'
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimNameOf(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(template.metadata.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ...(deleted ? { ownerReferences: [setReference(set)] } : {}),
    },
    spec: template.spec,
  }))
}

const setReference = ({ metadata }: StatefulSet) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** A claim that goes together with a pod that is scaled away (retention policy `whenScaled: Delete`). */
export function claimOfCondemned(claim: PersistentVolumeClaim, pod: Pod): PersistentVolumeClaim {
  const owners = claim.metadata.ownerReferences ?? []
  if (owners.some(({ uid }) => uid === pod.metadata.uid)) return claim
  const reference = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: [...owners, reference] } }
}

/** Whether the pod still carries its name's labels; pods can be relabelled. */
export const hasIdentity = (set: StatefulSet, pod: Pod): boolean =>
  pod.metadata.labels?.[nameLabel] === pod.metadata.name &&
  pod.metadata.labels?.[indexLabel] === String(ordinalOf(set, pod))

export const withIdentity = (set: StatefulSet, pod: Pod): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    labels: { ...pod.metadata.labels, [nameLabel]: pod.metadata.name ?? '', [indexLabel]: String(ordinalOf(set, pod)) },
  },
})
