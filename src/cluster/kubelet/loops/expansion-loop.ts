// Lets the file systems on volumes grow that have been made larger: the kubelet of a node on which the volume is mounted does
// that when it looks at the pod the next time, or when it mounts it.
// Reads: PersistentVolumeClaims, PersistentVolumes; what pods have mounted.  Writes: PersistentVolumeClaim.status.

import {
  isForNode,
  PersistentVolume,
  PersistentVolumeClaim,
  resizeConditionOf,
  resizeStageOf,
  statusAtStage,
  statusOfResized,
} from '#kinds'
import { objectKey, parseTime } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import type { Fleet } from '../fleet/fleet.ts'
import type { PodRun } from '../pod/pod-run.ts'

/** A kubelet looks at a pod that only runs once in 60 to 90 s: so long is it on average until then. */
const lookMs = 37_500

export const expansionLoop = (fleet: Fleet): LoopDefinition => ({
  name: 'kubelet-expansion',
  user: 'system:node:homeostat',
  manager: 'kubelet',
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => (isForNode(claim) ? [objectKey(claim)] : []))],
  reads: [PersistentVolume],
  wakes: (wake) => {
    fleet.wakeClaim = wake
    return () => {}
  },
  workers: 4,
  async reconcile(key, kit) {
    const claim = kit.cache.get(PersistentVolumeClaim, key)
    if (claim === undefined || !isForNode(claim)) return done()
    const run = whoHolds(key, fleet)
    if (run === undefined) return done()
    if (fleet.isStopped(run.around.node.name)) return requeueAfter(lookMs)
    return expand(claim, run, kit)
  },
})

/** A pod that has the claim's volume mounted. */
function whoHolds(key: string, { names, present }: Fleet): PodRun | undefined {
  for (const name of names)
    for (const [uid, keys] of present?.floor.nodeNamed(name)?.runtime.holders ?? [])
      if (keys.includes(key)) return present?.floor.runOf(uid)
  return undefined
}

async function expand(claim: PersistentVolumeClaim, { api: pod, around }: PodRun, kit: Kit): Promise<Outcome> {
  const size = kit.cache.get(PersistentVolume, claim.spec?.volumeName ?? '')?.spec?.capacity?.['storage']
  if (size === undefined) return done()
  const client = kit.client.as(around.node.caller)
  if (resizeStageOf(claim) === 'NodeResizePending') {
    const since = parseTime(resizeConditionOf(claim, 'FileSystemResizePending')?.lastTransitionTime) ?? 0
    const isMountedSince = (parseTime(pod.metadata.creationTimestamp) ?? 0) >= since
    const leftMs = since + lookMs - kit.world.clock.now()
    if (!isMountedSince && leftMs > 0) return requeueAfter(leftMs)
    const status = statusAtStage(claim, 'NodeResizeInProgress', { keepsOthers: true })
    await client.updateStatus(PersistentVolumeClaim, { ...claim, status })
    return done()
  }
  const { name } = around.node
  const message = `MountVolume.NodeExpandVolume succeeded for volume "${claim.spec?.volumeName}" ${name}`
  const told = {
    component: 'kubelet',
    host: name,
    type: 'Normal',
    reason: 'FileSystemResizeSuccessful',
    message,
  } as const
  for (const object of [pod, claim]) recordEvent(kit, { object, ...told })
  await client.updateStatus(PersistentVolumeClaim, { ...claim, status: statusOfResized(claim, size) })
  return done()
}
