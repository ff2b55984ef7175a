// What a targetRevision may be: HEAD, a commit id (whole or shortened), a branch, a tag or a range of versions. Follows git's check-ref-format,
// so that a name from a manifest can neither leave the refs folder nor be taken for an option.

import { SourceError } from './source-error.ts'
import { versionRange } from './version-range.ts'

export type RevisionName =
  | { readonly type: 'head' }
  | { readonly type: 'commit'; readonly id: string }
  /** A branch or tag; `shortened` when it could as well be the beginning of a commit id, `range` when it could be versions. */
  | { readonly type: 'name'; readonly name: string; readonly shortened: boolean; readonly range?: string }
  /** Versions, of which the highest tag is meant. */
  | { readonly type: 'range'; readonly range: string }

const maxLength = 255
const forbidden = /[\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)/

/** Throws SourceError for names that git itself would refuse. */
export function parseRevision(text: string): RevisionName {
  if (text === '' || text === 'HEAD') return { type: 'head' }
  if (/^[0-9a-f]{40}$/i.test(text)) return { type: 'commit', id: text.toLowerCase() }
  const range = text.length > maxLength ? undefined : versionRange(text)
  const bad =
    text.length > maxLength ||
    forbidden.test(text) ||
    [...text].some((character) => character < ' ' || character === '\u007f') ||
    /^[-./]|[./]$/.test(text) ||
    text === '@'
  if (bad && range !== undefined) return { type: 'range', range }
  if (bad)
    throw new SourceError(
      'InvalidRevision',
      `${JSON.stringify(text.slice(0, maxLength))} is not a valid revision: expected HEAD, a branch, a tag, a commit or a range of versions`,
    )
  const shortened = /^[0-9a-f]{7,39}$/i.test(text)
  return { type: 'name', name: text, shortened, ...(range === undefined ? {} : { range }) }
}
