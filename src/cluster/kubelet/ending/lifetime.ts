// The ends that a running container comes to by itself: its run is over, or its memory exceeds its limit. Moments are
// counted from the container's start, so that they are the same after a restart of the kubelet.

import { amountOf } from '#kinds'
import type { ContainerRecord } from '../containers/containers.ts'
import { rank } from '../ground/agenda.ts'
import type { PodLife } from '../life/pod-life.ts'
import { exceedsAt, usageAt } from '../usage/usage-curve.ts'
import { type ContainerWorkload, runOf, type UsagePoint } from '../workload/workload.ts'
import { endContainer } from './ending.ts'

const killed = 137

export function planEnd(run: PodLife, record: ContainerRecord, workload: ContainerWorkload): void {
  const { forever, afterSeconds, exitCode = 0 } = runOf(workload, record.attempt)
  if (forever !== true && afterSeconds !== undefined)
    run.agenda.at(record.startedAt + afterSeconds * 1000, rank.runtime, () => endContainer(run, record.id, exitCode))
  if (workload.memory !== undefined) planOutOfMemory(run, record, workload.memory)
}

/** The kernel needs a moment to see it. */
const oomMs = 300

/** Planned anew when the limit changes. */
export function planOutOfMemory(run: PodLife, record: ContainerRecord, memory: readonly UsagePoint[]): void {
  const limit = limitOf(record)
  const at = limit === undefined ? undefined : exceedsAt(memory, limit)
  if (at === undefined) return
  run.agenda.at(record.startedAt + at * 1000 + oomMs, rank.runtime, () => {
    const now = run.record(record.id)
    const limitNow = now === undefined ? undefined : limitOf(now)
    // With the limit that it has by now there may be room.
    if (limitNow === undefined || usageAt(memory, (run.now - record.startedAt) / 1000) <= limitNow) return
    endContainer(run, record.id, killed, 'oom')
  })
}

function limitOf({ resources }: ContainerRecord): number | undefined {
  const limit = resources.limits?.memory
  return limit === undefined ? undefined : amountOf('memory', limit)
}
