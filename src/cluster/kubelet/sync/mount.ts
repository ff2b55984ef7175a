// Mounting the volumes of a pod before anything of it runs: each is tried again and again, at first after half a second,
// then with doubled delays.

import type { Process } from '../ground/agenda.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { claimKeysOf, hasClaims, type Site } from '../volumes/claims.ts'
import { decideVolumes } from '../volumes/decide.ts'

const longestDelayMs = 122_000

/** False when the sync has failed: it is to be repeated from its begin. */
export function* mountVolumes(run: PodRun): Process<boolean> {
  const { timings, objects } = run.around
  let delayMs = timings.firstMountRetryMs
  yield { ms: timings.mountMs, gates: [run.ending] }
  while (!run.ending.isOpen) {
    const { faults, unknown, complete } = decideVolumes(run.pod, objects, siteOf(run))
    if (complete) {
      run.mounted = true
      settle(run)
      return true
    }
    for (const message of faults) run.event('Warning', 'FailedMount', message)
    if (unknown !== undefined) {
      run.event('Warning', 'FailedMount', unknown)
      return false
    }
    yield { ms: delayMs, gates: [run.ending] }
    delayMs = Math.min(delayMs * 2, longestDelayMs)
  }
  return true
}

function siteOf({ around, uid }: PodRun): Site {
  const { node, storageTrouble } = around
  return {
    node: node.object(),
    files: node.files,
    isMountedByOther: (key) => [...node.holders].some(([other, keys]) => other !== uid && keys.includes(key)),
    troubleOf: storageTrouble,
  }
}

/** The volumes of the pod are mounted: what they ask for is there, and others may not have it any more. */
export function settle({ pod, around, uid }: PodRun): void {
  for (const { hostPath } of pod.spec.volumes ?? []) if (hostPath !== undefined) around.node.files.make(hostPath)
  if (!hasClaims(pod)) return
  const claims = claimKeysOf(pod)
  around.node.holders.set(uid, claims)
  around.onMounted?.(claims)
}
