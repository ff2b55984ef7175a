// Keeps one pod of the API and what runs for it on its node in step: takes it up, lets its machine (PodRun) run up to now,
// and tells what there is to tell.

import { isConflict, isNotFound } from '#api'
import type { Client } from '#client'
import { Pod, type PodCondition, type PodStatus } from '#kinds'
import { isEqual, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter } from '#reconcile'
import type { Floor } from '../fleet/floor.ts'
import { admit } from '../node/admission.ts'
import { decidePreemption } from '../node/preemption.ts'
import type { Rejection } from '../node/rejection.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { rejectedStatus } from '../status/rejection.ts'

export interface Desk {
  readonly floor: Floor
  readonly wake: (podKey: string) => void
}

export async function keepPod(key: string, kit: Kit, desk: Desk): Promise<Outcome> {
  const { floor } = desk
  const pod = kit.cache.get(Pod, key)
  const now = kit.world.clock.now()
  const place = pod === undefined ? undefined : floor.nodeNamed(pod.spec.nodeName ?? '')
  let nextAt = Number.POSITIVE_INFINITY
  for (const run of floor.runsAt(key)) {
    if (run.uid === pod?.metadata.uid) continue
    // The pod is gone from the API, or another one has its name: what still runs is ended.
    run.agenda.advance(now)
    run.observe(undefined)
    run.agenda.advance(now)
    tellEvents(run, kit)
    if (run.isFinished) floor.drop(key, run)
    else nextAt = Math.min(nextAt, run.agenda.nextAt ?? nextAt)
  }
  if (pod !== undefined && place !== undefined && !floor.isStopped(place.spec.name)) {
    const known = floor.runOf(pod.metadata.uid ?? '')
    const run = known ?? floor.take(pod, place, now)
    const isNew = known === undefined
    const wakeAt = await keepRun(run, { pod, isNew, kit, desk })
    nextAt = Math.min(nextAt, wakeAt)
  }
  return nextAt === Number.POSITIVE_INFINITY ? done() : requeueAfter(Math.max(0, nextAt - now))
}

interface Keeping {
  readonly pod: Pod
  readonly isNew: boolean
  readonly kit: Kit
  readonly desk: Desk
}

/** Brings one pod up to now, tells what there is to tell, and answers when it wants to be woken. */
async function keepRun(run: PodRun, { pod, isNew, kit, desk }: Keeping): Promise<number> {
  const now = kit.world.clock.now()
  const { node } = run.around
  if (isNew) {
    const againAt = takeUp(run, { kit, desk })
    if (againAt !== undefined) return againAt
  }
  run.agenda.advance(now)
  run.observe(pod)
  noticeWorkloads(run)
  run.resizing.allocation.notice()
  run.agenda.advance(now)
  tellEvents(run, kit)
  const client = kit.client.as(node.caller)
  let nextAt = Number.POSITIVE_INFINITY
  try {
    nextAt = await tellStatus(run, client, now)
    if (run.isFinished && run.api.metadata.deletionTimestamp !== undefined) await remove(run.api, client)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return Math.min(nextAt, run.agenda.nextAt ?? nextAt)
}

/** Admits a pod that is new to its node and begins with it; answers when to try again while it waits for room. */
export function takeUp(run: PodRun, { kit, desk }: Pick<Keeping, 'kit' | 'desk'>): number | undefined {
  const { pod, around, uid } = run
  if (!run.isFinished && pod.status?.containerStatuses === undefined) {
    const rejection = admit(pod, around.node)
    if (rejection !== undefined) {
      const refusal = makeRoom(run, rejection, { kit, desk })
      if (refusal === undefined) {
        desk.floor.drop(objectKey(pod), run)
        return kit.world.clock.now() + 1000
      }
      reject(run, refusal)
    } else around.node.admit(uid, pod)
  }
  run.begin()
  return undefined
}

/** Probes may find something else where the workloads have changed. */
export function noticeWorkloads(run: PodRun): void {
  const { version = 0 } = run.around.workloads
  if (run.workloadsVersion === version) return
  run.workloadsVersion = version
  run.around.onTraffic?.(run.pod)
  run.probing.changed()
}

function reject(run: PodRun, { reason, message }: Rejection): void {
  run.event('Warning', reason, message)
  run.reject(rejectedStatus(run.pod, { reason, message, now: run.now }))
}

/** A critical pod makes less important ones leave; undefined while it waits for them, else why it cannot be taken. */
function makeRoom(
  run: PodRun,
  rejection: Rejection,
  { kit, desk: { floor, wake } }: Pick<Keeping, 'kit' | 'desk'>,
): Rejection | undefined {
  if (rejection.shortages === undefined) return rejection
  const { victims, fault } = decidePreemption(run.pod, run.around.node.pods, rejection.shortages)
  if (fault !== undefined) return { reason: 'UnexpectedAdmissionError', message: `${unrecovered}: ${fault}` }
  for (const victim of victims) {
    const other = floor.runOf(victim.metadata.uid ?? '')
    if (other === undefined) continue
    other.agenda.advance(kit.world.clock.now())
    other.preempt()
    wake(objectKey(victim))
  }
  return undefined
}

const unrecovered = 'Unexpected error while attempting to recover from admission failure'

export function tellEvents(run: PodRun, kit: Kit): void {
  for (const event of run.takeEvents())
    recordEvent(kit, { object: run.pod, ...event, component: 'kubelet', host: run.around.node.name })
}

/** What others wrote over a status that was told already is set right only after this time, as the real status manager does. */
const reconcileStatusMs = 10_000

const lastTold = new WeakMap<PodRun, { readonly status: PodStatus; readonly at: number }>()

/** Writes the status that is due; answers when to look again, if that is known. */
async function tellStatus(run: PodRun, client: Client, now: number): Promise<number> {
  const status = run.told()
  if (status === undefined || isTold(status, run.api.status)) return Number.POSITIVE_INFINITY
  const last = lastTold.get(run)
  const againAt = (last?.at ?? Number.NEGATIVE_INFINITY) + reconcileStatusMs
  if (last !== undefined && now < againAt && isTold(status, last.status)) return againAt
  const written = await client.updateStatus(Pod, { ...run.api, status })
  lastTold.set(run, { status, at: now })
  run.observe(written)
  return Number.POSITIVE_INFINITY
}

/** Whether the API says the same already; the order of conditions does not matter, nor when they were last looked at. */
function isTold(status: PodStatus, api: PodStatus | undefined): boolean {
  if (api === undefined) return false
  const { conditions = [], ...rest } = status
  const { conditions: told = [], ...others } = api
  return (
    conditions.length === told.length &&
    conditions.every((condition) => {
      const before = told.find(({ type }) => type === condition.type)
      return isEqual(condition, before) || isEqual(unprobed(condition), before && unprobed(before))
    }) &&
    isEqual(rest, others)
  )
}

const unprobed = ({ lastProbeTime: _at, ...condition }: PodCondition): object => condition

/** Takes a pod that has ended out of the API, if it is still there. */
export async function remove({ metadata }: Pod, client: Client): Promise<void> {
  const { namespace = '', name = '', uid } = metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  try {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0, ...preconditions })
  } catch (error) {
    // Conflict: another pod has taken the name.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
