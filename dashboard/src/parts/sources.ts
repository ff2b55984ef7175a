// An application's sources in words: one, or several side by side.

import type { Application, Source } from '../types.ts'

export const sourcesOf = ({ spec }: Application): readonly Source[] =>
  spec.sources !== undefined && spec.sources.length > 0 ? spec.sources : spec.source === undefined ? [] : [spec.source]

const short = (revision: string): string => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision)

/** Each revision once, shortened. */
export function shownRevision(
  at: { readonly revision?: string; readonly revisions?: readonly string[] } | undefined,
): string {
  const all = at?.revisions !== undefined && at.revisions.length > 0 ? at.revisions : [at?.revision ?? '']
  const shown = [...new Set(all.map(short))].filter((revision) => revision !== '')
  return shown.length === 0 ? '–' : shown.join(', ')
}

/** The path, the chart, or (a source that others take values from) its name. */
export const shownPlace = ({ path = '', chart = '', ref = '' }: Source): string =>
  chart !== '' ? `chart ${chart}` : path !== '' ? path : ref !== '' ? `$${ref}` : '.'

export const shownPlaces = (application: Application): string =>
  sourcesOf(application).map(shownPlace).join(', ') || '.'

export const shownTargets = (application: Application): string =>
  [...new Set(sourcesOf(application).map(({ targetRevision = '' }) => targetRevision || 'HEAD'))].join(', ') || 'HEAD'
