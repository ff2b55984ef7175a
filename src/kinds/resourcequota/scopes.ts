// Which pods and claims a quota with scopes is about: it counts nothing else. Pure.

import type { KubeObject } from '#objects'
import type { PersistentVolumeClaim, Pod, PodSpec, ResourceQuota } from '../generated/types.ts'
import { qosClassOf } from '../podspec/qos.ts'

export interface ScopeSelector {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

export const quotaScopes = ({ spec }: ResourceQuota): readonly ScopeSelector[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
]

/** Those that an object falls under. Scopes are about pods and claims: nothing else has any. */
export const matchingScopes = <T extends ScopeSelector>(
  selectors: readonly T[],
  resource: string,
  object: KubeObject,
): readonly T[] => {
  if (resource === 'pods') return selectors.filter((selector) => matchesPod(object as Pod, selector))
  if (resource !== 'persistentvolumeclaims') return []
  return selectors.filter((selector) => matchesClaim(object as PersistentVolumeClaim, selector))
}

/** A quota that has scopes counts nothing else. */
export function countsFor(quota: ResourceQuota, resource: string, object: KubeObject): boolean {
  const scopes = quotaScopes(quota)
  return scopes.length === matchingScopes(scopes, resource, object).length
}

/** A pod with a deadline. */
export const isLimitedInTime = ({ spec }: Pod): boolean => (spec.activeDeadlineSeconds ?? -1) >= 0

function matchesPod(pod: Pod, { scopeName: scope, operator, values = [] }: ScopeSelector): boolean {
  const { spec, status } = pod
  const isBestEffort = (): boolean => (status?.qosClass ?? qosClassOf(spec)) === 'BestEffort'
  switch (scope) {
    case 'Terminating':
      return isLimitedInTime(pod)
    case 'NotTerminating':
      return !isLimitedInTime(pod)
    case 'BestEffort':
      return isBestEffort()
    case 'NotBestEffort':
      return !isBestEffort()
    case 'PriorityClass':
      return matchesValue(spec.priorityClassName ?? '', operator, values)
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceTerm(spec)
    default:
      return false
  }
}

/** By any of the classes that a claim has, wants, or is being given. */
function matchesClaim({ spec, status }: PersistentVolumeClaim, selector: ScopeSelector): boolean {
  if (selector.scopeName !== 'VolumeAttributesClass') return false
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '')
  return (names.length === 0 ? [''] : names).some((name) =>
    matchesValue(name ?? '', selector.operator, selector.values ?? []),
  )
}

function matchesValue(value: string, operator: string, values: readonly string[]): boolean {
  if (operator === 'In') return values.includes(value)
  if (operator === 'NotIn') return !values.includes(value)
  return (value !== '') === (operator === 'Exists')
}

function hasCrossNamespaceTerm({ affinity }: PodSpec): boolean {
  const both = [affinity?.podAffinity, affinity?.podAntiAffinity]
  const terms = both.flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined,
  )
}
