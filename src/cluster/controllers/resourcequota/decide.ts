// How much of a ResourceQuota is used: the sum of what the objects of its namespace use each. Pure.

import { type Amounts, countsFor, type Kind, quotaUsage, type ResourceQuota, usersOf } from '#kinds'
import { addQuantity, formatQuantity, isEqual, type KubeObject, parseQuantity, type QuantityText } from '#objects'

export interface Inventory {
  /** Objects of a kind in the quota's namespace. */
  readonly list: (kind: Kind) => readonly KubeObject[]
  /** The kind of a group resource (`deployments.apps`). */
  readonly kindNamed: (resource: string) => Kind | undefined
  readonly now: number
}

/** The quota's status; its own object when nothing changed. What nothing can use has no figure. */
export function decideQuota(quota: ResourceQuota, inventory: Inventory): NonNullable<ResourceQuota['status']> {
  const hard = quota.spec?.hard ?? {}
  const totals = new Map<string, Amounts>()
  const used: Record<string, string> = {}
  for (const name of Object.keys(hard)) {
    const resource = usersOf(name)
    const kind = resource === undefined ? undefined : inventory.kindNamed(resource)
    if (resource === undefined || kind === undefined) continue
    const amounts = totals.get(resource) ?? total(quota, { resource, kind }, inventory)
    totals.set(resource, amounts)
    used[name] = canonical(amounts[name] ?? 0)
  }
  const status = { hard, used }
  return isEqual(status, quota.status) ? (quota.status ?? status) : status
}

interface Users {
  readonly resource: string
  readonly kind: Kind
}

function total(quota: ResourceQuota, { resource, kind }: Users, { list, now }: Inventory): Amounts {
  const sum: Record<string, QuantityText> = {}
  for (const object of list(kind)) {
    if (!countsFor(quota, resource, object)) continue
    for (const [name, amount] of Object.entries(quotaUsage(resource, object, now)))
      sum[name] = addQuantity(sum[name] ?? 0, amount)
  }
  return sum
}

const canonical = (amount: QuantityText): string => formatQuantity(parseQuantity(amount))
