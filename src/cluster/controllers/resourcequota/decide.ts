// How much of a ResourceQuota is used: the sum of what the objects of its namespace use each. Pure.

import { type Amounts, countsFor, type Kind, quotaUsage, type ResourceQuota } from '#kinds'
import { addQuantity, formatQuantity, isEqual, type KubeObject, parseQuantity, type QuantityText } from '#objects'

export interface Inventory {
  /** Objects of a kind in the quota's namespace. */
  readonly list: (kind: Kind) => readonly KubeObject[]
  /** The kind of a group resource (`deployments.apps`). */
  readonly kindNamed: (resource: string) => Kind | undefined
}

/** The quota's status; its own object when nothing changed. */
export function decideQuota(quota: ResourceQuota, inventory: Inventory): NonNullable<ResourceQuota['status']> {
  const hard = quota.spec?.hard ?? {}
  const totals = new Map<string, Amounts>()
  const totalOf = (resource: string): Amounts => {
    const known = totals.get(resource) ?? total(quota, resource, inventory)
    totals.set(resource, known)
    return known
  }
  const used = Object.fromEntries(
    Object.keys(hard).map((name) => [name, canonical(totalOf(resourceOf(name, inventory))[name] ?? 0)]),
  )
  const status = { hard, used }
  return isEqual(status, quota.status) ? (quota.status ?? status) : status
}

/** Which objects use the resource that a quota names: most are about pods. */
function resourceOf(name: string, { kindNamed }: Inventory): string {
  if (name.startsWith('count/')) return name.slice('count/'.length)
  if (name.startsWith('services.')) return 'services'
  if (name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/')) return 'persistentvolumeclaims'
  return kindNamed(name) === undefined ? 'pods' : name
}

function total(quota: ResourceQuota, resource: string, { list, kindNamed }: Inventory): Amounts {
  const kind = kindNamed(resource)
  const sum: Record<string, QuantityText> = {}
  for (const object of kind === undefined ? [] : list(kind)) {
    if (!countsFor(quota, resource, object)) continue
    for (const [name, amount] of Object.entries(quotaUsage(resource, object)))
      sum[name] = addQuantity(sum[name] ?? 0, amount)
  }
  return sum
}

const canonical = (amount: QuantityText): string => formatQuantity(parseQuantity(amount))
