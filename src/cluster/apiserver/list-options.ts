// The query of a list or watch, checked as Kubernetes checks ListOptions, and its continue tokens.

import { type FieldError, forbidden, notSupported } from '#kinds'
import { parseJson, SyntaxFault } from '#objects'
import { badRequest, invalidError, plainError } from './errors.ts'
import { numberFault, parseFlag, parseInt64 } from './query-values.ts'
import type { Scope } from './scope.ts'
import { type Selection, selectionOf } from './selection.ts'

export interface ListOptions {
  readonly selection: Selection
  readonly limit: number
  readonly continue: string
  /** Absent when the client names none; `0` means any. */
  readonly resourceVersion: number | undefined
  readonly match: '' | 'Exact' | 'NotOlderThan'
  readonly sendInitialEvents: boolean | undefined
  readonly allowWatchBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

export const listOptionsKind = { group: 'meta.k8s.io', kind: 'ListOptions' } as const

const matches = ['', 'Exact', 'NotOlderThan'] as const

/** `resourceVersion` as a number. What a bad one is answered with differs between lists and watches. */
export function parseVersion(text: string | undefined, refuse: (why: string) => Error): number | undefined {
  if (text === undefined || text === '') return undefined
  const fault = numberFault(text, 'ParseUint')
  if (fault !== undefined) throw refuse(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${fault}`)
  return Number(text)
}

function checkMatch(scope: Scope, watch: boolean, initial: boolean | undefined): readonly FieldError[] {
  const match = scope.query('resourceVersionMatch') ?? ''
  const version = scope.query('resourceVersion') ?? ''
  if (watch) return checkWatchMatch(match, initial)
  if (initial !== undefined) return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
  if (match === '') return []
  const errors: FieldError[] = []
  if (version === '')
    errors.push(
      forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    )
  if ((scope.query('continue') ?? '') !== '')
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'))
  if (!(matches as readonly string[]).includes(match))
    errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
  if (match === 'Exact' && version === '0')
    errors.push(forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  return errors
}

function checkWatchMatch(match: string, initial: boolean | undefined): readonly FieldError[] {
  if (initial === undefined) {
    if (match === '') return []
    return [
      forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    ]
  }
  if (match === '' || match === 'Exact')
    return [
      forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ]
  return match === 'NotOlderThan' ? [] : [notSupported('resourceVersionMatch', match, ['NotOlderThan'])]
}

const nothingAsked: Omit<ListOptions, 'selection'> = {
  limit: 0,
  continue: '',
  resourceVersion: undefined,
  match: '',
  sendInitialEvents: undefined,
  allowWatchBookmarks: false,
  timeoutSeconds: undefined,
}

export function listOptions(scope: Scope, watch: boolean): ListOptions {
  const selection = selectionOf(scope)
  if (scope.request.query === undefined) return { ...nothingAsked, selection }
  const limit = parseInt64(scope.query('limit'), badRequest) ?? 0
  const timeoutSeconds = parseInt64(scope.query('timeoutSeconds'), badRequest)
  const sendInitialEvents = parseFlag(scope.query('sendInitialEvents'))
  const faults = checkMatch(scope, watch, sendInitialEvents)
  if (faults.length > 0) throw invalidError(listOptionsKind, '', faults)
  const version = scope.query('resourceVersion') ?? ''
  if (!watch && (scope.query('continue') ?? '') !== '' && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  const refuse = watch ? plainError : (why: string) => badRequest(`invalid resource version: ${why}`)
  return {
    selection,
    // Whoever takes any state gets all of it at once, as from a watch cache.
    limit: version === '0' ? 0 : Math.max(0, limit),
    continue: scope.query('continue') ?? '',
    resourceVersion: parseVersion(version, refuse),
    match: (scope.query('resourceVersionMatch') ?? '') as ListOptions['match'],
    sendInitialEvents,
    allowWatchBookmarks: parseFlag(scope.query('allowWatchBookmarks')) ?? false,
    timeoutSeconds,
  }
}

/** Where a list goes on: as of which revision (-1: as of now) and behind which key. */
export interface ContinueToken {
  readonly revision: number
  readonly after: string
}

export function encodeContinue(token: ContinueToken): string {
  return btoa(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start: `${token.after}\u0000` }))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

export function decodeContinue(text: string): ContinueToken {
  const bad = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)
  const json = bytesOf(text, bad)
  let token: { v?: unknown; rv?: unknown; start?: unknown } | null
  try {
    token = parseJson(json).value as typeof token
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    // Bytes that are no ASCII are characters of their own here.
    throw bad(json > '\u007f' ? `invalid character '${json[0]}' looking for beginning of value` : error.message)
  }
  // Go takes null for a struct without fields.
  token ??= {}
  if (token.v !== 'meta.k8s.io/v1') throw bad(`server does not recognize this encoded version ${token.v ?? ''}`)
  if (typeof token.rv !== 'number' || token.rv === 0)
    throw bad('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (typeof token.start !== 'string' || token.start === '')
    throw bad('encoded start key empty (version meta.k8s.io/v1)')
  // Keys that would lead elsewhere.
  if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(token.start.replace(/^\//, ''))) throw bad(token.start)
  return { revision: token.rv, after: token.start.endsWith('\u0000') ? token.start.slice(0, -1) : token.start }
}

/** What the token encodes, in the alphabet of URLs and without padding. */
function bytesOf(text: string, bad: (why: string) => Error): string {
  const foreign = text.search(/[^A-Za-z0-9_-]/)
  if (foreign >= 0) throw bad(`illegal base64 data at input byte ${foreign}`)
  if (text.length % 4 === 1) throw bad(`illegal base64 data at input byte ${text.length - 1}`)
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
}
