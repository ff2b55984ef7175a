// A pod's life as a table: what its kubelet does at each stage.

import type { Process } from '../ground/agenda.ts'
import { PodRun, type PodRunParts } from '../pod/pod-run.ts'
import type { Stages } from '../pod/pod-worker.ts'
import { syncPod } from './sync.ts'
import { terminatedPod, terminatePod } from './terminating.ts'

const stages: Stages<PodRun> = {
  syncing: syncPod,
  terminating: terminatePod,
  terminated: terminatedPod,
  finished: nothing,
}

export const runPod = (parts: Omit<PodRunParts, 'stages'>): PodRun => new PodRun({ ...parts, stages })

function* nothing(): Process {}
