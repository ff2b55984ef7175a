// Who the pods of a StatefulSet are: ordinal, name, labels, host name and claims. Pure.

import { type PersistentVolumeClaim, type Pod, type PodTemplateSpec, StatefulSet, type Volume } from '#kinds'
import { controllerReference } from '../claims.ts'

export const revisionLabel = 'controller-revision-hash'
const nameLabel = 'statefulset.kubernetes.io/pod-name'
const indexLabel = 'apps.kubernetes.io/pod-index'

export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1

/** Undefined for a pod whose name is not one of the set's. */
export function ordinalOf(set: StatefulSet, { metadata }: Pick<Pod, 'metadata'>): number | undefined {
  const match = /^(.*)-(\d+)$/.exec(metadata.name ?? '')
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
  // The set's service stands in the place of the template's subdomain, even if there is none.
  const { subdomain: _, ...spec } = revision.template.spec ?? { containers: [] }
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
      ...spec,
      hostname: name,
      ...(serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName }),
      ...withClaims(set, ordinal, spec.volumes),
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
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...template.metadata,
      name: claimNameOf(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
    },
    spec: template.spec,
  }))
}

/** Whether the pod carries its name as a label and has its claims as volumes; pods can be relabelled, or adopted. */
export const hasIdentity = (set: StatefulSet, pod: Pod): boolean =>
  pod.metadata.labels?.[nameLabel] === pod.metadata.name && hasClaims(set, pod)

/** Whether the pod has the set's claims as volumes. */
export function hasClaims(set: StatefulSet, { metadata, spec }: Pod): boolean {
  const ordinal = ordinalOf(set, { metadata })
  return (set.spec.volumeClaimTemplates ?? []).every((template) => {
    const volume = spec.volumes?.find(({ name }) => name === template.metadata.name)
    return volume?.persistentVolumeClaim?.claimName === claimNameOf(set, template, ordinal ?? 0)
  })
}

export function withIdentity(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(set, pod) ?? 0
  const labels = { ...pod.metadata.labels, [nameLabel]: pod.metadata.name ?? '', [indexLabel]: String(ordinal) }
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    // Other claims cannot be given to a pod that is there: the server says so.
    spec: hasClaims(set, pod) ? pod.spec : { ...pod.spec, ...withClaims(set, ordinal, pod.spec.volumes) },
  }
}
