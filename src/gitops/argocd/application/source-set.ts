// The sources of an application, of an operation, or of a deployment in the history: one, or several side by side. Argo CD
// writes one in `source` and `revision`, several in `sources` and `revisions`; in between there is only this. Pure.

import {
  type Application,
  type ApplicationSource,
  type RevisionFields,
  revisionsIn,
  type SourceFields,
  sourcesIn,
} from '#kinds'
import { isEqual } from '#objects'

export interface SourceSet {
  readonly sources: readonly ApplicationSource[]
  /** Written as a list, though it may be a list of one. */
  readonly multiple: boolean
}

export interface ResolvedSet extends SourceSet {
  /** Commits, or what stands for them, one for each source. Empty where none is known. */
  readonly revisions: readonly string[]
}

export interface RepositoryName {
  readonly repoURL: string
  /** Of a Helm repository; empty for git. */
  readonly chart: string
}

/** Undefined where nothing names a source. */
export function sourceSet(fields: SourceFields): SourceSet | undefined {
  const sources = sourcesIn(fields)
  return sources.length === 0 ? undefined : { sources, multiple: sources === fields.sources }
}

export const noSources: ResolvedSet = { sources: [], multiple: false, revisions: [] }

export const sourceFields = ({ sources, multiple }: SourceSet): SourceFields =>
  multiple ? { sources } : sources[0] === undefined ? {} : { source: sources[0] }

export const revisionFields = ({ revisions, multiple }: ResolvedSet): RevisionFields =>
  multiple ? { revisions } : { revision: revisions[0] ?? '' }

export const revisionText = (fields: RevisionFields): string => revisionsIn(fields).join(', ')

export const isSameSet = (a: SourceSet, b: SourceSet): boolean => isEqual(a.sources, b.sources)

/** What names the repository of each of an application's sources. */
export const repositoryNames = ({ spec }: Application): readonly RepositoryName[] =>
  sourcesIn(spec).map(({ repoURL, chart = '' }) => ({ repoURL, chart }))

/** A source that others take values files from and that brings no manifests itself. */
export const isReferenceOnly = ({ ref = '', path = '', chart = '' }: ApplicationSource): boolean =>
  ref !== '' && path === '' && chart === ''
