// Keeps a part of the cluster as a folder of a repository says: looks, compares, takes one step of a sync if one is due,
// and reports in the Application's status. Here is what makes it look.
// Reads: Applications, AppProjects, Secrets of clusters, Pods, repositories, every kind that applications use, where they are.
// Writes: Application (status, operation, refresh annotation), Events; by step.ts and deletion.ts: the applications' objects.

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
  watching,
} from '#reconcile'
import type { Clock } from '#world'
import { controllerManager, controllerUser, projectKey, skipReconcileAnnotation } from '../application/names.ts'
import { isOnlyRefreshed } from '../application/refresh.ts'
import { deleteApplication } from '../deletion/deletion.ts'
import { isSigningKeys } from '../desired/signature-check.ts'
import type { Memory } from '../observation/memory.ts'
import { dependentsOf } from '../operation/dependency-gate.ts'
import type { Place } from '../orphans/orphans.ts'
import type { RepositoryNews } from '../repositories/repository-loop.ts'
import { isSettings } from '../settings/settings.ts'
import { tellNews } from './commit-news.ts'
import { type LookOptions, look } from './look.ts'
import { restMs } from './rest.ts'
import { Trail } from './trail.ts'

export interface ApplicationLoopOptions extends LookOptions {
  readonly clock: Clock
  /** Registers who is told of every look at a repository. */
  readonly onRefreshed: (told: (news: RepositoryNews) => Promise<void>) => () => void
  /** Registers who is told that the orphans of a namespace are others. */
  readonly onOrphans: (told: (place: Place) => void) => () => void
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
      watching(Application, (app, old, cache) =>
        old !== undefined && isOnlyRefreshed(app, old)
          ? []
          : [...news(memory, app, old), ...concerned(app, old), ...dependentsOf(app, old, cache)],
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
