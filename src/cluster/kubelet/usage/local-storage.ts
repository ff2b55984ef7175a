// What a pod holds of its node's disk at a moment: what its profile says of the pod as a whole, and what its containers
// write over time. Pure.

import type { Pod, PodStatus } from '#kinds'
import { parseTime } from '#objects'
import type { ContainerWorkload, PodUsage, UsagePoint, Workloads } from '../workload/workload.ts'
import { usageAt } from './usage-curve.ts'

export interface Started {
  readonly name: string
  readonly startedAt: number
}

/** Containers that run, and since when. */
export function runningIn({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): readonly Started[] {
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) => {
    const startedAt = parseTime(state?.running?.startedAt)
    return startedAt === undefined ? [] : [{ name, startedAt }]
  })
}

/** Undefined when its profiles say nothing of it. */
export function localStorage(
  pod: Pod,
  workloads: Workloads,
  at: { readonly running: readonly Started[]; readonly now: number },
): PodUsage | undefined {
  const { running, now } = at
  const { usage } = workloads.pod(pod)
  const first = Math.min(...running.map(({ startedAt }) => startedAt))
  const holds = usage?.ephemeralStorageBytes !== undefined && now >= first + (usage.fromSeconds ?? 0) * 1000
  const written = running.flatMap(({ name, startedAt }) => {
    const curve = workloads.container(pod, name).ephemeralStorage
    return curve === undefined ? [] : [[name, Math.round(usageAt(curve, (now - startedAt) / 1000))] as const]
  })
  if (!holds && written.length === 0) return undefined
  const containers: Record<string, number> = { ...(holds ? usage.containers : {}) }
  let total = holds ? (usage.ephemeralStorageBytes ?? 0) : 0
  for (const [name, bytes] of written) {
    containers[name] = (containers[name] ?? 0) + bytes
    total += bytes
  }
  return { ephemeralStorageBytes: total, containers, ...(holds && usage.volumes ? { volumes: usage.volumes } : {}) }
}

const lastPoint = (points: readonly UsagePoint[] = []): number => points.at(-1)?.fromSeconds ?? 0

/** Seconds after the starts from which on nothing changes any more. */
export function settledAfterSeconds(pod: Pod, workloads: Workloads, names: readonly string[]): number {
  const curves = names.map((name): ContainerWorkload => workloads.container(pod, name))
  return Math.max(
    workloads.pod(pod).usage?.fromSeconds ?? 0,
    ...curves.map(({ ephemeralStorage }) => lastPoint(ephemeralStorage)),
  )
}
