// What one object uses of the quotas of its namespace (k8s.io/kubernetes/pkg/quota/v1/evaluator/core). Pure.

import { addQuantity, compareQuantity, type KubeObject, type QuantityText, quantityValue } from '#objects'
import type {
  DeviceRequest,
  PersistentVolumeClaim,
  Pod,
  ResourceV1ResourceClaim as ResourceClaim,
  Service,
} from '../generated/types.ts'
import { type Amounts, podUsage } from './pod-usage.ts'

/** Resources that are also counted under their own name. */
const namedCounts = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

const perClass = '.storageclass.storage.k8s.io/'
const ofClass = [`${perClass}persistentvolumeclaims`, `${perClass}requests.storage`]
const devicesOfClass = '.deviceclass.resource.k8s.io/devices'
/** How many devices a request for all of them may be given. */
const devicesMax = 32

/**
 * Which objects use the resource that a quota names (`deployments.apps`); undefined when nothing does. What `count/` names
 * is the caller's to know.
 */
export function usersOf(name: string): string | undefined {
  if (name.startsWith('count/')) return name.slice('count/'.length)
  if (namedCounts.has(name)) return name
  if (name === 'services.loadbalancers' || name === 'services.nodeports') return 'services'
  if (name === 'requests.storage' || ofClass.some((end) => name.endsWith(end))) return 'persistentvolumeclaims'
  if (name.endsWith(devicesOfClass)) return 'resourceclaims.resource.k8s.io'
  return isOfPods(name) ? 'pods' : undefined
}

function isOfPods(name: string): boolean {
  const plain = name.replace(/^(requests|limits)\./, '')
  if (name === 'pods' || ['cpu', 'memory', 'ephemeral-storage'].includes(plain) || name.startsWith('hugepages-'))
    return true
  // Of what no kind of Kubernetes' own provides, only requests are counted: it cannot be overcommitted.
  return name.startsWith('requests.') && (plain.startsWith('hugepages-') || plain.includes('/'))
}

/** `resource` is the group resource: `deployments.apps`. */
export function quotaUsage(resource: string, object: KubeObject, now = 0): Amounts {
  const count = { [`count/${resource}`]: 1, ...(namedCounts.has(resource) ? { [resource]: 1 } : {}) }
  switch (resource) {
    case 'pods':
      return { ...count, ...podUsage(object as Pod, now) }
    case 'services':
      return { ...count, ...serviceUsage(object as Service) }
    case 'persistentvolumeclaims':
      return { ...count, ...claimUsage(object as PersistentVolumeClaim) }
    case 'resourceclaims.resource.k8s.io':
      return { ...count, ...deviceUsage(object as ResourceClaim) }
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

/** Whole bytes; what a volume has been given already counts where it is more. */
function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): Amounts {
  const wanted = spec?.resources?.requests?.['storage']
  const given = status?.allocatedResources?.['storage']
  const larger = wanted !== undefined && given !== undefined && compareQuantity(given, wanted) > 0 ? given : wanted
  const storage = larger === undefined || isWhole(larger) ? larger : quantityValue(larger)
  const className = metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? ''
  const inClass = `${className}${perClass}`
  return {
    ...(storage === undefined ? {} : { 'requests.storage': storage }),
    ...(className === '' ? {} : { [`${inClass}persistentvolumeclaims`]: 1 }),
    ...(className === '' || storage === undefined ? {} : { [`${inClass}requests.storage`]: storage }),
  }
}

const isWhole = (amount: QuantityText): boolean => compareQuantity(amount, quantityValue(amount)) === 0

/** Of alternatives, the most that may be asked of each class. */
function deviceUsage({ spec }: ResourceClaim): Amounts {
  const usage: Record<string, QuantityText> = {}
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const most = new Map<string, number>()
    for (const request of exactly === undefined ? firstAvailable : [exactly])
      most.set(request.deviceClassName, Math.max(devicesOf(request), most.get(request.deviceClassName) ?? 0))
    for (const [name, count] of most)
      usage[`${name}${devicesOfClass}`] = addQuantity(usage[`${name}${devicesOfClass}`] ?? 0, count)
  }
  return usage
}

const devicesOf = ({ allocationMode = 'ExactCount', count = 1 }: NonNullable<DeviceRequest['exactly']>): number =>
  allocationMode === 'All' ? devicesMax : count
