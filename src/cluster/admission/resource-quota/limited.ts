// What nobody gets without a quota that covers it: a ResourceQuotaConfiguration, and what of a request is not covered.

import { matchingScopes, quotaScopes, quotaUsage, type ResourceQuota, type ScopeSelector } from '#kinds'
import { type AnyObject, compareQuantity, type Fields } from '#objects'

export interface LimitedResource {
  /** `pods`, `persistentvolumeclaims`, `deployments.apps`. */
  readonly resource: string
  /** Parts of the names of amounts: `requests.cpu`, `gold.storageclass.storage.k8s.io/requests.storage`. */
  readonly matchContains: readonly string[]
  readonly matchScopes: readonly ScopeSelector[]
}

const legacy = 'resourcequota.admission.k8s.io'
export const limitedVersions = {
  'apiserver.config.k8s.io/v1': 'ResourceQuotaConfiguration',
  [`${legacy}/v1beta1`]: 'Configuration',
  [`${legacy}/v1alpha1`]: 'Configuration',
}

export function readLimited(fields: Fields): readonly LimitedResource[] {
  return (fields.objects('limitedResources') ?? []).map((entry) => {
    const resource = entry.required('resource') ?? ''
    const group = entry.has('apiGroup') && entry.raw('apiGroup') !== '' ? entry.text('apiGroup') : undefined
    const matchContains = entry.texts('matchContains') ?? []
    const matchScopes = (entry.objects('matchScopes') ?? []).map(readScope)
    entry.end()
    return { resource: group === undefined ? resource : `${resource}.${group}`, matchContains, matchScopes }
  })
}

function readScope(fields: Fields): ScopeSelector {
  const scopeName = fields.required('scopeName') ?? ''
  const operator = fields.required('operator', ['In', 'NotIn', 'Exists', 'DoesNotExist']) ?? ''
  const values = fields.texts('values') ?? []
  fields.end()
  return { scopeName, operator, values }
}

interface Request {
  readonly resource: string
  readonly object: AnyObject
  /** Those that count the object, among all of the namespace. */
  readonly quotas: readonly ResourceQuota[]
  readonly all: readonly ResourceQuota[]
}

export interface Uncovered {
  readonly why: string
  readonly isForbidden: boolean
}

export function uncovered(request: Request, limited: readonly LimitedResource[]): Uncovered | undefined {
  const { resource, object, quotas, all } = request
  const parts = limited.filter((one) => one.resource === resource).flatMap(({ matchContains }) => matchContains)
  const covered = new Set(quotas.flatMap(({ status }) => Object.keys(status?.hard ?? {})))
  const names = Object.entries(parts.length === 0 ? {} : quotaUsage(resource, object))
    .filter(([name, amount]) => parts.some((part) => name.includes(part)) && compareQuantity(amount, 0) > 0)
    .flatMap(([name]) => (covered.has(name) ? [] : [name]))
  if (names.length > 0) return { why: `insufficient quota to consume: ${names.sort().join(',')}`, isForbidden: true }
  const given = new Set(
    all.flatMap((quota) => matchingScopes(quotaScopes(quota), resource, object)).map(({ scopeName }) => scopeName),
  )
  const asked = limited.flatMap(({ matchScopes }) => matchingScopes(matchScopes, resource, object))
  const missing = asked.filter(({ scopeName }) => !given.has(scopeName))
  if (missing.length === 0) return undefined
  const texts = missing.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`,
  )
  return { why: `insufficient quota to match these scopes: [${texts.join(' ')}]`, isForbidden: false }
}
