// Local storage: pods that write more than their limits are evicted (eviction_manager.go, localStorageEviction).

import { amountOf, type Pod } from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import type { PodUsage } from '../workload/workload.ts'

const amount = (quantity: string | number | undefined): number | undefined =>
  quantity === undefined ? undefined : amountOf('ephemeral-storage', quantity)

/** Whether there is anything that the pod could exceed. */
export const hasStorageLimits = ({ spec }: Pod): boolean =>
  spec.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) === true ||
  spec.containers.some(({ resources }) => resources?.limits?.['ephemeral-storage'] !== undefined)

/** Why the pod is to be evicted, if it uses this much; undefined when it keeps to its limits. */
export function evictionMessage({ spec }: Pod, usage: PodUsage): string | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = amount(emptyDir?.sizeLimit)
    if (limit !== undefined && limit > 0 && (usage.volumes?.[name] ?? 0) > limit)
      return `Usage of EmptyDir volume ${goQuote(name)} exceeds the limit ${goQuote(String(emptyDir?.sizeLimit))}. `
  }
  const limits = spec.containers.map(({ resources }) => resources?.limits?.['ephemeral-storage'])
  const total = limits.reduce<number>((sum, limit) => sum + (amount(limit) ?? 0), 0)
  if (total > 0 && limits.every((limit) => limit !== undefined) && (usage.ephemeralStorageBytes ?? 0) > total) {
    const text = limits.length === 1 ? String(limits[0]) : String(total)
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `
  }
  for (const { name, resources } of spec.containers) {
    const text = resources?.limits?.['ephemeral-storage']
    const limit = amount(text)
    if (limit !== undefined && (usage.containers?.[name] ?? 0) > limit)
      return `Container ${name} exceeded its local ephemeral storage limit ${goQuote(String(text))}. `
  }
  return undefined
}
