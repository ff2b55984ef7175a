// What the dashboard asks of the rest of the process. Objects it reads through the client and the shared cache; what
// only the reconciler knows (targets, predictions, drift, commits) comes from `gitops`.

import type { Client } from '#client'
import type { Gitops } from '#gitops'
import type { Placements } from '#insight'
import type { Kind } from '#kinds'
import type { Cache, RuntimeFigures } from '#reconcile'
import type { World } from '#world'

export interface DashboardParts {
  readonly world: World
  /** Writes are answered when they are on disk. */
  readonly client: Client
  cacheFor(reader: string, kinds: readonly Kind[]): Cache
  figures(): RuntimeFigures
  /** The caches are filled and every loop works. */
  ready(): boolean
  readonly gitops: Pick<
    Gitops,
    | 'managedResources'
    | 'orphanedResources'
    | 'driftLog'
    | 'revisionMetadata'
    | 'manifests'
    | 'manifestsOfFiles'
    | 'chartDetails'
    | 'generateApplications'
    | 'repositoryChanged'
    | 'hearsOfCommits'
    | 'repositories'
    | 'plugins'
    | 'sourceSettings'
    | 'toolVersions'
    | 'clusters'
    | 'health'
    | 'actions'
  >
  /** What the scheduler remembers of pods; absent where another cluster's does. */
  readonly placements?: Placements
  /** Version of this program. */
  readonly version: string
}
