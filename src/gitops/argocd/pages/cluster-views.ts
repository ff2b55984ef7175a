// What pages are told of clusters, and how they reach the one that an application lives in. `cache` is always the asker's view
// of the built-in cluster, where Applications and the Secrets of clusters are.

import type { Client, Connection } from '#client'
import {
  builtInServing,
  type ClusterEntry,
  type ClusterReport,
  type Clusters,
  type OutsideDestination,
  type OutsideVisit,
  type Serving,
} from '#gitops/destinations'
import { SourceError } from '#gitops/source'
import type { Application, AppProject, Secret } from '#kinds'
import type { Cache, Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import type { LookupPlace } from '../desired/lookups.ts'
import { specFaults } from '../projects/project.ts'

/** A cluster that applications may name, and how it is. */
export interface KnownCluster extends ClusterReport {
  readonly entry: ClusterEntry
}

type Spec = Pick<Application, 'spec'>
type Named = Pick<Application, 'metadata' | 'spec'>

export interface ClusterViews {
  /** What a cluster Secret describes. */
  describe(secret: Secret): KnownCluster
  /** Those that no Secret describes: the built-in one and contexts. */
  others(described: readonly ClusterEntry[]): readonly KnownCluster[]
  /** All that is known of it is read again. */
  forget(entry: ClusterEntry): void
  /** A few requests to a cluster, in use or not. */
  talk<T>(connection: Connection, words: (client: Client) => Promise<T>): Promise<T>
  /** The cluster that an application's destination names; undefined: there is none. */
  of(app: Spec, cache: Cache): ClusterEntry | undefined
  /** Undefined for the built-in cluster. */
  outside(app: Spec, cache: Cache): OutsideVisit | undefined
  /** Hears of every change that is seen in an outside cluster; the answer ends it. */
  listen(app: Spec, cache: Cache, bell: () => void): () => void
  /** What is wrong with an application's spec. */
  specFaults(app: Named, project: AppProject | undefined, cache: Cache): readonly Finding[]
}

export function clusterViews(clusters: Clusters): ClusterViews {
  const known = (entry: ClusterEntry): KnownCluster => ({ entry, ...clusters.report(entry) })
  const of: ClusterViews['of'] = ({ spec }, cache) => {
    const entry = clusters.resolve(cache, spec.destination)
    return typeof entry === 'string' ? undefined : entry
  }
  return {
    of,
    describe: (secret) => known(clusters.entryOf(secret)),
    others: (described) => clusters.others(described).map(known),
    forget: (entry) => clusters.forget(entry.server),
    talk: (connection, words) => clusters.talk(connection, words),
    outside: ({ spec }, cache) => clusters.look(cache, spec.destination),
    listen(app, cache, bell) {
      const entry = of(app, cache)
      return entry === undefined ? () => {} : clusters.listen(entry.server, bell)
    },
    specFaults: (app, project, cache) => specFaults(app, project, clusters.entries(cache)),
  }
}

/** A cluster as somebody looks at it who follows nothing there. */
export type SeenCluster = Serving & LookupPlace

/** What the application's cluster serves, and who is asked there. Throws SourceError where that is not known now. */
export function seenCluster(
  clusters: Clusters,
  { cache, client }: Pick<Kit, 'cache' | 'client'>,
  app: Spec,
): SeenCluster {
  const { destination } = app.spec
  const visit = clusters.look(cache, destination)
  const cluster = clusters.resolve(cache, destination)
  if (visit === undefined && typeof cluster !== 'string')
    return { ...builtInServing(cache), cluster, isBuiltIn: true, client, cache, follow: () => ({ type: 'waiting' }) }
  return found(visit)
}

/** As `seenCluster`, for whoever asks nothing there. */
export function servingFor(clusters: Clusters, cache: Cache, { spec }: Spec): Serving {
  const visit = clusters.look(cache, spec.destination)
  return visit === undefined ? builtInServing(cache) : found(visit)
}

function found(visit: OutsideVisit | undefined): OutsideDestination {
  if (visit === undefined) throw new SourceError('NotFetched', 'it names no cluster')
  if (visit.type === 'found') return visit.destination
  throw new SourceError('NotFetched', visit.type === 'failed' ? visit.message : 'its cluster has not answered yet')
}
