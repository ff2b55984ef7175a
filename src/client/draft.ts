// Requests as the client puts them together: from a verb, a kind, a name and options.

import type { ApiRequest, Caller, RequestBody, Verb } from '#api'
import type { Kind } from '#kinds'
import type { DeleteOptions, ObjectRef, ReadOptions, WatchOptions, WriteOptions } from './options.ts'

/** A request while it is being put together. */
export type Draft = { -readonly [K in keyof ApiRequest]: ApiRequest[K] }

export const draft = (verb: Verb, kind: Kind, caller: Caller, ref: Partial<ObjectRef>): Draft => {
  const request: Draft = { verb, resource: kind, caller }
  if (kind.namespaced && ref.namespace !== undefined) request.namespace = ref.namespace
  if (ref.name !== undefined) request.name = ref.name
  return request
}

const text = (value: string | number | boolean | undefined): string | undefined =>
  value === undefined ? undefined : String(value)

function query(entries: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const out: Record<string, string> = {}
  for (const [key, value] of Object.entries(entries)) if (value !== undefined) out[key] = value
  return out
}

export const listQuery = (options: WatchOptions): Readonly<Record<string, string>> =>
  query({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: text(options.limit),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: text(options.allowWatchBookmarks),
    timeoutSeconds: text(options.timeoutSeconds),
  })

const noQuery: Readonly<Record<string, string>> = Object.freeze({})

export const writeQuery = (options: WriteOptions & { readonly force?: boolean }): Readonly<Record<string, string>> => {
  const { dryRun, fieldManager, fieldValidation, force } = options
  // Loops write by the ten thousand, and plainly.
  if (dryRun !== true && fieldManager === undefined && fieldValidation === undefined && force === undefined)
    return noQuery
  return query({ dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation, force: text(force) })
}

const withManagedFields: NonNullable<ApiRequest['accept']> = { as: 'object', managedFields: true }

export function look(request: Draft, options: ReadOptions): Draft {
  if (options.managedFields === true) request.accept = withManagedFields
  return request
}

export const deleteBody = (options: DeleteOptions): RequestBody => ({
  type: 'object',
  object: {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.propagationPolicy === undefined ? {} : { propagationPolicy: options.propagationPolicy }),
    ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions }),
    ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
  },
})

const noRef: Partial<ObjectRef> = {}

/** Where a collection is looked at: lists and watches name no object. */
export const spaceOf = ({ namespace }: { readonly namespace?: string | undefined }): Partial<ObjectRef> =>
  namespace === undefined ? noRef : { namespace }

export const noOptions: ReadOptions = {}
