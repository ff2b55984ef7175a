// ResourceQuota: a namespace uses no more than its quotas allow. What is admitted is added to the quota's status at once,
// so that the next request sees it; the quota's controller corrects it later. A configuration may say what nobody gets
// without a quota.
// Reads and writes: ResourceQuota (status).

import { ApiError } from '#api'
import { type Amounts, countsFor, type Pod, quotaUsage, ResourceQuota, unmeasured } from '#kinds'
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  type QuantityText,
  subtractQuantity,
} from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { type LimitedResource, limitedVersions, readLimited, uncovered } from './limited.ts'

const resourceOf = ({ resource: { group, resource } }: AdmissionRequest): string =>
  group === '' ? resource : `${resource}.${group}`

/** Updates count where they can ask for more: of pods only their resize can. */
const growing = ['persistentvolumeclaims', 'services']

function deltaOf(request: AdmissionRequest): Amounts {
  const { object, old } = request
  const resource = resourceOf(request)
  if (object === undefined) return {}
  const now = quotaUsage(resource, object)
  if (old === undefined) return now
  const before = quotaUsage(resource, old)
  return Object.fromEntries(
    Object.entries(now).flatMap(([name, amount]) => {
      const more = subtractQuantity(amount, before[name] ?? 0)
      return compareQuantity(more, 0) > 0 ? [[name, more]] : []
    }),
  )
}

function isRelevant({ namespace, subresource, operation, resource: { resource } }: AdmissionRequest): boolean {
  if (namespace === '') return false
  if (operation === 'UPDATE' && resource === 'pods') return subresource === 'resize'
  return subresource === '' && (operation === 'CREATE' || (operation === 'UPDATE' && growing.includes(resource)))
}

function validate(request: AdmissionRequest, state: AdmissionState, limited: readonly LimitedResource[]): void {
  if (!isRelevant(request) || (limited.length === 0 && state.count(ResourceQuota, request.namespace) === 0)) return
  const { object, old } = request
  // Many kinds have no spec: only of an update does the same one say that nothing more is asked for.
  if (object === undefined || (old !== undefined && object['spec'] === old['spec'])) return
  const delta = deltaOf(request)
  const all = state.list(ResourceQuota, request.namespace)
  const quotas = all.filter((quota) => countsFor(quota, resourceOf(request), object))
  for (const quota of quotas) checkMeasured(quota, request)
  if (limited.length > 0 && Object.values(delta).some((amount) => compareQuantity(amount, 0) > 0)) {
    const fault = uncovered({ resource: resourceOf(request), object, quotas, all }, limited)
    if (fault !== undefined) throw fault.isForbidden ? refuse(request, fault.why) : unmatched(fault.why)
  }
  const charges = quotas.flatMap((quota) => charge(quota, delta, request) ?? [])
  if (request.dryRun) return
  for (const quota of charges) state.writeStatus(ResourceQuota, quota)
}

const text = (amounts: Amounts): string =>
  Object.keys(amounts)
    .sort()
    .map((name) => `${name}=${canonical(amounts[name] ?? 0)}`)
    .join(',')

const canonical = (amount: QuantityText): string => formatQuantity(parseQuantity(amount))

const masked = (amounts: Amounts, names: readonly string[]): Amounts =>
  Object.fromEntries(names.map((name) => [name, amounts[name] ?? 0]))

/** A pod says how much it takes of all that is limited; asked of all quotas before any is charged. */
function checkMeasured({ metadata, status }: ResourceQuota, request: AdmissionRequest): void {
  if (request.resource.resource !== 'pods') return
  const why = unmeasured(request.object as unknown as Pod, Object.keys(status?.hard ?? {}))
  if (why !== undefined) throw refuse(request, `failed quota: ${metadata.name}: ${why}`)
}

/** The quota with the delta added to what is used; undefined when it limits nothing of it. Throws when it is exceeded. */
function charge(quota: ResourceQuota, delta: Amounts, request: AdmissionRequest): ResourceQuota | undefined {
  const { name = '' } = quota.metadata
  const hard = quota.status?.hard ?? {}
  const used = quota.status?.used ?? {}
  const touched = Object.keys(delta).filter((one) => hard[one] !== undefined)
  if (touched.length === 0) return undefined
  const unknown = touched.filter((one) => used[one] === undefined)
  if (unknown.length > 0)
    throw refuse(request, `status unknown for quota: ${name}, resources: ${unknown.sort().join(',')}`)
  const next = Object.fromEntries(touched.map((one) => [one, addQuantity(used[one] ?? 0, delta[one] ?? 0)]))
  const exceeded = touched.filter((one) => compareQuantity(next[one] ?? 0, hard[one] ?? 0) > 0)
  if (exceeded.length > 0) {
    const [asked, has, most] = [masked(delta, exceeded), masked(used, exceeded), masked(hard, exceeded)]
    throw refuse(
      request,
      `exceeded quota: ${name}, requested: ${text(asked)}, used: ${text(has)}, limited: ${text(most)}`,
    )
  }
  return { ...quota, status: { ...quota.status, used: { ...used, ...next } } }
}

/** kube-apiserver answers this one as an error of its own. */
const unmatched = (message: string): ApiError => new ApiError({ code: 500, reason: '', message })

const resourceQuotaBy = (limited: readonly LimitedResource[]): AdmissionPlugin => ({
  name: 'ResourceQuota',
  isLast: true,
  configuration: {
    versions: limitedVersions,
    read: (fields) => resourceQuotaBy(readLimited(fields)),
  },
  validate: (request, state) => validate(request, state, limited),
})

export const resourceQuota = resourceQuotaBy([])
