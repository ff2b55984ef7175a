// What follows when no node fits: preemption, the condition PodScheduled=False, the Event, and waiting.

import { isConflict, isNotFound } from '#api'
import { Pod, type PodCondition, PodDisruptionBudget, type PodStatus } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { type Kit, type Outcome, recordSeriesEvent, requeueAfter } from '#reconcile'
import type { NotFound } from './cycle.ts'
import { withPreemption } from './fit-error.ts'
import type { PodFacts } from './pod-facts.ts'
import { type Budget, decidePreemption, type Preemption } from './preemption.ts'
import type { Desk } from './scheduler.ts'
import { compileSelector } from './selector.ts'
import { happeningsFor } from './waiting.ts'

interface At {
  readonly kit: Kit
  readonly desk: Desk
}

export async function refused(facts: PodFacts, result: NotFound, at: At): Promise<Outcome> {
  const { kit, desk } = at
  const { memory, instance, profile } = desk
  const now = kit.world.clock.now()
  const helpedBy = new Set(happeningsFor(result.plugins))
  let { message } = result
  let nominated: string | undefined
  let preemption: Preemption | undefined
  if (!result.refusedAll) {
    const outcome = decidePreemption(facts, {
      cluster: memory.snapshot,
      refusals: result.refusals,
      budgets: budgetsOf(kit),
      plugins: desk.plugins,
      nominated: (nodeName) => memory.nominatedTo(nodeName),
    })
    if (outcome.node === undefined) message = withPreemption(message, outcome.message)
    else {
      nominated = outcome.node.name
      helpedBy.add('podGone')
      preemption = outcome
    }
  }
  // Parked before anything is written: what happens meanwhile may be what the pod waits for.
  memory.waiting.park(facts.key, helpedBy, now)
  try {
    if (preemption !== undefined) await preempt(facts, preemption, at)
    if (nominated !== undefined) await takeBackNominations(facts, nominated, at)
    await writeRefusal(facts.pod, { message, nominated, kit, now })
  } catch (error) {
    // The pod is tried again, with what the cache says by then.
    memory.waiting.changed(facts.key)
    throw error
  }
  recordSeriesEvent(kit, {
    object: facts.pod,
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
    note: message,
    controller: profile.schedulerName,
    instance,
  })
  return requeueAfter(memory.waiting.delay(facts.key, now))
}

interface Writing {
  readonly message: string
  readonly nominated: string | undefined
  readonly kit: Kit
  readonly now: number
}

async function writeRefusal(pod: Pod, { message, nominated, kit, now }: Writing): Promise<void> {
  const status = refusedStatus(pod, { message, nominated, now })
  if (status === undefined) return
  try {
    await kit.client.updateStatus(Pod, { ...pod, status })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

interface Refusal {
  readonly message: string
  readonly nominated: string | undefined
  readonly now: number
}

/** The status with PodScheduled=False and the nomination; undefined when it says so already. */
export function refusedStatus(pod: Pod, { message, nominated, now }: Refusal): PodStatus | undefined {
  const conditions = pod.status?.conditions ?? []
  const before = conditions.find(({ type }) => type === 'PodScheduled')
  const { generation } = pod.metadata
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime:
      before?.status === 'False' && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : formatTime(now),
    reason: 'Unschedulable',
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as unknown as PodCondition
  const { nominatedNodeName, ...rest } = pod.status ?? {}
  if (isEqual(before, condition) && nominatedNodeName === nominated) return undefined
  return {
    ...rest,
    conditions:
      before === undefined
        ? [...conditions, condition]
        : conditions.map((other) => (other === before ? condition : other)),
    ...(nominated === undefined ? {} : { nominatedNodeName: nominated }),
  }
}

const budgetsOf = (kit: Kit): readonly Budget[] =>
  kit.cache.list(PodDisruptionBudget).map(({ metadata, spec, status }) => ({
    namespace: metadata.namespace ?? '',
    selector: compileSelector(spec?.selector),
    allowed: status?.disruptionsAllowed ?? 0,
  }))

async function preempt(facts: PodFacts, { node, victims }: Preemption, { kit, desk }: At): Promise<void> {
  for (const { key, pod, namespace, terminating } of victims) {
    const ref = { namespace, name: pod.metadata.name ?? '' }
    // What stands in the snapshot is the pod as it was when it was placed.
    if (!terminating) await evict(kit.cache.get(Pod, key) ?? pod, { kit, desk })
    recordSeriesEvent(kit, {
      object: pod,
      related: facts.pod,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${facts.pod.metadata.uid} on node ${node.name}`,
      controller: desk.profile.schedulerName,
      instance: desk.instance,
    })
    kit.world.log.debug('preempted', { pod: `${ref.namespace}/${ref.name}`, by: facts.key, node: node.name })
  }
}

/** Less important pods that were promised the node look for another one. */
async function takeBackNominations(facts: PodFacts, nodeName: string, { kit, desk }: At): Promise<void> {
  for (const { key, priority } of desk.memory.nominatedTo(nodeName)) {
    const pod = kit.cache.get(Pod, key)
    if (pod === undefined || key === facts.key || priority >= facts.priority) continue
    const { nominatedNodeName: _promised, ...status } = pod.status ?? {}
    try {
      await kit.client.updateStatus(Pod, { ...pod, status })
    } catch (error) {
      // It changed or went meanwhile; the promise is looked at again when it is tried.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}

/** Says why in the victim's status, then deletes it gracefully. */
async function evict(pod: Pod, { kit, desk }: At): Promise<void> {
  const { namespace = '', name = '', generation, uid } = pod.metadata
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(kit.world.clock.now()),
    reason: 'PreemptionByScheduler',
    message: `${desk.profile.schedulerName}: preempting to accommodate a higher priority pod`,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as unknown as PodCondition
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget')
  try {
    await kit.client.updateStatus(Pod, { ...pod, status: { ...pod.status, conditions: [...others, condition] } })
    await kit.client.delete(Pod, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
