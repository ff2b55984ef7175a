// Resources of a pod as a whole (PodLevelResources): what its containers ask for together, and the default of the pod's
// requests. Follows component-helpers/resource.

import { addQuantity, compareQuantity } from '#objects'
import type { Container, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { isHugePages } from '../quantity/resources.ts'

type Amounts = Record<string, string | number>

export const podLevelResources: ReadonlySet<string> = new Set(['cpu', 'memory'])

const add = (total: Amounts, amounts: Readonly<Amounts> | undefined): Amounts => {
  const sum = { ...total }
  for (const [name, amount] of Object.entries(amounts ?? {}))
    sum[name] = sum[name] === undefined ? amount : addQuantity(sum[name], amount)
  return sum
}

const larger = (total: Amounts, amounts: Readonly<Amounts>): Amounts => {
  const max = { ...total }
  for (const [name, amount] of Object.entries(amounts)) {
    const known = max[name]
    if (known === undefined || compareQuantity(amount, known) > 0) max[name] = amount
  }
  return max
}

/** Sidecars run beside everything after them; other init containers run alone, one by one. */
function aggregate(spec: PodSpec, of: (container: Container) => Readonly<Amounts> | undefined): Readonly<Amounts> {
  let running: Amounts = {}
  for (const container of spec.containers ?? []) running = add(running, of(container))
  let sidecars: Amounts = {}
  let starting: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      running = add(running, of(container))
      sidecars = add(sidecars, of(container))
      starting = larger(starting, sidecars)
    } else starting = larger(starting, add(sidecars, of(container)))
  }
  return larger(running, starting)
}

export const aggregateRequests = (spec: PodSpec): Readonly<Amounts> => aggregate(spec, (c) => c.resources?.requests)
export const aggregateLimits = (spec: PodSpec): Readonly<Amounts> => aggregate(spec, (c) => c.resources?.limits)

/**
 * What a pod with limits of its own leaves open: huge pages as many as its containers, requests as its containers ask for,
 * else as its limits say.
 */
export function podLevelDefaults(spec: PodSpec): ResourceRequirements | undefined {
  const { resources } = spec
  if (resources === undefined || Object.keys(resources.limits ?? {}).length === 0) return undefined
  const limits: Amounts = { ...resources.limits }
  for (const [name, amount] of Object.entries(aggregateLimits(spec)))
    if (limits[name] === undefined && isHugePages(name)) limits[name] = amount
  const requests: Amounts = { ...resources.requests }
  for (const [name, amount] of Object.entries(aggregateRequests(spec)))
    if (requests[name] === undefined && podLevelResources.has(name)) requests[name] = amount
  for (const [name, amount] of Object.entries(limits))
    if (requests[name] === undefined && (podLevelResources.has(name) || isHugePages(name))) requests[name] = amount
  const isSame = (now: Amounts, given: Readonly<Amounts> | undefined): boolean =>
    Object.keys(now).length === Object.keys(given ?? {}).length
  if (isSame(limits, resources.limits) && isSame(requests, resources.requests)) return undefined
  return { ...resources, limits, requests }
}
