// The manifests of an application for whoever asks: what git says at some revisions, or what files would be in its place.

import type { Renderer } from '#gitops/render'
import { filesSnapshot, type GivenFile, type Repository, SourceError, type Sources } from '#gitops/source'
import { type Application, AppProject } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'
import { projectKey } from '../application/names.ts'
import { type SourceSet, sourceSet } from '../application/source-set.ts'
import { type DesiredInput, desiredOfFiles, loadDesired } from '../desired/desired.ts'
import type { Desired } from '../desired/from-rendered.ts'
import { lookupsOf } from '../desired/lookups.ts'
import type { SeenCluster } from './cluster-views.ts'

export interface ManifestReading {
  readonly sources: Sources
  readonly renderer: Renderer
  readonly cache: Cache
  readonly now: number
  /** The application's cluster. Throws SourceError. */
  readonly clusterOf: (app: Application) => SeenCluster
}

export interface RenderedManifests {
  readonly manifests: readonly AnyObject[]
  readonly revision: string
  readonly sourceType: string
}

/** One revision for each source; where it is missing, what is followed. Throws SourceError. */
export async function readManifests(
  reading: ManifestReading,
  app: Application,
  revisions: readonly string[],
): Promise<RenderedManifests> {
  return shown(
    await loadDesired({ ...reading, app, revisions, ...clusterOf(reading, app), ...sourcesOf(reading, app) }),
  )
}

/** A fault in the files is told instead. Throws SourceError. */
export async function renderFiles(
  reading: ManifestReading,
  app: Application,
  { files, trusted }: { readonly files: readonly GivenFile[]; readonly trusted: boolean },
): Promise<RenderedManifests> {
  const asked = { ...reading, app, ...clusterOf(reading, app), ...sourcesOf(reading, app) }
  const desired = await desiredOfFiles(asked, filesSnapshot(files), trusted)
  const [fault, ...more] = desired.problems
  if (fault === undefined) return shown(desired)
  throw new SourceError('InvalidPath', more.length === 0 ? fault : `${fault} (and ${more.length} more)`)
}

function clusterOf(reading: ManifestReading, app: Application): Pick<DesiredInput, 'serving' | 'lookups'> {
  const destination = reading.clusterOf(app)
  const project = reading.cache.get(AppProject, projectKey(app))
  return { serving: destination, lookups: project && lookupsOf({ app, project, destination }) }
}

interface AllSources {
  readonly set: SourceSet
  readonly repositories: readonly Repository[]
}

function sourcesOf({ sources }: ManifestReading, app: Application): AllSources {
  const set = sourceSet(app.spec)
  if (set === undefined) throw new SourceError('InvalidPath', 'the application has no source')
  return { set, repositories: set.sources.map((source) => sources.repository(source.repoURL, source.chart)) }
}

const shown = ({ targets, resolved, sourceTypes }: Omit<Desired, 'readings'>): RenderedManifests => ({
  manifests: targets.map((target) => target.object),
  revision: resolved.revisions.join(', '),
  sourceType: sourceTypes[0] ?? 'Directory',
})
