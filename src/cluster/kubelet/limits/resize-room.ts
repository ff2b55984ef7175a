// Changed resources of a pod: whether its node has room for them, whether a container has to be restarted for them, and how
// an Event sums them up. Pure.

import { amountOf, type Container, type Pod, type PodSpec, podRequests, type ResourceRequirements } from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import { readmit } from '../node/admission.ts'
import type { Room } from '../node/node-runtime.ts'

export interface PendingResize {
  readonly reason: 'Infeasible' | 'Deferred'
  readonly message: string
}

const nothing: ResourceRequirements = {}

/** Infeasible: the node is too small. Deferred: it would not take the pod as things are now. */
export function decideRoom(pod: Pod, room: Room): PendingResize | undefined {
  const { milliCpu, memory } = podRequests(pod.spec)
  const never = [
    // Of two that can never fit, memory is named.
    { name: 'memory', requested: memory },
    { name: 'cpu', requested: milliCpu },
  ].find(({ name, requested }) => requested > (room.allocatable.get(name) ?? 0))
  if (never !== undefined) {
    const { name, requested } = never
    const capacity = room.allocatable.get(name) ?? 0
    return {
      reason: 'Infeasible',
      message: `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`,
    }
  }
  const notNow = readmit(pod, room)
  return notNow && { reason: 'Deferred', message: notNow.message }
}

/** What a resize does to the memory of one container; 0 is no limit. */
export interface MemoryResize {
  readonly name: string
  /** It keeps running while it gets another limit. */
  readonly inPlace: boolean
  readonly before: number
  readonly wanted: number
  readonly used: number
}

/** Why limits cannot be lowered: what they would take away is in use. The words tell the pod's use of containers too. */
export function decideMemory(containers: readonly MemoryResize[]): string | undefined {
  const used = containers.reduce((sum, one) => sum + one.used, 0)
  const total = (limits: readonly number[]): number =>
    limits.includes(0) ? 0 : limits.reduce((sum, one) => sum + one, 0)
  const pod = {
    before: total(containers.map(({ before }) => before)),
    wanted: total(containers.map(({ wanted }) => wanted)),
  }
  const faults = [
    ...(isLowered(pod) && used >= pod.wanted ? [`attempting to set pod memory limit (${pod.wanted})`] : []),
    ...containers
      .filter((one) => one.inPlace && isLowered(one) && one.used >= one.wanted)
      .map(({ name, wanted }) => `attempting to set container ${goQuote(name)} memory limit (${wanted})`),
  ].map((text) => `${text} below current usage (${used})`)
  if (faults.length === 0) return undefined
  return `cannot decrease memory limits: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`
}

/** A limit where there was none lowers what may be used, too. */
const isLowered = ({ before, wanted }: Pick<MemoryResize, 'before' | 'wanted'>): boolean =>
  wanted > 0 && (before === 0 || wanted < before)

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

const sizes = ['cpu', 'memory']

/** Whether a container is of the same size by both, however that is written. */
export const isSameSize = (a: ResourceRequirements, b: ResourceRequirements): boolean =>
  (['limits', 'requests'] as const).every((list) =>
    sizes.every((name) => amountOf(name, a[list]?.[name] ?? 0) === amountOf(name, b[list]?.[name] ?? 0)),
  )

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
