// Finds orphaned resources, once for each namespace that an application of a monitoring project deploys to, however many
// applications there are. Nothing is watched for it before a project asks.
// Reads: AppProjects, Applications, CustomResourceDefinitions, Secrets of clusters, every kind that has a namespace.  Writes: nothing.

import { type Clusters, isClusterSecret } from '#gitops/destinations'
import { namedTracker } from '#gitops/diff'
import { Application, AppProject, CustomResourceDefinition, type Kind, Secret } from '#kinds'
import { isEqual, type KubeObject } from '#objects'
import {
  type Cache,
  done,
  followKind,
  isFollowed,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
} from '#reconcile'
import { controllerManager, controllerUser, projectKey } from './names.ts'
import { findFamilies, isTracked } from './orphan-families.ts'
import { orphanKinds } from './orphan-kinds.ts'
import type { Orphans } from './orphans.ts'

export interface OrphanLoopOptions {
  readonly clusters: Clusters
  readonly orphans: Orphans
  /** The orphans of a namespace are others than before. */
  readonly changed: (namespace: string) => void
}

const everything = '*'
/** A namespace is looked through at most this often. */
const gapMs = 1000
const cacheSoonMs = 10

export function orphanLoop(options: OrphanLoopOptions): LoopDefinition {
  const { orphans } = options
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
        isClusterSecret(object) ? [everything] : concerned(orphans, { object, old, cache }),
      ),
    ],
    workers: 1,
    reconcile: async (key, kit) => reconcile(options, key, kit),
  }
}

const isSamePlace = (app: Application, old: Application): boolean =>
  app.spec.project === old.spec.project && isEqual(app.spec.destination, old.spec.destination)

function reconcile(options: OrphanLoopOptions, key: string, kit: Kit): Outcome {
  const { orphans } = options
  if (key !== everything) return orphans.isMonitored(key) ? look(options, key, kit) : done()
  const namespaces = monitoredNamespaces(options.clusters, kit.cache)
  orphans.monitor(namespaces)
  if (namespaces.size === 0) return done()
  for (const kind of orphanKinds(kit.cache))
    followKind(kit, kind as Kind<KubeObject>, (object, old, cache) => concerned(orphans, { object, old, cache }))
  if (!orphanKinds(kit.cache).every((kind) => isFollowed(kit, kind))) return requeueAfter(cacheSoonMs)
  for (const namespace of namespaces) take(options, namespace, kit)
  return done()
}

/** Destinations in the built-in cluster of applications whose project wants to know. */
function monitoredNamespaces(clusters: Clusters, cache: Cache): ReadonlySet<string> {
  const monitoring = cache.list(AppProject).filter(({ spec }) => spec.orphanedResources !== undefined)
  const keys = new Set(monitoring.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  if (keys.size === 0) return new Set()
  const apps = cache
    .list(Application)
    .filter((app) => keys.has(projectKey(app)) && clusters.isBuiltIn(cache, app.spec.destination))
  return new Set(apps.flatMap(({ spec }) => spec.destination.namespace || []))
}

interface Change {
  readonly object: KubeObject
  readonly old: KubeObject | undefined
  readonly cache: Cache
}

/** The namespace, if the change may make or end an orphan: what applications track and what their objects own is none. */
function concerned(orphans: Orphans, { object, old, cache }: Change): readonly string[] {
  const { namespace = '', ownerReferences = [] } = object.metadata
  if (!orphans.isMonitored(namespace)) return []
  if (old !== undefined) {
    const isSame =
      isEqual(ownerReferences, old.metadata.ownerReferences ?? []) && namedTracker(object) === namedTracker(old)
    return isSame ? [] : [namespace]
  }
  const isOfOthers =
    ownerReferences.length === 0
      ? isTracked(object, cache)
      : !ownerReferences.some(({ uid }) => orphans.has(namespace, uid))
  return isOfOthers ? [] : [namespace]
}

function look(options: OrphanLoopOptions, namespace: string, kit: Kit): Outcome {
  const foundAt = options.orphans.foundAt(namespace)
  const waitMs = foundAt === undefined ? 0 : foundAt + gapMs - kit.world.clock.now()
  if (waitMs > 0) return requeueAfter(waitMs)
  if (!orphanKinds(kit.cache).every((kind) => isFollowed(kit, kind))) return requeueAfter(cacheSoonMs)
  take(options, namespace, kit)
  return done()
}

function take({ orphans, changed }: OrphanLoopOptions, namespace: string, kit: Kit): void {
  const families = findFamilies({ cache: kit.cache, kinds: orphanKinds(kit.cache), namespace })
  if (orphans.set(namespace, families, kit.world.clock.now())) changed(namespace)
}
