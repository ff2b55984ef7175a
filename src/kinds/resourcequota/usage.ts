// What one object uses of the quotas of its namespace (k8s.io/kubernetes/pkg/quota/v1/evaluator/core). Pure.

import { addQuantity, compareQuantity, type KubeObject, type QuantityText } from '#objects'
import type { Container, PersistentVolumeClaim, Pod, PodSpec, ResourceQuota, Service } from '../generated/types.ts'

export type Amounts = Readonly<Record<string, QuantityText>>

/** Resources that are also counted under their own name. */
const namedCounts = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

/** `resource` is the group resource: `deployments.apps`. */
export function quotaUsage(resource: string, object: KubeObject): Amounts {
  const count = { [`count/${resource}`]: 1, ...(namedCounts.has(resource) ? { [resource]: 1 } : {}) }
  switch (resource) {
    case 'pods':
      return { ...count, ...podUsage(object as Pod) }
    case 'services':
      return { ...count, ...serviceUsage(object as Service) }
    case 'persistentvolumeclaims':
      return { ...count, ...claimUsage(object as PersistentVolumeClaim) }
    default:
      return count
  }
}

function serviceUsage({ spec }: Service): Amounts {
  const isBalanced = spec?.type === 'LoadBalancer'
  const ports = spec?.ports ?? []
  const exposed =
    isBalanced && spec?.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports
  return {
    ...(isBalanced ? { 'services.loadbalancers': 1 } : {}),
    ...(isBalanced || spec?.type === 'NodePort' ? { 'services.nodeports': exposed.length } : {}),
  }
}

function claimUsage({ spec }: PersistentVolumeClaim): Amounts {
  const storage = spec?.resources?.requests?.['storage']
  const className = spec?.storageClassName
  const inClass = className === undefined || className === '' ? undefined : `${className}.storageclass.storage.k8s.io`
  return {
    ...(storage === undefined ? {} : { 'requests.storage': storage }),
    ...(inClass === undefined ? {} : { [`${inClass}/persistentvolumeclaims`]: 1 }),
    ...(inClass === undefined || storage === undefined ? {} : { [`${inClass}/requests.storage`]: storage }),
  }
}

const alsoPlain = ['cpu', 'memory', 'ephemeral-storage']

/** Finished pods use nothing but their place in the list of pods. */
function podUsage({ spec, status }: Pod): Amounts {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return {}
  const usage: Record<string, QuantityText> = { pods: 1 }
  for (const [name, amount] of Object.entries(podTotal(spec, 'requests'))) {
    usage[`requests.${name}`] = amount
    if (alsoPlain.includes(name)) usage[name] = amount
  }
  for (const [name, amount] of Object.entries(podTotal(spec, 'limits'))) usage[`limits.${name}`] = amount
  return usage
}

/** Containers and sidecars add up; other init containers count by the largest. */
function podTotal(spec: PodSpec, list: 'requests' | 'limits'): Amounts {
  const sum: Record<string, QuantityText> = {}
  const inits = spec.initContainers ?? []
  for (const container of [...(spec.containers ?? []), ...inits.filter(isSidecar)])
    for (const [name, amount] of amountsOf(container, list)) sum[name] = addQuantity(sum[name] ?? 0, amount)
  for (const container of inits.filter((init) => !isSidecar(init)))
    for (const [name, amount] of amountsOf(container, list))
      if (compareQuantity(amount, sum[name] ?? 0) > 0) sum[name] = amount
  for (const [name, amount] of Object.entries(spec.overhead ?? {}))
    if (list === 'requests' || sum[name] !== undefined) sum[name] = addQuantity(sum[name] ?? 0, amount)
  return sum
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

const amountsOf = ({ resources }: Container, list: 'requests' | 'limits') => Object.entries(resources?.[list] ?? {})

const explicit = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** Why a pod cannot be measured by a quota: containers that don't say what they need of what is limited. */
export function unmeasured({ spec }: Pod, limited: readonly string[]): string | undefined {
  const missing = new Map<string, string[]>()
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const name of limited.filter((one) => explicit.includes(one))) {
      const [list, resource] = name.startsWith('limits.')
        ? (['limits', name.slice(7)] as const)
        : (['requests', name.replace('requests.', '')] as const)
      if (container.resources?.[list]?.[resource] === undefined)
        missing.set(name, [...(missing.get(name) ?? []), container.name])
    }
  }
  if (missing.size === 0) return undefined
  const texts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`)
  return `must specify ${texts.join('; ')}`
}

export interface ScopeSelector {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

export const quotaScopes = ({ spec }: ResourceQuota): readonly ScopeSelector[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
]

/** Those that an object falls under. Scopes are about pods: nothing else has any. */
export const matchingScopes = <T extends ScopeSelector>(
  selectors: readonly T[],
  resource: string,
  object: KubeObject,
): readonly T[] => (resource === 'pods' ? selectors.filter((selector) => matchesScope(object as Pod, selector)) : [])

/** A quota that has scopes counts nothing else. */
export function countsFor(quota: ResourceQuota, resource: string, object: KubeObject): boolean {
  const scopes = quotaScopes(quota)
  return scopes.length === matchingScopes(scopes, resource, object).length
}

function matchesScope(pod: Pod, { scopeName: scope, operator, values = [] }: ScopeSelector): boolean {
  const { spec } = pod
  const isBestEffort = Object.keys({ ...podTotal(spec, 'requests'), ...podTotal(spec, 'limits') }).length === 0
  switch (scope) {
    case 'Terminating':
      return (spec.activeDeadlineSeconds ?? -1) >= 0
    case 'NotTerminating':
      return (spec.activeDeadlineSeconds ?? -1) < 0
    case 'BestEffort':
      return isBestEffort
    case 'NotBestEffort':
      return !isBestEffort
    case 'PriorityClass':
      return matchesValue(spec.priorityClassName ?? '', operator, values)
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceTerm(spec)
    default:
      return false
  }
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
