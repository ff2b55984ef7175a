// The most that each pod of a node can take, kept while the pod and what is known of workloads stay the same: a node is
// looked at after each of its pods, and asking for all of them anew would cost their square.

import type { Pod } from '#kinds'
import type { Workloads } from '../workload/workload.ts'
import { peakStats } from './measuring.ts'
import type { PodStats } from './ranking.ts'

export class Peaks {
  #known: ReadonlyMap<Pod, PodStats> = new Map()
  #version: number | undefined

  of(pods: Iterable<Pod>, workloads: Workloads): readonly PodStats[] {
    const old = workloads.version === this.#version ? this.#known : undefined
    const known = new Map<Pod, PodStats>()
    for (const pod of pods) known.set(pod, old?.get(pod) ?? peakStats(pod, workloads))
    this.#known = known
    this.#version = workloads.version
    return [...known.values()]
  }
}
