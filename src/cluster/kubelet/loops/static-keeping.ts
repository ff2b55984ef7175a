// Keeps a static pod of a node and its mirror: the manifest in the folder says what runs, the mirror in the API only shows
// it. Deleting the mirror ends nothing, it is made again; taking the manifest away ends the pod and then the mirror.

import { isAlreadyExists } from '#api'
import type { Client } from '#client'
import { Node, Pod, type PodStatus } from '#kinds'
import { isEqual } from '#objects'
import { done, type Kit, type Outcome, requeueAfter } from '#reconcile'
import type { NodePlace } from '../fleet/node-place.ts'
import { nextBeat } from '../ground/timings.ts'
import { isStatic, mirroredHash, mirrorOf } from '../node/static-pods.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { type Desk, noticeWorkloads, remove, takeUp, tellEvents } from './keeping.ts'

/** What a change did not tell is told in this rhythm. */
const tellAgainMs = 10_000
const never = Number.POSITIVE_INFINITY

interface Keeping {
  readonly kit: Kit
  readonly desk: Desk
  readonly mirror: Pod | undefined
}

export async function keepStatic(key: string, kit: Kit, desk: Desk): Promise<Outcome> {
  const { floor } = desk
  const now = kit.world.clock.now()
  const mirror = kit.cache.get(Pod, key)
  const keeping: Keeping = { kit, desk, mirror }
  const wanted = floor.staticPodAt(key)
  const old = [...floor.runsAt(key)].filter(({ pod, uid }) => isStatic(pod) && uid !== wanted?.pod.metadata.uid)
  let nextAt = never
  for (const run of old) nextAt = Math.min(nextAt, await endRun(key, run, keeping))
  if (old.length === 0) {
    if (wanted !== undefined && !floor.isStopped(wanted.place.spec.name))
      nextAt = await keepRun(wanted.pod, wanted.place, keeping)
    else if (wanted === undefined && mirror !== undefined) await removeOrphan(mirror, keeping)
  }
  return nextAt === never ? done() : requeueAfter(Math.max(0, nextAt - now))
}

async function keepRun(pod: Pod, place: NodePlace, keeping: Keeping): Promise<number> {
  const { kit, desk, mirror } = keeping
  const now = kit.world.clock.now()
  const known = desk.floor.runOf(pod.metadata.uid ?? '')
  const shown = mirror !== undefined && mirroredHash(mirror) === pod.metadata.uid ? mirror.status : undefined
  const run = known ?? desk.floor.take(shown === undefined ? pod : { ...pod, status: shown }, place, now)
  if (known === undefined) {
    const againAt = takeUp(run, { kit, desk })
    if (againAt !== undefined) return againAt
  }
  run.agenda.advance(now)
  noticeWorkloads(run)
  run.agenda.advance(now)
  tellEvents(run, kit)
  const toldAt = await keepMirror(run, keeping)
  return Math.min(toldAt, run.agenda.nextAt ?? never)
}

/** The manifest is gone or says something else. */
async function endRun(key: string, run: PodRun, keeping: Keeping): Promise<number> {
  const { kit, desk, mirror } = keeping
  const { node } = run.around
  if (desk.floor.isStopped(node.name)) return never
  const now = kit.world.clock.now()
  run.agenda.advance(now)
  run.end(undefined)
  run.agenda.advance(now)
  tellEvents(run, kit)
  if (!run.isFinished) {
    if (run.stage === 'terminated' && mirror !== undefined) await keepMirror(run, keeping)
    return run.agenda.nextAt ?? never
  }
  desk.floor.drop(key, run)
  if (mirror !== undefined) await remove(mirror, kit.client.as(node.caller))
  // What the manifest says now is taken up next.
  return now
}

interface Notes {
  readonly seenAt: number
  /** The status that the mirror was due to show last. */
  offered: PodStatus | undefined
  againAt: number | undefined
}

const notesOf = new WeakMap<PodRun, Notes>()

/** Sees to it that the mirror is there and shows the status of the pod; answers when to look again. */
async function keepMirror(run: PodRun, { kit, mirror }: Keeping): Promise<number> {
  const now = kit.world.clock.now()
  const { node, timings } = run.around
  const client = kit.client.as(node.caller)
  const notes = notesOf.get(run) ?? { seenAt: now, offered: undefined, againAt: undefined }
  notesOf.set(run, notes)
  // The mirror is made by the first sync, after that has said what there is to say.
  if (run.status.startTime === undefined && mirror === undefined) return never
  const isNews = run.status !== notes.offered
  notes.offered = run.status
  if (mirror === undefined) {
    notes.againAt = undefined
    return createMirror(run, notes.seenAt, { kit, client })
  }
  if (mirroredHash(mirror) !== run.uid || mirror.metadata.deletionTimestamp !== undefined) {
    await remove(mirror, client)
    return never
  }
  run.api = mirror
  const status = run.told()
  if (status === undefined || isEqual(status, mirror.status)) return never
  if (!isNews && timings.tickMs > 0) {
    // While the mirror was missing nobody was told: that is made good in the next round.
    notes.againAt ??= nextBeat(now, tellAgainMs, notes.seenAt)
    if (now < notes.againAt) return notes.againAt
  }
  notes.againAt = undefined
  run.api = await client.updateStatus(Pod, { ...mirror, status })
  return never
}

async function createMirror(
  { pod, around }: PodRun,
  seenAt: number,
  { kit, client }: { readonly kit: Kit; readonly client: Client },
): Promise<number> {
  const node = kit.cache.get(Node, around.node.name)
  // Without its node a mirror has no owner.
  if (node === undefined) return kit.world.clock.now() + 1000
  try {
    await client.create(Pod, mirrorOf(pod, node, seenAt))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  return never
}

/** A mirror of something that this node has no manifest for. */
async function removeOrphan(mirror: Pod, { kit, desk }: Keeping): Promise<void> {
  const place = desk.floor.nodeNamed(mirror.spec.nodeName ?? '')
  if (place === undefined || desk.floor.isStopped(place.spec.name)) return
  await remove(mirror, kit.client.as(place.runtime.caller))
}
