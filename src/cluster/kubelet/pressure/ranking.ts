// Which pod is evicted first, and what it is told (eviction/helpers.go). Pure.

import { amountOf, type Pod, podRequests } from '#kinds'
import { binaryText, type EvictedResource, namesOf, type Signal } from '../node/signals.ts'
import type { Met } from '../node/thresholds.ts'

/** What a pod takes; undefined before anything of it was measured. */
export interface PodStats {
  readonly memory: number
  readonly disk: number
  readonly inodes: number
  readonly pids: number
  readonly containers: readonly { readonly name: string; readonly memory: number; readonly disk: number }[]
}

export interface Candidate {
  readonly pod: Pod
  readonly stats: PodStats | undefined
}

type Compare = (a: Candidate, b: Candidate) => number

const trueFirst = (a: boolean, b: boolean): number => Number(b) - Number(a)
const usedBy = ({ stats }: Candidate, field: 'memory' | 'disk' | 'inodes' | 'pids'): number => stats?.[field] ?? 0

const byPriority: Compare = ({ pod: a }, { pod: b }) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0)

/** A pod that nothing is known of goes first. */
const measured =
  (compare: Compare): Compare =>
  (a, b) =>
    a.stats === undefined || b.stats === undefined
      ? trueFirst(a.stats === undefined, b.stats === undefined)
      : compare(a, b)

const memoryOver = (one: Candidate): number => usedBy(one, 'memory') - podRequests(one.pod.spec).memory
const diskOver = (one: Candidate): number => usedBy(one, 'disk') - podRequests(one.pod.spec).ephemeralStorage

const overThen = (over: (one: Candidate) => number): readonly Compare[] => [
  measured((a, b) => trueFirst(over(a) > 0, over(b) > 0)),
  byPriority,
  measured((a, b) => over(b) - over(a)),
]

const ranks: Readonly<Record<EvictedResource, readonly Compare[]>> = {
  memory: overThen(memoryOver),
  'ephemeral-storage': overThen(diskOver),
  inodes: [
    measured((a, b) => trueFirst(usedBy(a, 'inodes') > 0, usedBy(b, 'inodes') > 0)),
    byPriority,
    measured((a, b) => usedBy(b, 'inodes') - usedBy(a, 'inodes')),
  ],
  pids: [byPriority, measured((a, b) => usedBy(b, 'pids') - usedBy(a, 'pids'))],
}

/** Those that go first come first. */
export function ranked(candidates: readonly Candidate[], signal: Signal): readonly Candidate[] {
  const rules = ranks[namesOf[signal].resource]
  return candidates.toSorted((a, b) => {
    for (const rule of rules) {
      const result = rule(a, b)
      if (result !== 0) return result
    }
    return 0
  })
}

export interface EvictionText {
  readonly message: string
  readonly annotations: Readonly<Record<string, string>>
}

/** What the Event and the status of an evicted pod say. */
export function evictionText({ pod, stats }: Candidate, met: Met): EvictionText {
  const { resource } = namesOf[met.signal]
  const field = resource === 'memory' ? 'memory' : resource === 'ephemeral-storage' ? 'disk' : undefined
  const over = pod.spec.containers.flatMap(({ name, resources }) => {
    const used = field === undefined ? undefined : stats?.containers.find((one) => one.name === name)?.[field]
    const request = String(resources?.requests?.[resource] ?? 0)
    return used !== undefined && used > amountOf(resource, request) ? [{ name, used: binaryText(used), request }] : []
  })
  const parts = over.map(
    ({ name, used, request }) =>
      `Container ${name} was using ${used}, request is ${request}, has larger consumption of ${resource}. `,
  )
  return {
    message: `The node was low on resource: ${resource}. Threshold quantity: ${binaryText(met.amount)}, available: ${binaryText(met.available)}. ${parts.join('')}`,
    annotations: {
      offending_containers: over.map(({ name }) => name).join(),
      offending_containers_usage: over.map(({ used }) => used).join(),
      starved_resource: resource,
    },
  }
}
