// The ends that a running container comes to by itself: its run is over, or its memory exceeds its limit.

import { amountOf } from '#kinds'
import { rank } from './agenda.ts'
import { type ContainerRecord, containersOf } from './containers.ts'
import { endContainer } from './ending.ts'
import type { PodRun } from './pod-run.ts'
import { exceedsAt } from './usage-curve.ts'
import { type ContainerWorkload, runOf } from './workload.ts'

const killed = 137

/** The moment is counted from the container's start, so that it is the same after a restart of the kubelet. */
export function planEnd(run: PodRun, record: ContainerRecord, workload: ContainerWorkload): void {
  const { forever, afterSeconds, exitCode = 0 } = runOf(workload, record.attempt)
  if (forever !== true && afterSeconds !== undefined)
    run.agenda.at(record.startedAt + afterSeconds * 1000, rank.runtime, () => endContainer(run, record.id, exitCode))
  const { memory } = workload
  if (memory === undefined) return
  const spec = containersOf(run.pod.spec).find((container) => container.spec.name === record.name)?.spec
  const limit = spec?.resources?.limits?.memory
  const at = limit === undefined ? undefined : exceedsAt(memory, amountOf('memory', limit))
  // The kernel needs a moment to see it.
  if (at !== undefined)
    run.agenda.at(record.startedAt + at * 1000 + oomMs, rank.runtime, () => endContainer(run, record.id, killed, 'oom'))
}

const oomMs = 300
