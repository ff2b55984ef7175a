// What git wants of an application by its spec as it is now, or why that is not known.
// Reads: AppProjects, the repository.  Writes: nothing.

import type { Clusters, Destination } from '#gitops/destinations'
import type { Health } from '#gitops/health'
import type { Renderer } from '#gitops/render'
import { type Repository, SourceError, type Sources } from '#gitops/source'
import type { LookupQuestion } from '#gitops/tools'
import { type Application, AppProject } from '#kinds'
import type { Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { projectKey } from '../application/names.ts'
import { pinOf } from '../application/pin.ts'
import { noSources, type SourceSet, sourceSet } from '../application/source-set.ts'
import { liveStateFinding } from '../comparison/destination-fault.ts'
import type { IgnoredPaths } from '../comparison/ignored-paths.ts'
import { loadDesired } from '../desired/desired.ts'
import type { Desired } from '../desired/from-rendered.ts'
import { lookupsOf } from '../desired/lookups.ts'
import { specFaults } from '../projects/project.ts'
import type { Memory } from './memory.ts'

export interface Eyes {
  readonly clusters: Clusters
  readonly sources: Sources
  readonly renderer: Renderer
  readonly memory: Memory
  readonly ignored: IgnoredPaths
  readonly health: Health
}

export type NotLoaded =
  /** Something that is needed is on its way; it wakes the application, or comes within `againMs`. */
  | { readonly type: 'waiting'; readonly againMs: number | undefined }
  /** The target state could not be loaded at all. */
  | {
      readonly type: 'failed'
      readonly findings: readonly Finding[]
      /** A request failed: nothing tells when the next one would not. */
      readonly once?: boolean
    }

export type Wanted =
  | NotLoaded
  | {
      readonly type: 'loaded'
      readonly desired: Desired
      readonly destination: Destination
      readonly project: AppProject
      readonly findings: readonly Finding[]
      /** World time at which something else is wanted. */
      readonly until?: number | undefined
    }

export async function loadWanted(
  eyes: Eyes,
  key: string,
  { app, kit }: { readonly app: Application; readonly kit: Kit },
): Promise<Wanted> {
  const project = kit.cache.get(AppProject, projectKey(app))
  const faults = specFaults(app, project, eyes.clusters.entries(kit.cache))
  const set = sourceSet(app.spec) ?? noSources
  const found = findRepositories(eyes, set)
  const repositories = found.filter((each): each is Repository => !(each instanceof SourceError))
  eyes.memory.of(key)
  eyes.memory.followers.follow(key, [...new Set(repositories.map((each) => each.key))])
  if (faults.length > 0 || project === undefined) return { type: 'failed', findings: faults }
  const unknown = found.find((each) => each instanceof SourceError)
  if (unknown !== undefined) return { type: 'failed', findings: [comparisonError(unknown)] }
  const unready = repositories.filter((each) => !each.state.ready)
  const trouble = unready.find((each) => each.state.trouble !== undefined)?.state.trouble
  if (trouble !== undefined) return { type: 'failed', findings: [comparisonError(trouble)] }
  if (unready.length > 0) return { type: 'waiting', againMs: undefined }
  const visit = eyes.clusters.visit(kit, app.spec.destination, key)
  if (visit.type === 'unknown')
    return { type: 'failed', findings: [{ type: 'InvalidSpecError', message: visit.fault }] }
  if (visit.type === 'failed') return { type: 'failed', findings: [liveStateFinding(visit.message)] }
  if (visit.type === 'waiting') return { type: 'waiting', againMs: undefined }
  const { destination } = visit
  const warnings = [...new Set(repositories)].flatMap(repositoryFindings)
  try {
    const { renderer } = eyes
    const now = kit.world.clock.now()
    eyes.memory.lookups.forget(key)
    const note = (question: LookupQuestion): void => eyes.memory.lookups.note(key, question)
    const lookups = lookupsOf({ app, project, destination, note })
    const at = { cache: kit.cache, serving: destination, lookups, now }
    const { revisions, until, findings } = pinOf(app, set.sources.length, now)
    const desired = await loadDesired({ app, set, revisions, repositories, renderer, ...at })
    const told = [...desired.findings, ...warnings, ...findings]
    return { type: 'loaded', desired, destination, project, findings: told, until }
  } catch (error) {
    if (error instanceof SourceError) return { type: 'failed', findings: [comparisonError(error), ...warnings] }
    throw error
  }
}

/** The repository of each source, or why it is none. */
function findRepositories({ sources }: Pick<Eyes, 'sources'>, set: SourceSet): readonly (Repository | SourceError)[] {
  return set.sources.map((source) => {
    try {
      return sources.repository(source.repoURL, source.chart)
    } catch (error) {
      if (error instanceof SourceError) return error
      throw error
    }
  })
}

const comparisonError = ({ message }: { readonly message: string }): Finding => ({
  type: 'ComparisonError',
  message: `Failed to load target state: ${message}`,
})

/** A repository in trouble is still compared by what was read last. Its age is that of the condition. */
function repositoryFindings({ state }: Repository): readonly Finding[] {
  return state.trouble === undefined
    ? []
    : [{ type: 'RepositoryWarning', message: `the last good revision is shown: ${state.trouble.message}` }]
}
