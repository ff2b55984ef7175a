// Takes back DisruptionTarget from pods that were to be disrupted and are still there two minutes later.
// Reads: Pods.  Writes: Pod.status.conditions.

import { isNotFound } from '#api'
import { Pod, type PodCondition } from '#kinds'
import { formatTime, objectKey, parseTime } from '#objects'
import { done, isTerminating, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { isPodFinished, podCondition } from '../pods.ts'

const staleMs = 120_000

export const stalePodDisruption = defineController({
  name: 'stale-pod-disruption',
  account: 'disruption-controller',
  reconciles: Pod,
  watches: [watching(Pod, (pod) => (isTarget(pod) ? [objectKey(pod)] : []))],
  reconcile,
})

const isTarget = (pod: Pod): boolean => podCondition(pod, 'DisruptionTarget')?.status === 'True'

/** World time at which the condition is stale; undefined when it is right as it is. */
export function staleAt(pod: Pod): number | undefined {
  const condition = podCondition(pod, 'DisruptionTarget')
  if (condition?.status !== 'True' || isTerminating(pod) || isPodFinished(pod)) return undefined
  return (parseTime(condition.lastTransitionTime) ?? 0) + staleMs
}

/** The conditions with that one taken back; its reason goes with it. */
export function withoutTarget({ metadata, status }: Pod, now: number): readonly PodCondition[] {
  const { generation } = metadata
  return (status?.conditions ?? []).map((condition) =>
    condition.type === 'DisruptionTarget'
      ? ({
          type: condition.type,
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: formatTime(now),
          ...(generation === undefined ? {} : { observedGeneration: generation }),
        } as unknown as PodCondition)
      : condition,
  )
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  const at = pod === undefined ? undefined : staleAt(pod)
  const now = kit.world.clock.now()
  if (pod === undefined || at === undefined) return done()
  if (now < at) return requeueAfter(at - now)
  try {
    await kit.client.updateStatus(Pod, { ...pod, status: { ...pod.status, conditions: withoutTarget(pod, now) } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
