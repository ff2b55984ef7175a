// What containers and nodes take of CPU and memory, as metrics-server would have scraped it last. Unless a workload says
// otherwise, a container takes a steady tenth to three tenths of what it requests, by chance of its pod's uid: pure.

import { amountsOf, isSidecar, type Pod, type PodSpec } from '#kinds'
import { parseTime } from '#objects'
import { containersOf } from '../containers/containers.ts'
import { lastBeat } from '../ground/timings.ts'
import type { Workloads } from '../workload/workload.ts'

export interface Usage {
  readonly milliCpu: number
  readonly memoryBytes: number
}

export interface UsageSample {
  /** When it was measured. */
  readonly at: number
  /** The time that the CPU usage is the mean of. */
  readonly windowMs: number
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[]
}

/** metrics-server asks each kubelet this often. */
const scrapeMs = 15_000
/** A container younger than this has no CPU usage yet. */
const freshMs = 10_000
const unrequested: Usage = { milliCpu: 20, memoryBytes: 64 * 1024 * 1024 }
/** Kubelet, runtime and system services. */
export const ofTheNode: Usage = { milliCpu: 80, memoryBytes: 500 * 1024 * 1024 }

/** A number in [0, 1), always the same for the same text. */
function chanceOf(text: string): number {
  let hash = 2166136261
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

export function usualUsage(pod: Pod, containerName: string): Usage {
  const container = containersOf(pod.spec).find(({ spec }) => spec.name === containerName)?.spec
  const requests = amountsOf(container?.resources?.requests)
  const share = (what: string): number => 0.1 + 0.2 * chanceOf(`${pod.metadata.uid} ${containerName} ${what}`)
  const requested = (resource: string): number | undefined => requests.get(resource) ?? shareOfPod(pod.spec, resource)
  return {
    milliCpu: share('cpu') * (requested('cpu') ?? unrequested.milliCpu),
    memoryBytes: Math.round(share('memory') * (requested('memory') ?? unrequested.memoryBytes)),
  }
}

/** What the pod as a whole requests beside its containers, in equal parts for those that request nothing themselves. */
function shareOfPod({ resources, containers, initContainers = [] }: PodSpec, resource: string): number | undefined {
  const whole = amountsOf(resources?.requests).get(resource)
  if (whole === undefined) return undefined
  const own = [...containers, ...initContainers.filter(isSidecar)].map((one) =>
    amountsOf(one.resources?.requests).get(resource),
  )
  const left = own.reduce<number>((rest, amount) => rest - (amount ?? 0), whole)
  return Math.max(0, left) / Math.max(1, own.filter((amount) => amount === undefined).length)
}

/** The last sample of a pod's running containers of all kinds; undefined before there is one for each of them. */
export function podSample(pod: Pod, workloads: Workloads, now: number): UsageSample | undefined {
  const at = lastBeat(now, scrapeMs, Math.floor(chanceOf(pod.spec.nodeName ?? '') * scrapeMs))
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {}
  const containers: { readonly name: string; readonly usage: Usage }[] = []
  let windowMs = scrapeMs
  for (const { name, state } of [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]) {
    const startedAt = parseTime(state?.running?.startedAt)
    if (startedAt === undefined) continue
    if (at - startedAt < freshMs) return undefined
    windowMs = Math.min(windowMs, at - startedAt)
    containers.push({ name, usage: workloads.usage?.(pod, name, at) ?? usualUsage(pod, name) })
  }
  return containers.length === 0 ? undefined : { at, windowMs, containers }
}

/** The pods of a node, and what is taken there beside them. */
export interface NodeLoad {
  readonly name: string
  readonly pods: Iterable<Pod>
  readonly besideBytes?: number
  /** So much memory is taken, whoever takes it. */
  readonly leastBytes?: number
}

/** What a node takes in all: its pods and what runs beside them. */
export function nodeSample(load: NodeLoad, workloads: Workloads, now: number): UsageSample {
  const { name, pods, besideBytes = ofTheNode.memoryBytes, leastBytes = 0 } = load
  let { milliCpu } = ofTheNode
  let memoryBytes = besideBytes
  for (const pod of pods) {
    for (const { usage } of podSample(pod, workloads, now)?.containers ?? []) {
      milliCpu += usage.milliCpu
      memoryBytes += usage.memoryBytes
    }
  }
  const at = lastBeat(now, scrapeMs, Math.floor(chanceOf(name) * scrapeMs))
  const usage = { milliCpu, memoryBytes: Math.max(memoryBytes, leastBytes) }
  return { at, windowMs: scrapeMs, containers: [{ name, usage }] }
}
