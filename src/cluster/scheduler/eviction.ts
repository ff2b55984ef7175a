// Makes room: what less important pods on the chosen node are told before they are deleted, and those that were promised
// the node.

import { isConflict, isNotFound } from '#api'
import { Pod, PodDisruptionBudget } from '#kinds'
import { type Kit, recordSeriesEvent } from '#reconcile'
import type { At } from './desk.ts'
import type { PodFacts } from './pod-facts.ts'
import { writePodStatus } from './pod-status.ts'
import type { Budget, Preemption } from './preemption.ts'
import { compileSelector } from './selector.ts'

/** A budget without a selector, or with an empty one, protects nothing here. */
export const budgetsOf = (kit: Kit): readonly Budget[] =>
  kit.cache.list(PodDisruptionBudget).flatMap(({ metadata, spec, status }) => {
    const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {}
    if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return []
    return {
      namespace: metadata.namespace ?? '',
      selector: compileSelector(spec?.selector),
      allowed: status?.disruptionsAllowed ?? 0,
      granted: new Set(Object.keys(status?.disruptedPods ?? {})),
    }
  })

/** First what was promised to others, then the pods that are there. */
export async function makeRoom(facts: PodFacts, preemption: Preemption, at: At): Promise<void> {
  await takeBackNominations(facts, preemption.node.name, at)
  await preempt(facts, preemption, at)
}

/** Less important pods that were promised the node look for another one. */
async function takeBackNominations(facts: PodFacts, nodeName: string, { kit, desk }: At): Promise<void> {
  for (const { key, priority } of desk.memory.nominatedTo(nodeName)) {
    const pod = kit.cache.get(Pod, key)
    if (pod === undefined || key === facts.key || priority >= facts.priority) continue
    try {
      await writePodStatus(kit, pod, { promised: { type: 'set', nodeName: undefined } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

async function preempt(facts: PodFacts, { node, victims }: Preemption, { kit, desk }: At): Promise<void> {
  for (const { key, pod, terminating } of victims) {
    // One that is leaving already is left alone.
    if (terminating) continue
    // What stands in the snapshot is the pod as it was when it was placed.
    if (!(await evict(kit.cache.get(Pod, key) ?? pod, facts, { kit, desk }))) continue
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
    kit.world.log.debug('preempted', { pod: key, by: facts.key, node: node.name })
  }
}

/** Says why in the victim's status, then deletes it gracefully; whether it was there. */
async function evict(pod: Pod, { spec }: PodFacts, { kit, desk }: At): Promise<boolean> {
  const { namespace = '', name = '', uid } = pod.metadata
  const message = `${spec.schedulerName ?? desk.profile.schedulerName}: preempting to accommodate a higher priority pod`
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message } as const
  try {
    await writePodStatus(kit, pod, { condition })
    await kit.client.delete(Pod, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
    return true
  } catch (error) {
    // It has gone, or another pod has its name by now.
    if (!isNotFound(error) && !isConflict(error)) throw error
    return false
  }
}
