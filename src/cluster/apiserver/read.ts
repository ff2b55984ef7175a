// get and list: from memory, at the newest revision or, for a list that goes on or asks for it, at an older one.

import { ApiError, type ApiResponse, type Status } from '#api'
import { type Entry, RevisionGoneError } from '#store'
import { badRequest, expired, notFoundError, tooLargeVersion } from './errors.ts'
import type { ListMeta } from './list-meta.ts'
import { decodeContinue, encodeContinue, type ListOptions, listOptions, parseVersion } from './list-options.ts'
import { managedOf } from './managed.ts'
import { parseFlag } from './query-values.ts'
import { respond, respondList, type Version } from './represent.ts'
import type { Scope } from './scope.ts'
import { keyOf, ruledForm, shown } from './served.ts'
import { type Soon, whenDone } from './soon.ts'

export const versionOf = (entry: Entry): Version => ({ value: entry.value, managed: managedOf(entry.attachment) })

/** The newest version, or the 404 that its absence means. */
export function existing(scope: Scope): Entry {
  const entry = scope.core.store.get(scope.served.bucket, keyOf(scope.served, scope.namespace, scope.name))
  if (entry === undefined) throw notFoundError(scope.served.info, scope.name)
  return entry
}

export function get(scope: Scope): Soon<ApiResponse> {
  if (parseFlag(scope.query('export')) === true)
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  const asked = scope.query('resourceVersion')
  if (asked !== undefined) {
    const version = parseVersion(asked, (why) => badRequest(`invalid resource version: ${why}`)) ?? 0
    if (version > scope.core.store.revision) throw tooLargeVersion(version, scope.core.store.revision)
  }
  const entry = existing(scope)
  if (scope.served.conversion?.ask === undefined) return respond(scope, 200, versionOf(entry))
  return whenDone(shown(scope.served, entry.value, true), () => respond(scope, 200, versionOf(entry)))
}

interface Page {
  readonly entries: readonly Entry[]
  readonly meta: ListMeta
}

export function list(scope: Scope): Soon<ApiResponse> {
  const options = listOptions(scope, false)
  return whenDone(converted(scope, options), () => {
    const page = listPage(scope, options)
    return respondList(scope, page.entries.map(versionOf), page.meta)
  })
}

/** Before a list is made: has a webhook, where one converts, convert all that the list could hold. */
export function converted(scope: Scope, options: ListOptions): Soon<void> {
  return scope.served.conversion?.ask === undefined ? undefined : convertAll(scope, options)
}

/** Ends when there was nothing left to ask: meanwhile others may have written. */
async function convertAll(scope: Scope, options: ListOptions): Promise<void> {
  const { conversion } = scope.served
  const { selection } = options
  const all =
    selection.matches === undefined
      ? options
      : { ...options, limit: 0, selection: { ...selection, matches: undefined } }
  for (let waited = true; waited; ) {
    waited = false
    for (const { value } of listPage(scope, all).entries) {
      const asked = conversion?.ask?.(value, 'served', false)
      if (asked === undefined) continue
      waited = true
      await asked
    }
  }
}

/** The entries that a list request selects, in key order. */
export function listPage(scope: Scope, options: ListOptions): Page {
  const { store } = scope.core
  const token = options.continue === '' ? undefined : decodeContinue(options.continue)
  if (token === undefined && (options.resourceVersion ?? 0) > store.revision)
    throw tooLargeVersion(options.resourceVersion ?? 0, store.revision, options.match === 'Exact')
  const revision = token === undefined ? exactRevision(options) : token.revision < 0 ? undefined : token.revision
  try {
    return collect(scope, options, revision, token?.after)
  } catch (error) {
    if (!(error instanceof RevisionGoneError)) throw error
    if (token !== undefined) throw new InconsistentContinue(encodeContinue({ revision: -1, after: token.after }))
    throw expired(`The resourceVersion for the provided list is too old.`)
  }
}

/** A revision that the client insists on; undefined lists the newest. */
function exactRevision(options: ListOptions): number | undefined {
  const { resourceVersion, match, limit } = options
  if (resourceVersion === undefined || resourceVersion === 0) return undefined
  return match === 'Exact' || (match === '' && limit > 0) ? resourceVersion : undefined
}

function collect(scope: Scope, options: ListOptions, revision: number | undefined, after: string | undefined): Page {
  const { selection, limit } = options
  const only = onlyKey(scope, options)
  if (only !== undefined && revision === undefined) {
    const entry = scope.core.store.get(scope.served.bucket, only)
    const entries = entry !== undefined && isSelected(scope, options, entry) ? [entry] : []
    return { entries, meta: { resourceVersion: String(scope.core.store.revision) } }
  }
  const namespace = scope.namespace ?? selection.namespace
  const prefix = scope.served.info.namespaced && namespace !== undefined ? `${namespace}/` : ''
  const entries: Entry[] = []
  let last = after
  for (;;) {
    const missing = limit === 0 ? undefined : limit - entries.length
    const page = scope.core.store.list(scope.served.bucket, {
      prefix,
      ...(last === undefined ? {} : { after: last }),
      ...(missing === undefined ? {} : { limit: missing }),
      ...(revision === undefined ? {} : { revision }),
    })
    for (const entry of page.entries) if (isSelected(scope, options, entry)) entries.push(entry)
    last = page.entries.at(-1)?.key
    const resourceVersion = String(page.revision)
    if (page.remaining === 0 || last === undefined) return { entries, meta: { resourceVersion } }
    if (limit === 0 || entries.length < limit) continue
    const token = encodeContinue({ revision: page.revision, after: last })
    const remaining = selection.filtered ? {} : { remainingItemCount: page.remaining }
    return { entries, meta: { resourceVersion, continue: token, ...remaining } }
  }
}

/** The only key that can match: `metadata.name` was selected and the namespace is known. */
function onlyKey(scope: Scope, { selection }: ListOptions): string | undefined {
  if (selection.name === undefined) return undefined
  const namespace = scope.namespace ?? selection.namespace
  if (scope.served.info.namespaced && namespace === undefined) return undefined
  return keyOf(scope.served, namespace, selection.name)
}

const isSelected = (scope: Scope, { selection }: ListOptions, entry: Entry): boolean =>
  selection.matches === undefined || selection.matches(ruledForm(scope.served, entry.value))

/** 410 with a token by which the client may go on with what there is now. */
class InconsistentContinue extends ApiError {
  readonly #token: string

  constructor(token: string) {
    super({
      code: 410,
      reason: 'Expired',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    })
    this.#token = token
  }

  override toStatus(): Status {
    return { ...super.toStatus(), metadata: { continue: this.#token } as never }
  }
}
