// Keeps a part of the cluster as a folder of a repository says: looks, compares, takes one step of a sync if one is due,
// and reports in the Application's status.
// Reads: Applications, AppProjects, Secrets of clusters, Pods, repositories, every kind that applications use, where they are.
// Writes: Application (status, operation, refresh annotation), Events; by step.ts and deletion.ts: the applications' objects.

import { ApiError } from '#api'
import { type Clusters, isClusterSecret } from '#gitops/destinations'
import {
  Application,
  AppProject,
  ConfigMap,
  CustomResourceDefinition,
  Namespace,
  Pod,
  ReplicaSet,
  Secret,
} from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import {
  type Cache,
  done,
  type Index,
  isTerminating,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
} from '#reconcile'
import type { Clock } from '#world'
import { type Advance, advance } from './advance.ts'
import { noteReading, tellNews } from './commit-news.ts'
import { deleteApplication } from './deletion.ts'
import { DestinationFault, liveStateFinding } from './destination-fault.ts'
import { type DriftLog, noteDrift } from './drift.ts'
import { tellChanges } from './events.ts'
import { finalizersOf } from './hook-finalizers.ts'
import { managedStates, type Seen } from './managed-state.ts'
import type { Memory } from './memory.ts'
import { mergePatchOf } from './merge-patch-of.ts'
import { controllerManager, controllerUser, projectKey, refreshAnnotation, skipReconcileAnnotation } from './names.ts'
import { type Observation, observe } from './observe.ts'
import { isInProgress, withHistory } from './operation.ts'
import { orphanFindings, type Place } from './orphans.ts'
import { expiresAt, isOnlyRefreshed, requestedRefresh } from './refresh.ts'
import type { RepositoryNews } from './repository-loop.ts'
import { restMs } from './rest.ts'
import { isSettings } from './settings.ts'
import { isSigningKeys } from './signature-check.ts'
import { comparedStatus, failedStatus } from './status.ts'
import { Trail } from './trail.ts'
import type { Eyes } from './wanted.ts'

export interface ApplicationLoopOptions {
  readonly eyes: Eyes
  readonly log: DriftLog
  readonly clock: Clock
  readonly pollMs: number
  /** Resolves when the local repositories have been read. */
  readonly opened: () => Promise<void>
  /** Registers who is told of every look at a repository. */
  readonly onRefreshed: (told: (news: RepositoryNews) => Promise<void>) => () => void
  /** Registers who is told that the orphans of a namespace are others. */
  readonly onOrphans: (told: (place: Place) => void) => () => void
  /** Told what every look found, before anything is done about it. */
  readonly onCompared?: (app: Application, seen: Seen) => void
}

/** Applications of a project, by its key. */
const projectIndex: Index<Application> = {
  name: 'project',
  kind: Application,
  values: (app) => [projectKey(app)],
}

const destinationIndex: Index<Application> = {
  name: 'destination-namespace',
  kind: Application,
  values: ({ spec }) => (spec.destination.namespace === undefined ? [] : [spec.destination.namespace]),
}

function appsAt({ server, namespace }: Place, clusters: Clusters, cache: Cache): readonly Application[] {
  return cache.by(destinationIndex, namespace).filter(({ spec }) => {
    const entry = clusters.resolve(cache, spec.destination)
    return typeof entry !== 'string' && entry.server === server
  })
}

export const applicationLoopName = 'application-controller'

export function applicationLoop(options: ApplicationLoopOptions): LoopDefinition {
  const { memory, clusters } = options.eyes
  const concerned = (object: KubeObject, old: KubeObject | undefined) => memory.concerned(object, old)
  return {
    name: applicationLoopName,
    user: controllerUser,
    manager: controllerManager,
    reconciles: Application,
    watches: [
      watching(Application, (app, old) =>
        old !== undefined && isOnlyRefreshed(app, old) ? [] : [...news(memory, app, old), ...concerned(app, old)],
      ),
      watching(AppProject, (project, old, cache) => [
        ...(isSameProject(project, old) ? [] : cache.by(projectIndex, objectKey(project)).map(objectKey)),
        ...concerned(project, old),
      ]),
      watching(CustomResourceDefinition, (definition, old) => [
        ...memory.withUnknownKinds(),
        ...concerned(definition, old),
      ]),
      watching(Pod, (pod, old) => [...memory.stuckPods.concerned(pod, old), ...concerned(pod, old)]),
      watching(ReplicaSet, concerned),
      watching(Namespace, concerned),
      watching(Secret, (secret, old, cache) => [
        ...(isClusterSecret(secret) || (old !== undefined && isClusterSecret(old))
          ? cache
              .list(Application)
              .filter(({ spec }) => !clusters.isBuiltIn(cache, spec.destination))
              .map(objectKey)
          : []),
        ...concerned(secret, old),
      ]),
      watching(ConfigMap, (map, old, cache) => [
        ...(isSettings(map) || isSigningKeys(map) ? cache.list(Application).map(objectKey) : []),
        ...concerned(map, old),
      ]),
    ],
    wakes: (wake) => {
      const trail = new Trail(options.clock, wake)
      const endings = [
        () => trail.end(),
        clusters.onWake(wake),
        options.onRefreshed((told) => tellNews(memory, told, { now: wake, later: trail })),
        options.onOrphans((place) => {
          for (const app of memory.cache === undefined ? [] : appsAt(place, clusters, memory.cache))
            wake(objectKey(app))
        }),
      ]
      return () => {
        for (const end of endings) end()
      }
    },
    workers: 20,
    restMs: (key) => restMs(memory, key),
    reconcile: (key, kit) => reconcile(options, key, kit),
  }
}

/** What the loop itself wrote at the end of a look is none; a loop that begins anew, and a resync, look at everything. */
const news = (memory: Memory, app: Application, old: Application | undefined): readonly string[] => {
  const key = objectKey(app)
  const isChange = old !== undefined && old.metadata.resourceVersion !== app.metadata.resourceVersion
  return isChange && memory.find(key)?.written === app.metadata.resourceVersion ? [] : [key]
}

/** What is told on a project is nothing to its applications. */
const isSameProject = (project: AppProject, old: AppProject | undefined): boolean => old?.spec === project.spec

async function reconcile(options: ApplicationLoopOptions, key: string, kit: Kit): Promise<Outcome> {
  const { memory } = options.eyes
  memory.cache = kit.cache
  memory.client = kit.client
  const app = kit.cache.get(Application, key)
  if (app === undefined) {
    memory.forget(key)
    return done()
  }
  if (app.metadata.annotations?.[skipReconcileAnnotation] === 'true') return done()
  const leave = options.eyes.clusters.enter(kit.cache, app, key)
  if (leave === undefined) return done()
  try {
    return isTerminating(app) ? await deleteApplication(options, kit, app) : await look(options, key, { app, kit })
  } finally {
    leave()
  }
}

/** How soon an application is looked at again after a request to its cluster has failed. */
const onceMs = 5000

interface Looking {
  readonly app: Application
  readonly kit: Kit
}

async function look(options: ApplicationLoopOptions, key: string, { app, kit }: Looking): Promise<Outcome> {
  const { memory, renderer, sources } = options.eyes
  await options.opened()
  const asked = requestedRefresh(app)
  if (asked !== undefined) {
    for (const repository of memory.followers.followed(key)) await sources.get(repository)?.refresh()
    if (asked === 'hard') {
      memory.of(key).answers.clear()
      renderer.renew(app.metadata.name ?? '')
    }
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
  const written = await write(memory, { kit, app, observation, next, refreshed })
  const lookAgainAt = observation.type === 'compared' ? observation.comparison.lookAgainAt : undefined
  const missed = memory.readers.moves === moves ? undefined : kit.world.clock.now()
  return wakeAgain(kit, [missed, next.wakeAt, lookAgainAt, againAt, expiresAt(written, options.pollMs)])
}

interface Step {
  readonly observation: Looked['observation']
  readonly next: Advance
}

/** Notes what is there, and takes the step that is due. */
async function takeStep(
  { eyes, log, onCompared }: ApplicationLoopOptions,
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
  { eyes: { clusters } }: ApplicationLoopOptions,
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

interface Looked {
  readonly kit: Kit
  readonly app: Application
  readonly observation: Exclude<Observation, { readonly type: 'waiting' }>
  readonly next: Advance
  readonly refreshed: boolean
}

/** One patch for everything that changed; none when nothing did. Refused when someone else wrote meanwhile: then looked at again. */
async function write(memory: Memory, { kit, app, observation, next, refreshed }: Looked): Promise<Application> {
  const input = { app, now: kit.world.clock.now(), refreshed }
  const status =
    observation.type === 'compared'
      ? comparedStatus(input, observation.comparison, [
          ...observation.comparison.findings,
          ...orphanFindings(memory.orphans, { app, ...observation, server: observation.destination.cluster.server }),
          ...next.findings,
        ])
      : failedStatus(input, [...observation.findings, ...next.findings])
  const { state } = next
  const hasEnded =
    state !== undefined &&
    state !== app.status?.operationState &&
    state.finishedAt !== undefined &&
    state.phase !== 'Running'
  const history = hasEnded ? withHistory(app, state) : app.status?.history
  const complete = {
    ...status,
    ...(state === undefined ? {} : { operationState: state }),
    ...(history === undefined ? {} : { history }),
  }
  const statusPatch = mergePatchOf(app.status, complete)
  const operationPatch = next.operation === app.operation ? undefined : (next.operation ?? null)
  const metadata = {
    ...(app.metadata.annotations?.[refreshAnnotation] === undefined
      ? {}
      : { annotations: { [refreshAnnotation]: null } }),
    ...(observation.type === 'compared' ? finalizersOf(app, observation) : {}),
  }
  if (statusPatch === undefined && operationPatch === undefined && Object.keys(metadata).length === 0) return app
  const { namespace = '', name = '', resourceVersion } = app.metadata
  const patch = {
    metadata: { resourceVersion, ...metadata },
    ...(statusPatch === undefined ? {} : { status: statusPatch }),
    ...(operationPatch === undefined ? {} : { operation: operationPatch }),
  }
  const written = await kit.client.patch(Application, { namespace, name }, patch, {
    type: 'application/merge-patch+json',
  })
  // Where nothing is to be synced, an operation that has just ended leaves nothing to be decided.
  const isLast =
    !isInProgress(state) && (state === app.status?.operationState || written.status?.sync?.status === 'Synced')
  memory.of(objectKey(app)).written = isLast ? written.metadata.resourceVersion : undefined
  tellChanges(kit, app, written)
  return written
}

function wakeAgain(kit: Kit, wishes: readonly (number | undefined)[]): Outcome {
  const times = wishes.filter((at): at is number => at !== undefined)
  if (times.length === 0) return done()
  return requeueAfter(Math.max(Math.min(...times) - kit.world.clock.now(), 1))
}
