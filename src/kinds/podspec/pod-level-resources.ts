// Resources of a pod as a whole (PodLevelResources): what its containers ask for together, and the default of the pod's
// requests. Follows component-helpers/resource.

import { addQuantity, compareQuantity } from '#objects'
import type { Container, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { isHugePages, isOvercommitAllowed } from '../quantity/resources.ts'

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

/** Pod-level requests that are not given come from the containers, else from the pod's limits. */
export function podLevelRequests(spec: PodSpec): ResourceRequirements | undefined {
  const { resources } = spec
  const limits = resources?.limits ?? {}
  if (resources === undefined || Object.keys(limits).length === 0) return undefined
  const requests: Amounts = { ...resources.requests }
  const supported = (name: string): boolean => podLevelResources.has(name) || isHugePages(name)
  for (const [name, amount] of Object.entries(aggregateRequests(spec)))
    if (requests[name] === undefined && supported(name) && isOvercommitAllowed(name)) requests[name] = amount
  for (const [name, amount] of Object.entries(limits))
    if (requests[name] === undefined && supported(name)) requests[name] = amount
  const unchanged = Object.keys(requests).every((name) => resources.requests?.[name] === requests[name])
  return unchanged ? undefined : { ...resources, requests }
}
