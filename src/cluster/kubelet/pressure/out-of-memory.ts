// Which process the kernel ends when a node has no memory left at all: the one with the highest score, by its share of
// the memory and by what its kubelet has said of it (qos/policy.go). Pure.

import { amountOf, type Pod } from '#kinds'
import { digestOf } from '../ground/digest.ts'
import type { Candidate } from './ranking.ts'

const guaranteed = -997
const bestEffort = 1000
const nodeCritical = 2_000_001_000

/** oom_score_adj of a container. */
export function scoreAdjustment({ spec, status }: Pod, container: string, capacity: number): number {
  if ((spec.priority ?? 0) >= nodeCritical) return guaranteed
  if (status?.qosClass === 'Guaranteed') return guaranteed
  if (status?.qosClass === 'BestEffort') return bestEffort
  const request = spec.containers.find(({ name }) => name === container)?.resources?.requests?.['memory'] ?? 0
  const adjusted = Math.trunc(1000 - (1000 * amountOf('memory', request)) / capacity)
  return Math.min(Math.max(adjusted, 1000 + guaranteed), bestEffort - 1)
}

export interface OomVictim {
  readonly pod: Pod
  readonly container: string
}

export function oomVictim(candidates: readonly Candidate[], capacity: number): OomVictim | undefined {
  let victim: OomVictim | undefined
  let highest = Number.NEGATIVE_INFINITY
  for (const { pod, stats } of candidates)
    for (const { name, memory } of stats?.containers ?? []) {
      const score = (memory * 1000) / capacity + scoreAdjustment(pod, name, capacity)
      if (score <= highest) continue
      highest = score
      victim = { pod, container: name }
    }
  return victim
}

/** What the node's Event says of it. */
export function oomText({ pod, container }: OomVictim): string {
  const { command, image = '' } = pod.spec.containers.find(({ name }) => name === container) ?? {}
  const words = command?.[0] ?? image.replace(/[:@].*$/, '')
  const process = words.slice(words.lastIndexOf('/') + 1)
  const pid = 1000 + (Number.parseInt(digestOf(`${pod.metadata.uid} ${container}`).slice(7, 15), 16) % 31_000)
  return `System OOM encountered, victim process: ${process}, pid: ${pid}`
}
