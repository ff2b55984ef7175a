// What follows when no node fits, or binding fails: preemption, the condition PodScheduled=False, the Event, and waiting.

import { isConflict, isNotFound } from '#api'
import { Pod, type PodCondition, PodDisruptionBudget, type PodStatus } from '#kinds'
import { formatTime, isEqual, setCondition } from '#objects'
import { type Kit, type Outcome, recordSeriesEvent, requeueAfter } from '#reconcile'
import type { NotFound } from './cycle.ts'
import type { At } from './desk.ts'
import { decideGivingBack, giveBack } from './devices/reserve.ts'
import { givingBack, inVain, noClaims, notAsked, shortened, stillTaken } from './fit-error.ts'
import { hint } from './plugin.ts'
import { dynamicResourcesName, elsewhere } from './plugins/dynamic-resources.ts'
import type { PodFacts } from './pod-facts.ts'
import { type Budget, decidePreemption, type Preemption, type PreemptionOutcome } from './preemption.ts'
import { type Waker, wakersFor } from './profiles.ts'
import type { PreemptionReport } from './reports.ts'
import { compileSelector } from './selector.ts'

/** What becomes of the node that the pod was promised: kept, taken back or another one. */
type Promised = { readonly type: 'keep' } | { readonly type: 'set'; readonly nodeName: string | undefined }

const victimsGone: readonly Waker[] = [{ plugin: 'DefaultPreemption', hint: hint('podGone') }]

export async function refused(facts: PodFacts, result: NotFound, at: At): Promise<Outcome> {
  const { kit, desk } = at
  const { memory, plugins, reports, profile } = desk
  const now = kit.world.clock.now()
  const outcome = preemptionFor(facts, result, at)
  const preemption = outcome?.node === undefined ? undefined : outcome
  const givenBack = isElsewhere(result) ? decideGivingBack(facts, kit.cache) : undefined
  const hasClaims = (facts.spec.resourceClaims?.length ?? 0) > 0
  const devices = !hasClaims ? noClaims : givenBack === undefined ? stillTaken : givingBack
  const message = failureMessage(result, outcome, devices)
  const report = reportOf(outcome)
  reports.refused(facts.key, result, {
    at: formatTime(now),
    scheduler: profile.schedulerName,
    message,
    nodes: memory.snapshot.nodes.length,
    ...(report === undefined ? {} : { preemption: report }),
  })
  // Waits before anything is written: what happens meanwhile may be what the pod waits for.
  if (result.plugins.size === 0) memory.waiting.retry(facts.key, now)
  else {
    const wakers = wakersFor(result.plugins, plugins)
    memory.waiting.park(facts, preemption === undefined ? wakers : [...wakers, ...victimsGone], now)
  }
  const promised = promisedBy(result, outcome)
  memory.nominate(facts, promised.type === 'set' ? promised.nodeName : facts.pod.status?.nominatedNodeName)
  try {
    if (givenBack !== undefined) await giveBack(kit, givenBack)
    // Room is made beside the cycle that found it, whose own result is told first.
    await writeRefusal(facts, { reason: 'Unschedulable', message, promised }, at)
    if (preemption !== undefined) await takeBackNominations(facts, preemption.node.name, at)
    if (preemption !== undefined) await preempt(facts, preemption, at)
  } catch (error) {
    // The pod is tried again, with what the cache says by then.
    memory.waiting.retry(facts.key, now)
    throw error
  }
  memory.waiting.landed(facts.key)
  return requeueAfter(memory.waiting.delay(facts.key, now))
}

/** Binding the pod or its volumes has failed; only time may mend that. */
export async function failed(facts: PodFacts, message: string, at: At): Promise<Outcome> {
  const { kit, desk } = at
  const now = kit.world.clock.now()
  desk.memory.waiting.retry(facts.key, now)
  const promised: Promised = { type: 'set', nodeName: undefined }
  await writeRefusal(facts, { reason: 'SchedulerError', message, promised }, at)
  return requeueAfter(desk.memory.waiting.delay(facts.key, now))
}

function preemptionFor(facts: PodFacts, result: NotFound, { kit, desk }: At): PreemptionOutcome | undefined {
  const { memory, plugins } = desk
  if (!plugins.preempts || result.cause === 'noNodes' || isUnasked(result)) return undefined
  return decidePreemption(facts, {
    cluster: memory.snapshot,
    random: kit.world.random,
    refusals: result.refusals,
    budgets: () => budgetsOf(kit),
    plugins,
    nominated: (nodeName) => memory.nominatedTo(nodeName),
  })
}

/** Why no node fits, with what is said of the attempts to give devices back and to make room. */
export function failureMessage(result: NotFound, outcome: PreemptionOutcome | undefined, ofDevices = noClaims): string {
  const { cause, message } = result
  if (cause === 'noNodes' || outcome?.node !== undefined) return message
  if (isUnasked(result)) return `${message} ${notAsked}`
  const devices = cause === 'filters' ? ofDevices : noClaims
  return `${message} ${outcome === undefined ? devices : inVain(devices, outcome.message)}`
}

/** Some node was refused because the devices that a claim has are on another one. */
const isElsewhere = ({ refusals }: NotFound): boolean => {
  for (const { refusal } of refusals.values()) if (refusal === elsewhere) return true
  return false
}

/** Dynamic resources are the last to prepare: who refuses all nodes before them leaves them nothing to go by. */
const isUnasked = ({ cause, others }: NotFound): boolean =>
  cause === 'atOnce' && others?.plugin !== dynamicResourcesName

function promisedBy({ cause }: NotFound, outcome: PreemptionOutcome | undefined): Promised {
  if (outcome?.node !== undefined) return { type: 'set', nodeName: outcome.node.name }
  const keeps = outcome?.keepsPromise ?? cause !== 'noNodes'
  return keeps ? { type: 'keep' } : { type: 'set', nodeName: undefined }
}

function reportOf(outcome: PreemptionOutcome | undefined): PreemptionReport | undefined {
  if (outcome === undefined) return undefined
  if (outcome.node === undefined) return { victims: [], message: outcome.message }
  return { node: outcome.node.name, victims: outcome.victims.map(({ key }) => key) }
}

interface Writing {
  readonly reason: 'Unschedulable' | 'SchedulerError'
  readonly message: string
  readonly promised: Promised
}

async function writeRefusal(facts: PodFacts, writing: Writing, { kit, desk }: At): Promise<void> {
  const status = refusedStatus(facts.pod, writing, kit.world.clock.now())
  try {
    if (status !== undefined) await kit.client.updateStatus(Pod, { ...facts.pod, status })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  tellRefusal(facts.pod, writing.message, { kit, desk })
}

export function tellRefusal(object: Pod, message: string, { kit, desk }: At): void {
  recordSeriesEvent(kit, {
    object,
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
    note: shortened(message),
    controller: desk.profile.schedulerName,
    instance: desk.instance,
  })
}

/** The status with PodScheduled=False and the nomination; undefined when it says so already. */
export function refusedStatus(pod: Pod, { reason, message, promised }: Writing, now: number): PodStatus | undefined {
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
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as unknown as PodCondition
  const { nominatedNodeName, ...rest } = pod.status ?? {}
  const nominated = promised.type === 'keep' ? nominatedNodeName : promised.nodeName
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

/** A budget without a selector, or with an empty one, protects nothing here. */
const budgetsOf = (kit: Kit): readonly Budget[] =>
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

/** Says why in the victim's status, then deletes it gracefully; whether it was there. */
async function evict(pod: Pod, { spec }: PodFacts, { kit, desk }: At): Promise<boolean> {
  const { namespace = '', name = '', generation, uid } = pod.metadata
  const by = spec.schedulerName ?? desk.profile.schedulerName
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null as unknown as string,
    reason: 'PreemptionByScheduler',
    message: `${by}: preempting to accommodate a higher priority pod`,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  const conditions = setCondition<PodCondition>(pod.status?.conditions, condition, kit.world.clock.now())
  try {
    await kit.client.updateStatus(Pod, { ...pod, status: { ...pod.status, conditions } })
    await kit.client.delete(Pod, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
    return true
  } catch (error) {
    if (!isNotFound(error)) throw error
    return false
  }
}
