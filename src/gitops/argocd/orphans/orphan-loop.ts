// Finds orphaned resources, once for each namespace of a cluster that an application of a monitoring project deploys to, however
// many applications there are. Nothing is watched for it before a project asks. A key is such a place, or everything.
// Reads: AppProjects, Applications, CustomResourceDefinitions, Secrets of clusters, every kind that has a namespace, where
// applications are.  Writes: nothing.

import { type Clusters, isClusterSecret, type SeenChange } from '#gitops/destinations'
import { namedTracker } from '#gitops/diff'
import { Application, AppProject, builtInServer, CustomResourceDefinition, Secret } from '#kinds'
import { isEqual, type KubeObject } from '#objects'
import {
  type Cache,
  done,
  type KeysOf,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
} from '#reconcile'
import { controllerManager, controllerUser, projectKey } from '../application/names.ts'
import { findFamilies, isTracked } from './families.ts'
import { type Orphans, type Place, placeKey } from './orphans.ts'
import { sightOf } from './sight.ts'

export interface OrphanLoopOptions {
  readonly clusters: Clusters
  readonly orphans: Orphans
  /** The orphans of a namespace are others than before. */
  readonly changed: (place: Place) => void
}

const everything = '*'
/** A namespace is looked through at most this often. */
const gapMs = 1000

export function orphanLoop(options: OrphanLoopOptions): LoopDefinition {
  const { orphans, clusters } = options
  const inBuiltIn = concernedHere(orphans)
  /** The loop's view of the built-in cluster: nothing is monitored before it has one. */
  let home: Cache | undefined
  return {
    name: 'orphaned-resources',
    user: controllerUser,
    manager: controllerManager,
    watches: [
      watching(Application, (app, old) => (old !== undefined && isSamePlace(app, old) ? [] : [everything]), {
        batchMs: gapMs,
      }),
      watching(AppProject, (project, old) =>
        (project.spec.orphanedResources ?? old?.spec.orphanedResources) === undefined ? [] : [everything],
      ),
      watching(CustomResourceDefinition, () => [everything], { batchMs: gapMs }),
      watching(Secret, (object, old, cache) =>
        isClusterSecret(object) ? [everything] : inBuiltIn(object, old, cache),
      ),
    ],
    wakes: (wake) =>
      clusters.onSeen((server, change) => {
        const keys =
          change === undefined || home === undefined
            ? orphans.monitoredIn(server)
            : concerned(orphans, { ...change, server, home })
        for (const key of keys) wake(key)
      }),
    workers: 1,
    async reconcile(key, kit) {
      home = kit.cache
      return reconcile(options, key, kit)
    },
  }
}

const concernedHere =
  (orphans: Orphans): KeysOf<KubeObject> =>
  (object, old, home) =>
    concerned(orphans, { server: builtInServer, object, old, home })

const isSamePlace = (app: Application, old: Application): boolean =>
  app.spec.project === old.spec.project && isEqual(app.spec.destination, old.spec.destination)

function reconcile(options: OrphanLoopOptions, key: string, kit: Kit): Outcome {
  const { orphans } = options
  if (key !== everything) return look(options, key, kit)
  const places = monitoredPlaces(options.clusters, kit.cache)
  orphans.monitor(places)
  const againMs = [...places.keys()].flatMap((each) => {
    const outcome = take(options, each, kit)
    return outcome.type === 'requeueAfter' ? [outcome.afterMs] : []
  })
  return againMs.length === 0 ? done() : requeueAfter(Math.min(...againMs))
}

/** Destinations of applications whose project wants to know, where they are within reach. */
function monitoredPlaces(clusters: Clusters, cache: Cache): ReadonlyMap<string, Place> {
  const monitoring = cache.list(AppProject).filter(({ spec }) => spec.orphanedResources !== undefined)
  const projects = new Set(monitoring.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  const places = new Map<string, Place>()
  if (projects.size === 0) return places
  for (const app of cache.list(Application)) {
    const { namespace = '' } = app.spec.destination
    if (namespace === '' || !projects.has(projectKey(app))) continue
    const entry = clusters.resolve(cache, app.spec.destination)
    if (typeof entry === 'string' || entry.namespaces?.includes(namespace) === false) continue
    const place = { server: entry.server, namespace }
    places.set(placeKey(place), place)
  }
  return places
}

interface Change extends SeenChange {
  /** Of the cluster that it was seen in. */
  readonly server: string
  /** Where the Applications are. */
  readonly home: Cache
}

/** The place, if the change may make or end an orphan: what applications track and what their objects own is none. */
function concerned(orphans: Orphans, { server, object, old, home }: Change): readonly string[] {
  const { namespace = '', ownerReferences = [] } = object.metadata
  const key = placeKey({ server, namespace })
  if (orphans.monitored(key) === undefined) return []
  if (old !== undefined) {
    const isSame =
      isEqual(ownerReferences, old.metadata.ownerReferences ?? []) && namedTracker(object) === namedTracker(old)
    return isSame ? [] : [key]
  }
  const isOfOthers =
    ownerReferences.length === 0 ? isTracked(object, home) : !ownerReferences.some(({ uid }) => orphans.has(key, uid))
  return isOfOthers ? [] : [key]
}

function look(options: OrphanLoopOptions, key: string, kit: Kit): Outcome {
  const foundAt = options.orphans.foundAt(key)
  const waitMs = foundAt === undefined ? 0 : foundAt + gapMs - kit.world.clock.now()
  return waitMs > 0 ? requeueAfter(waitMs) : take(options, key, kit)
}

function take({ orphans, clusters, changed }: OrphanLoopOptions, key: string, kit: Kit): Outcome {
  const place = orphans.monitored(key)
  if (place === undefined) return done()
  const sight = sightOf({ clusters, kit, concerned: concernedHere(orphans) }, place.server)
  if (sight.type === 'waiting') return sight.againMs === undefined ? done() : requeueAfter(sight.againMs)
  const families = findFamilies({ ...sight, namespace: place.namespace, home: kit.cache })
  if (orphans.set(key, { families, unread: sight.unread }, kit.world.clock.now())) changed(place)
  return done()
}
