// What the dashboard asks of the rest of the process. Objects it reads through the client and the shared cache; what
// only the reconciler knows (targets, predictions, drift, commits) comes through `GitopsReads`.

import type { Client } from '#client'
import type { Application, Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache, RuntimeFigures } from '#reconcile'
import type { World } from '#world'

/** One object of an application: what git says, what is there, what a sync would make of it. */
export interface ManagedState {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly hook: boolean
  readonly live: AnyObject | undefined
  /** Undefined for what git no longer has. */
  readonly target: AnyObject | undefined
  readonly predicted: AnyObject | undefined
  readonly modified: boolean
}

export interface DriftField {
  readonly path: string
  readonly live?: unknown
  readonly desired?: unknown
  readonly manager?: string
  /** RFC 3339. */
  readonly managerTime?: string
}

export interface DriftRecord {
  readonly application: string
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** RFC 3339. */
  readonly detectedAt: string
  readonly correctedAt?: string
  /** `deleted`, `changed`, `added`. */
  readonly change?: string
  readonly fields?: readonly DriftField[]
}

export interface RevisionMetadata {
  readonly author: string
  readonly date: string
  readonly message: string
  readonly tags?: readonly string[]
}

export interface RenderedManifests {
  readonly manifests: readonly AnyObject[]
  readonly revision: string
  readonly sourceType: string
}

export interface GitopsReads {
  managedResources(application: Application): Promise<readonly ManagedState[]>
  /** Newest first; of one application, or of all. */
  driftLog(application?: string): readonly DriftRecord[]
  revisionMetadata(application: Application, revision: string): Promise<RevisionMetadata>
  manifests(application: Application, revision?: string): Promise<RenderedManifests>
}

export interface DashboardParts {
  readonly world: World
  /** Writes are answered when they are on disk. */
  readonly client: Client
  cacheFor(reader: string, kinds: readonly Kind[]): Cache
  figures(): RuntimeFigures
  /** The caches are filled and every loop works. */
  ready(): boolean
  readonly gitops: GitopsReads
  /** Version of this program. */
  readonly version: string
}
