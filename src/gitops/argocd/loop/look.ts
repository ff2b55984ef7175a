// One look at an application: observes it, notes what is there, takes the step that is due, and has the status written.

import { ApiError } from '#api'
import type { Repository } from '#gitops/source'
import type { Application } from '#kinds'
import { objectKey } from '#objects'
import { done, type Kit, type Outcome, requeueAfter } from '#reconcile'
import { expiresAt, requestedRefresh } from '../application/refresh.ts'
import { DestinationFault, liveStateFinding } from '../comparison/destination-fault.ts'
import { managedStates, type Seen } from '../comparison/managed-state.ts'
import type { DriftLog } from '../drift/drift-log.ts'
import { noteDrift } from '../drift/note-drift.ts'
import { type Observation, observe } from '../observation/observe.ts'
import type { Eyes } from '../observation/wanted.ts'
import { type Advance, advance } from '../operation/advance.ts'
import { readsSourcesSince } from '../operation/operation.ts'
import { noteReading } from './commit-news.ts'
import { type Looked, writeStatus } from './write-status.ts'

export interface LookOptions {
  readonly eyes: Eyes
  readonly log: DriftLog
  readonly pollMs: number
  /** Resolves when the local repositories have been read. */
  readonly opened: () => Promise<void>
  /** Told what every look found, before anything is done about it. */
  readonly onCompared?: (app: Application, seen: Seen) => void
}

/** How soon an application is looked at again after a request to its cluster has failed. */
const onceMs = 5000

interface Looking {
  readonly app: Application
  readonly kit: Kit
}

export async function look(options: LookOptions, key: string, { app, kit }: Looking): Promise<Outcome> {
  const { memory, renderer, sources } = options.eyes
  await options.opened()
  const asked = requestedRefresh(app)
  const since = readsSourcesSince(app, kit.world.clock.now())
  for (const each of memory.followers.followed(key)) {
    const repository = sources.get(each)
    if (asked !== undefined || (repository !== undefined && isOlder(repository, since))) await repository?.refresh()
  }
  if (asked === 'hard') {
    memory.of(key).answers.clear()
    renderer.renew(app.metadata.name ?? '')
  }
  const moves = memory.readers.moves
  const seen = await unlessAway(options, { app, kit }, () => observe(options.eyes, key, { app, kit }))
  noteReading(memory, key, seen)
  if (seen.type === 'waiting') return seen.againMs === undefined ? done() : requeueAfter(seen.againMs)
  const went = await unlessAway(options, { app, kit }, () => takeStep(options, { app, kit, observation: seen }))
  const { observation, next } = 'next' in went ? went : await takeStep(options, { app, kit, observation: went })
  // It may have been this once: who only heard of a cluster that is away is woken when it is back.
  const againAt =
    observation.type === 'failed' && observation.once === true ? kit.world.clock.now() + onceMs : undefined
  const expiry = expiresAt(app, options.pollMs)
  const refreshed = asked !== undefined || (expiry !== undefined && kit.world.clock.now() >= expiry)
  const written = await writeStatus(memory, { kit, app, observation, next, refreshed })
  const due = observation.type === 'compared' ? [observation.comparison.lookAgainAt, observation.until] : []
  const missed = memory.readers.moves === moves ? undefined : kit.world.clock.now()
  return wakeAgain(kit, [missed, next.wakeAt, ...due, againAt, expiresAt(written, options.pollMs)])
}

/** What is on this machine is watched, and need not be asked. */
const isOlder = ({ type, state }: Repository, since: number | undefined): boolean =>
  type === 'remote' && since !== undefined && (state.refreshedAtMs ?? Number.NEGATIVE_INFINITY) < since

interface Step {
  readonly observation: Looked['observation']
  readonly next: Advance
}

/** Notes what is there, and takes the step that is due. */
async function takeStep(
  { eyes, log, onCompared }: LookOptions,
  { app, kit, observation }: Looking & Pick<Step, 'observation'>,
): Promise<Step> {
  if (observation.type === 'compared') {
    const { comparison: after, destination } = observation
    const { server } = destination.cluster
    const remembered = eyes.memory.of(objectKey(app))
    // What was seen in another cluster says nothing of this one.
    const before = remembered.server === server ? remembered.comparison : undefined
    remembered.comparison = after
    remembered.server = server
    onCompared?.(app, { states: () => managedStates(after), hooks: after.hooks })
    await noteDrift({ kit, destination, app, log, before, after })
  }
  return { observation, next: await advance({ eyes, kit, app, observation }) }
}

type Away = Extract<Observation, { readonly type: 'failed' }>

/** An outside cluster that cannot be asked is a state of the application, not a failure of the loop. */
async function unlessAway<T>(
  { eyes: { clusters } }: LookOptions,
  { app, kit }: Looking,
  work: () => Promise<T>,
): Promise<T | Away> {
  try {
    return await work()
  } catch (error) {
    const cluster = clusters.resolve(kit.cache, app.spec.destination)
    const isOutside = typeof cluster !== 'string' && cluster.way.type !== 'built-in'
    if (!isOutside || !(error instanceof DestinationFault || error instanceof ApiError)) throw error
    if (error instanceof ApiError) clusters.suspect(cluster.server)
    const reason = clusters.reason(cluster, error)
    const finding = liveStateFinding(`failed to sync cluster ${cluster.server}: ${reason}`)
    return { type: 'failed', findings: [finding], once: error instanceof ApiError }
  }
}

function wakeAgain(kit: Kit, wishes: readonly (number | undefined)[]): Outcome {
  const times = wishes.filter((at): at is number => at !== undefined)
  if (times.length === 0) return done()
  return requeueAfter(Math.max(Math.min(...times) - kit.world.clock.now(), 1))
}
