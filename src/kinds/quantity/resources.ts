// Faults of amounts of resources, and what is known of the names of resources (pkg/apis/core/helper).

import { compareQuantity, formatQuantity, parseQuantity } from '#objects'
import { type FieldError, invalid } from '../field-error.ts'
import { nonNegativeText, qualifiedName } from '../metadata/formats.ts'

type Amount = string | number

export const amountText = (amount: Amount): string => formatQuantity(parseQuantity(amount))

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])
const countedResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]
const quotaResources = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...countedResources,
])
const standardResources = new Set([...quotaResources, 'storage'])

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-')

export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false
  return qualifiedName(`requests.${name}`).length === 0
}

/** Whether more of it may be promised than there is. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name)

export const isStandardResource = (name: string): boolean => standardResources.has(name) || isQuotaHugePages(name)
export const isStandardContainerResource = (name: string): boolean => containerResources.has(name) || isHugePages(name)
export const isStandardQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name)

const isIntegerResource = (name: string): boolean => countedResources.includes(name) || isExtendedResource(name)

export function checkResourceName(name: string, path: string, errors: FieldError[]): void {
  const faults = qualifiedName(name)
  for (const text of faults) errors.push(invalid(path, name, text))
  if (faults.length === 0 && !name.includes('/') && !isStandardResource(name))
    errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'))
}

export function checkContainerResourceName(name: string, path: string, errors: FieldError[]): void {
  checkResourceName(name, path, errors)
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name))
      errors.push(invalid(path, name, 'must be a standard resource for containers'))
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"))
}

export function checkQuotaResourceName(name: string, path: string, errors: FieldError[]): void {
  checkResourceName(name, path, errors)
  if (!name.includes('/') && !isStandardQuotaResource(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'))
}

export function checkAmount(
  name: string,
  amount: Amount,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (compareQuantity(amount, '0') < 0) errors.push(invalid(path, amountText(amount), nonNegativeText))
  if (isIntegerResource(name) && parseQuantity(amount).nano % 1_000_000_000n !== 0n)
    errors.push(invalid(path, amountText(amount), 'must be an integer'))
}

/** Huge pages come in whole pages. */
export function checkHugePages(
  name: string,
  amount: Amount,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (!isHugePages(name)) return
  const page = parseQuantity(name.slice('hugepages-'.length)).nano
  if (page <= 0n || parseQuantity(amount).nano % page !== 0n)
    errors.push(invalid(path, amountText(amount), `${amountText(amount)} is not positive integer multiple of ${name}`))
}
