// An Application's sources and revisions, and those of what was compared, synced or deployed: Argo CD writes one in `source` and
// `revision`, several in `sources` and `revisions`. Pure.

import type { ApplicationSource } from './types.ts'

export interface SourceFields {
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
}

export interface RevisionFields {
  readonly revision?: string
  readonly revisions?: readonly string[]
}

/** Several where there are several; an empty list of several means the one. */
export const sourcesIn = ({ source, sources }: SourceFields): readonly ApplicationSource[] =>
  sources !== undefined && sources.length > 0 ? sources : source === undefined ? [] : [source]

/** Empty where none is named. */
export const revisionsIn = ({ revision = '', revisions }: RevisionFields): readonly string[] =>
  revisions !== undefined && revisions.length > 0 ? revisions : revision === '' ? [] : [revision]

const short = (revision: string): string => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision)

/** For people: each revision once, commits shortened; empty where none is known. */
export const shownRevisions = (fields: RevisionFields | undefined): string =>
  [...new Set(revisionsIn(fields ?? {}).map(short))].filter((revision) => revision !== '').join(', ')
