// What follows when no node fits, or binding fails: preemption, the condition PodScheduled=False, the Event, and waiting.

import { ApiError, isConflict } from '#api'
import type { Pod } from '#kinds'
import { formatTime } from '#objects'
import { type Outcome, recordSeriesEvent, requeueAfter } from '#reconcile'
import type { NotFound } from './cycle.ts'
import type { At } from './desk.ts'
import { decideGivingBack, giveBack } from './devices/reserve.ts'
import { budgetsOf, makeRoom } from './eviction.ts'
import { givingBack, inVain, noClaims, notAsked, shortened, stillTaken } from './fit-error.ts'
import { hint } from './plugin.ts'
import { dynamicResourcesName, elsewhere } from './plugins/dynamic-resources.ts'
import type { PodFacts } from './pod-facts.ts'
import { type Promised, writePodStatus } from './pod-status.ts'
import { decidePreemption, type PreemptionOutcome } from './preemption.ts'
import { type Waker, wakersFor } from './profiles.ts'
import type { PreemptionReport } from './reports.ts'
import type { ClusterView, NodeState } from './view.ts'

const victimsGone: readonly Waker[] = [{ plugin: 'DefaultPreemption', hint: hint('podGone') }]

export async function refused(facts: PodFacts, result: NotFound, at: At): Promise<Outcome> {
  const { kit, desk } = at
  const { memory, plugins, reports, profile } = desk
  const now = kit.world.clock.now()
  const outcome = preemptionFor(facts, result, at)
  const preemption = outcome?.node === undefined ? undefined : outcome
  const hasClaims = (facts.spec.resourceClaims?.length ?? 0) > 0
  const givenBack = hasClaims
    ? decideGivingBack(
        facts,
        tooFar(result, (name) => memory.snapshot.node(name)),
        kit.cache,
      )
    : undefined
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
    if (preemption !== undefined) await makeRoom(facts, preemption, at)
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
  desk.memory.nominate(facts, undefined)
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

/** Nodes that were refused because the devices that a claim has are on another one. */
const tooFar = ({ refusals }: NotFound, node: ClusterView['node']): readonly NodeState[] =>
  [...refusals].flatMap(([name, { refusal }]) => (refusal === elsewhere ? (node(name) ?? []) : []))

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

interface Refusing {
  readonly reason: 'Unschedulable' | 'SchedulerError'
  readonly message: string
  readonly promised: Promised
}

async function writeRefusal(facts: PodFacts, refusing: Refusing, { kit, desk }: At): Promise<void> {
  const { reason, message, promised } = refusing
  tellRefusal(facts.pod, message, { kit, desk })
  const condition = { type: 'PodScheduled', status: 'False', reason, message } as const
  try {
    await writePodStatus(kit, facts.pod, { condition, promised })
  } catch (error) {
    // Somebody does not let it be written: the pod waits all the same.
    if (!(error instanceof ApiError) || error.code >= 500 || isConflict(error)) throw error
    kit.world.log.debug('the refusal of a pod was not written', { pod: facts.key, error: error.message })
  }
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
