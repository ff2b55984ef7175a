// The sources of an application, of an operation, or of a deployment in the history: one, or several side by side. Argo CD
// writes one in `source` and `revision`, several in `sources` and `revisions`; in between there is only this. Pure.

import type { Application, ApplicationSource } from '#kinds'
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

interface SourceFields {
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
}

interface RevisionFields {
  readonly revision?: string
  readonly revisions?: readonly string[]
}

export interface RepositoryName {
  readonly repoURL: string
  /** Of a Helm repository; empty for git. */
  readonly chart: string
}

/** Undefined where nothing names a source. */
export function sourceSet({ source, sources }: SourceFields): SourceSet | undefined {
  if (sources !== undefined && sources.length > 0) return { sources, multiple: true }
  return source === undefined ? undefined : { sources: [source], multiple: false }
}

export const noSources: ResolvedSet = { sources: [], multiple: false, revisions: [] }

export const sourceFields = ({ sources, multiple }: SourceSet): SourceFields =>
  multiple ? { sources } : sources[0] === undefined ? {} : { source: sources[0] }

export const revisionFields = ({ revisions, multiple }: ResolvedSet): RevisionFields =>
  multiple ? { revisions } : { revision: revisions[0] ?? '' }

/** Empty where none is named. */
export const revisionsIn = ({ revision, revisions }: RevisionFields): readonly string[] =>
  revisions !== undefined && revisions.length > 0
    ? revisions
    : revision === undefined || revision === ''
      ? []
      : [revision]

export const revisionText = (fields: RevisionFields): string => revisionsIn(fields).join(', ')

export const isSameSet = (a: SourceSet, b: SourceSet): boolean => isEqual(a.sources, b.sources)

/** What names the repository of each of an application's sources. */
export const repositoryNames = ({ spec }: Application): readonly RepositoryName[] =>
  (sourceSet(spec)?.sources ?? []).map(({ repoURL, chart = '' }) => ({ repoURL, chart }))

/** A source that others take values files from and that brings no manifests itself. */
export const isReferenceOnly = ({ ref = '', path = '', chart = '' }: ApplicationSource): boolean =>
  ref !== '' && path === '' && chart === ''
