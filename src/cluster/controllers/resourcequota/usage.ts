// How much of its quotas a namespace uses: counts of objects, and what pods, claims and services ask for. Pure. Follows
// the quota evaluators of Kubernetes.

import {
  ConfigMap,
  type Kind,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from '#kinds'
import { addQuantity, formatQuantity, isEqual, type KubeObject, parseQuantity, type QuantityText } from '#objects'
import { isPodFinished } from '../pods.ts'

type Amounts = Readonly<Record<string, QuantityText>>

/** Resources that are simply numbers of objects. */
const counted: Readonly<Record<string, Kind>> = {
  services: Service,
  secrets: Secret,
  configmaps: ConfigMap,
  persistentvolumeclaims: PersistentVolumeClaim,
  replicationcontrollers: ReplicationController,
  resourcequotas: ResourceQuota,
}

export interface Inventory {
  /** Objects of a kind in the quota's namespace. */
  readonly list: (kind: Kind) => readonly KubeObject[]
  /** The kind that `count/<resource>` names. */
  readonly kindNamed: (resource: string) => Kind | undefined
}

/** The quota's status; its own object when nothing changed. */
export function decideQuota(quota: ResourceQuota, inventory: Inventory): NonNullable<ResourceQuota['status']> {
  const hard = quota.spec?.hard ?? {}
  const totals = new Usage(quota, inventory)
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, totals.of(name)]))
  const status = { hard, used }
  return isEqual(status, quota.status) ? (quota.status ?? status) : status
}

class Usage {
  readonly #quota: ResourceQuota
  readonly #inventory: Inventory
  #pods: Amounts | undefined

  constructor(quota: ResourceQuota, inventory: Inventory) {
    this.#quota = quota
    this.#inventory = inventory
  }

  of(name: string): string {
    return canonical(this.#amount(name))
  }

  #amount(name: string): QuantityText {
    const kind = name.startsWith('count/') ? this.#inventory.kindNamed(name.slice('count/'.length)) : counted[name]
    if (kind !== undefined) return isScoped(this.#quota) ? 0 : this.#inventory.list(kind).length
    if (name.startsWith('services.')) return this.#services(name)
    if (name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/')) return this.#claims(name)
    this.#pods ??= podTotals(this.#quota, this.#inventory.list(Pod) as readonly Pod[])
    return this.#pods[name] ?? 0
  }

  #services(name: string): number {
    const services = this.#inventory.list(Service) as readonly Service[]
    if (name === 'services.loadbalancers') return services.filter(({ spec }) => spec.type === 'LoadBalancer').length
    const exposing = services.filter(({ spec }) => spec.type === 'NodePort' || spec.type === 'LoadBalancer')
    return exposing.reduce((total, { spec }) => total + nodePortsOf(spec), 0)
  }

  #claims(name: string): QuantityText {
    const claims = this.#inventory.list(PersistentVolumeClaim) as readonly PersistentVolumeClaim[]
    const [, className, resource] = /^(.+)\.storageclass\.storage\.k8s\.io\/(.+)$/.exec(name) ?? []
    const mine = className === undefined ? claims : claims.filter(({ spec }) => spec?.storageClassName === className)
    if (resource === 'persistentvolumeclaims') return mine.length
    return mine.reduce<QuantityText>(
      (total, { spec }) => addQuantity(total, spec?.resources?.requests?.['storage'] ?? 0),
      0,
    )
  }
}

const nodePortsOf = (spec: Service['spec']): number =>
  spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false
    ? (spec.ports ?? []).filter(({ nodePort }) => nodePort).length
    : (spec.ports ?? []).length

function canonical(amount: QuantityText): string {
  return formatQuantity(parseQuantity(amount))
}

/** Finished pods use nothing but the place in the list of pods. */
function podTotals(quota: ResourceQuota, pods: readonly Pod[]): Amounts {
  const totals: Record<string, QuantityText> = {}
  const add = (name: string, amount: QuantityText): void => {
    totals[name] = addQuantity(totals[name] ?? 0, amount)
  }
  for (const pod of pods) {
    if (!isInScope(quota, pod)) continue
    add('count/pods', 1)
    if (isPodFinished(pod)) continue
    add('pods', 1)
    for (const [name, amount] of Object.entries(requestsOf(pod))) {
      add(`requests.${name}`, amount)
      if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') add(name, amount)
    }
    for (const [name, amount] of Object.entries(limitsOf(pod))) add(`limits.${name}`, amount)
  }
  return totals
}

type Resources = Readonly<Record<string, QuantityText>>

const requestsOf = (pod: Pod): Resources => total(pod, 'requests')
const limitsOf = (pod: Pod): Resources => total(pod, 'limits')

/** Containers add up; init containers count by the largest. */
function total({ spec }: Pod, which: 'requests' | 'limits'): Resources {
  const sum: Record<string, QuantityText> = {}
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const { resources } of [...spec.containers, ...sidecars])
    for (const [name, amount] of Object.entries(resources?.[which] ?? {}))
      sum[name] = addQuantity(sum[name] ?? 0, amount)
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    if (restartPolicy === 'Always') continue
    for (const [name, amount] of Object.entries(resources?.[which] ?? {}))
      if (parseQuantity(amount).nano > parseQuantity(sum[name] ?? 0).nano) sum[name] = amount
  }
  for (const [name, amount] of Object.entries(spec.overhead ?? {}))
    if (which === 'requests' || sum[name] !== undefined) sum[name] = addQuantity(sum[name] ?? 0, amount)
  return sum
}

const isScoped = ({ spec }: ResourceQuota): boolean =>
  (spec?.scopes ?? []).length > 0 || (spec?.scopeSelector?.matchExpressions ?? []).length > 0

export function isInScope({ spec }: ResourceQuota, pod: Pod): boolean {
  const byName = (spec?.scopes ?? []).every((scope) => hasScope(pod, scope))
  return byName && (spec?.scopeSelector?.matchExpressions ?? []).every((expression) => matchesScope(pod, expression))
}

function hasScope(pod: Pod, scope: string): boolean {
  switch (scope) {
    case 'Terminating':
      return (pod.spec.activeDeadlineSeconds ?? -1) >= 0
    case 'NotTerminating':
      return pod.spec.activeDeadlineSeconds === undefined
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return (pod.spec.priorityClassName ?? '') !== ''
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod)
    default:
      return false
  }
}

interface ScopeExpression {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

function matchesScope(pod: Pod, { scopeName, operator, values = [] }: ScopeExpression): boolean {
  if (scopeName !== 'PriorityClass') return hasScope(pod, scopeName)
  const name = pod.spec.priorityClassName ?? ''
  if (operator === 'Exists') return name !== ''
  if (operator === 'DoesNotExist') return name === ''
  return values.includes(name) === (operator === 'In')
}

const isBestEffort = (pod: Pod): boolean =>
  Object.keys(requestsOf(pod)).length === 0 && Object.keys(limitsOf(pod)).length === 0

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined,
  )
}
