// The two last stages of a pod's life (SyncTerminatingPod, SyncTerminatedPod).

import { killPod } from '../ending/ending.ts'
import type { Process } from '../ground/agenda.ts'
import { isStatic } from '../node/static-pods.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { finalStatus } from '../status/pod-status.ts'

/** The pod is to end: its containers are ended, and their ends told. */
export function* terminatePod(run: PodRun): Process {
  run.setStatus(run.seen, false)
  run.probing.stopRestarts()
  yield* killPod(run, run.graceSeconds)
  run.probing.stop()
  // A static pod whose manifest is gone is still thought to be restarted.
  run.setStatus({ records: run.records, sandbox: run.sandbox }, !isStatic(run.pod))
  // From here on the pod is told to have ended: what it took is free for others.
  run.around.node.release(run.uid)
  run.proceed('terminated')
}

/** The last word on the pod; if it is being deleted, it may go now. */
// biome-ignore lint/correctness/useYield: every stage is a process
export function* terminatedPod(run: PodRun): Process {
  run.setStatus(run.seen, true)
  run.status = finalStatus(run.status, run.endingPod ?? run.pod)
  run.proceed('finished')
}
