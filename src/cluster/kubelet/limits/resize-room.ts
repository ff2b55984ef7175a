// Changed resources of a pod: whether its node has room for them, whether a container has to be restarted for them, and how
// an Event sums them up. Pure.

import { amountOf, type Container, type PodSpec, type ResourceRequirements } from '#kinds'

export interface PendingResize {
  readonly reason: 'Infeasible' | 'Deferred'
  readonly message: string
}

interface Amounts {
  readonly milliCpu: number
  readonly memory: number
}

const nothing: ResourceRequirements = {}

/** Infeasible: the node is too small. Deferred: the others take too much of it now. */
export function decideRoom(
  wanted: Amounts,
  others: Amounts,
  allocatable: ReadonlyMap<string, number>,
): PendingResize | undefined {
  const checks = [
    { name: 'cpu', requested: wanted.milliCpu, used: others.milliCpu },
    { name: 'memory', requested: wanted.memory, used: others.memory },
  ].map((check) => ({ ...check, capacity: allocatable.get(check.name) ?? 0 }))
  // Of two that can never fit, memory is named.
  const never = checks.findLast(({ requested, capacity }) => requested > capacity)
  if (never !== undefined)
    return {
      reason: 'Infeasible',
      message: `Node didn't have enough capacity: ${never.name}, requested: ${never.requested}, capacity: ${never.capacity}`,
    }
  const notNow = checks.find(({ requested, used, capacity }) => requested + used > capacity)
  if (notNow === undefined) return undefined
  const { name, requested, used, capacity } = notNow
  return {
    reason: 'Deferred',
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  }
}

/** Whether a resource has changed whose policy says that the container restarts. */
export function needsRestart(
  { resizePolicy = [], resources = nothing }: Container,
  now: ResourceRequirements | undefined,
): boolean {
  return resizePolicy.some(({ resourceName, restartPolicy }) => {
    const differs = (list: 'requests' | 'limits'): boolean =>
      amountOf(resourceName, resources[list]?.[resourceName] ?? 0) !==
      amountOf(resourceName, now?.[list]?.[resourceName] ?? 0)
    return restartPolicy === 'RestartContainer' && (differs('requests') || differs('limits'))
  })
}

const sortedList = (list: ResourceRequirements['requests']): ResourceRequirements['requests'] =>
  list && Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)))

const sorted = ({ limits, requests }: ResourceRequirements): object => ({
  ...(limits === undefined ? {} : { limits: sortedList(limits) }),
  ...(requests === undefined ? {} : { requests: sortedList(requests) }),
})

/** All containers, with what they ask for now, as JSON. */
export function resizeSummary({ initContainers = [], containers }: PodSpec): string {
  const summary = (list: readonly Container[]) =>
    list.map(({ name, resources = nothing }) => ({ name, resources: sorted(resources) }))
  const init = initContainers.length === 0 ? {} : { initContainers: summary(initContainers) }
  return JSON.stringify({ ...init, containers: summary(containers) })
}
