// Typed verbs over one ApiHandler: the only way in which loops, commands and pages speak to a cluster. Every failure is
// an ApiError. Knows no transport: `httpHandler` (HTTP) and the API server itself (in process) are both ApiHandlers.

import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Caller,
  errorFromStatus,
  type PatchType,
  type RequestBody,
  type Status,
  type Verb,
  type WatchStream,
} from '#api'
import type { Kind } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'

/** Names one object; `namespace` is left out for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: string
  readonly name: string
}

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Ask for metadata.managedFields too: they are made when asked for, and left out otherwise. */
  readonly managedFields?: boolean
}

export interface ListOptions extends ReadOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean
  readonly timeoutSeconds?: number
}

export interface WriteOptions extends ReadOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly subresource?: string
}

export interface PatchOptions extends WriteOptions {
  readonly type: PatchType
  /** Server-side apply only: take over fields that other managers own. */
  readonly force?: boolean
}

export interface DeleteOptions extends ReadOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

export interface ListResult<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continue?: string
}

export interface Client {
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: ReadOptions): Promise<T>
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ListResult<T>>
  watch<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): Promise<WatchStream<T>>
  create<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>
  update<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>
  /** `update` of the status subresource. */
  updateStatus<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>
  patch<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, patch: unknown, options: PatchOptions): Promise<T>
  /** Server-side apply. The answer is what was stored (or, in a dry run, what would have been). */
  apply<T extends KubeObject>(
    kind: Kind<T>,
    object: T,
    options: WriteOptions & { readonly force?: boolean },
  ): Promise<T>
  /** Answers the deleted object, the object still waiting for finalizers or grace, or a Status. */
  delete(kind: Kind, ref: ObjectRef, options?: DeleteOptions): Promise<AnyObject>
  deleteCollection(kind: Kind, list: ListOptions, options?: DeleteOptions): Promise<void>
  /** Creates on a subresource (`binding`, `eviction`, `token`). */
  createSubresource(
    kind: Kind,
    ref: ObjectRef,
    subresource: string,
    body: object,
    options?: WriteOptions,
  ): Promise<AnyObject>
  /** Any other request with this client's caller; the response is handed on, failures are thrown. */
  request(request: Omit<ApiRequest, 'caller'>, signal?: AbortSignal): Promise<ApiResponse>
  /** The same connection under another name. */
  as(caller: Partial<Caller>): Client
}

const never = new AbortController().signal

/** Throws the ApiError that a failure response carries; otherwise hands the response on. */
export function throwFailure(response: ApiResponse): ApiResponse {
  if (response.status < 400) return response
  const { body } = response
  if (body.type === 'object') throw errorFromStatus(body.object as unknown as Partial<Status>, response.status)
  throw errorFromStatus({ message: body.type === 'text' ? body.text : '' }, response.status)
}

function objectOf(response: ApiResponse): AnyObject {
  if (response.body.type !== 'object')
    throw errorFromStatus({ message: 'the server did not answer with an object' }, 500)
  return response.body.object
}

/** A request while it is being put together. */
type Draft = { -readonly [K in keyof ApiRequest]: ApiRequest[K] }

const draft = (verb: Verb, kind: Kind, caller: Caller, ref: Partial<ObjectRef>): Draft => {
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

const listQuery = (options: WatchOptions): Readonly<Record<string, string>> =>
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

const writeQuery = (options: WriteOptions & { readonly force?: boolean }): Readonly<Record<string, string>> => {
  const { dryRun, fieldManager, fieldValidation, force } = options
  // Loops write by the ten thousand, and plainly.
  if (dryRun !== true && fieldManager === undefined && fieldValidation === undefined && force === undefined)
    return noQuery
  return query({ dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation, force: text(force) })
}

const withManagedFields: NonNullable<ApiRequest['accept']> = { as: 'object', managedFields: true }

function look(request: Draft, options: ReadOptions): Draft {
  if (options.managedFields === true) request.accept = withManagedFields
  return request
}

const deleteBody = (options: DeleteOptions): RequestBody => ({
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
const spaceOf = ({ namespace }: ListOptions): Partial<ObjectRef> => (namespace === undefined ? noRef : { namespace })

/** A client that sends every request to `handler` in the name of `caller`; `ended` ends requests that bring no signal. */
export function createClient(handler: ApiHandler, caller: Caller, ended: AbortSignal = never): Client {
  const send = async (request: ApiRequest, signal: AbortSignal | undefined): Promise<AnyObject> =>
    objectOf(throwFailure(await handler(request, signal ?? ended)))

  const write = <T extends KubeObject>(verb: 'create' | 'update', kind: Kind<T>, object: T, options: WriteOptions) => {
    const { namespace, name } = object.metadata
    const request = draft(verb, kind, caller, namespace === undefined ? noRef : { namespace })
    if (verb === 'update' && name !== undefined) request.name = name
    if (options.subresource !== undefined) request.subresource = options.subresource
    request.query = writeQuery(options)
    request.body = { type: 'object', object }
    return send(look(request, options), options.signal) as unknown as Promise<T>
  }

  const client: Client = {
    get: <T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options: ReadOptions = {}) =>
      send(look(draft('get', kind, caller, ref), options), options.signal) as unknown as Promise<T>,
    async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}) {
      const request = look(draft('list', kind, caller, spaceOf(options)), options)
      request.query = listQuery(options)
      const list = (await send(request, options.signal)) as unknown as {
        readonly items?: readonly T[]
        readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
      }
      const token = list.metadata.continue
      return {
        items: list.items ?? [],
        resourceVersion: list.metadata.resourceVersion ?? '',
        ...(token === undefined || token === '' ? {} : { continue: token }),
      }
    },
    async watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions = {}) {
      const request = look(draft('watch', kind, caller, spaceOf(options)), options)
      request.query = listQuery(options)
      const { body } = throwFailure(await handler(request, options.signal ?? ended))
      if (body.type !== 'watch') throw errorFromStatus({ message: 'the server did not answer with a watch' }, 500)
      return body.events as unknown as WatchStream<T>
    },
    create: (kind, object, options = {}) => write('create', kind, object, options),
    update: (kind, object, options = {}) => write('update', kind, object, options),
    updateStatus: (kind, object, options = {}) => write('update', kind, object, { ...options, subresource: 'status' }),
    patch<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, patch: unknown, options: PatchOptions) {
      const request = look(draft('patch', kind, caller, ref), options)
      if (options.subresource !== undefined) request.subresource = options.subresource
      request.query = writeQuery(options)
      request.body = { type: 'object', object: patch as object, contentType: options.type }
      return send(request, options.signal) as unknown as Promise<T>
    },
    apply(kind, object, options) {
      const { namespace, name } = object.metadata
      const ref = { ...(namespace === undefined ? {} : { namespace }), name: name ?? '' }
      return client.patch(kind, ref, object, { ...options, type: 'application/apply-patch+yaml' })
    },
    delete(kind, ref, options = {}) {
      const request = draft('delete', kind, caller, ref)
      request.body = deleteBody(options)
      return send(request, options.signal)
    },
    async deleteCollection(kind, list, options = {}) {
      const request = draft('deletecollection', kind, caller, spaceOf(list))
      request.query = listQuery(list)
      request.body = deleteBody(options)
      await send(request, options.signal)
    },
    createSubresource(kind, ref, subresource, body, options = {}) {
      const request = draft('create', kind, caller, ref)
      request.subresource = subresource
      request.query = writeQuery(options)
      request.body = { type: 'object', object: body }
      return send(request, options.signal)
    },
    request: async (request, signal = ended) => throwFailure(await handler({ ...request, caller }, signal)),
    as: (other) => createClient(handler, { ...caller, ...other }, ended),
  }
  return client
}
