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

function objectOf(answered: ApiResponse): AnyObject {
  const response = throwFailure(answered)
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
const spaceOf = ({ namespace }: { readonly namespace?: string | undefined }): Partial<ObjectRef> =>
  namespace === undefined ? noRef : { namespace }

const noOptions: ReadOptions = {}

/** Light, since loops make one for each node in whose name they write. */
class HandlerClient implements Client {
  readonly #handler: ApiHandler
  readonly #caller: Caller
  readonly #ended: AbortSignal

  constructor(handler: ApiHandler, caller: Caller, ended: AbortSignal) {
    this.#handler = handler
    this.#caller = caller
    this.#ended = ended
  }

  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options: ReadOptions = noOptions): Promise<T> {
    return this.#send(look(draft('get', kind, this.#caller, ref), options), options) as unknown as Promise<T>
  }

  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = noOptions): Promise<ListResult<T>> {
    const request = look(draft('list', kind, this.#caller, spaceOf(options)), options)
    request.query = listQuery(options)
    const list = (await this.#send(request, options)) as unknown as {
      readonly items?: readonly T[]
      readonly metadata: { readonly resourceVersion?: string; readonly continue?: string }
    }
    const token = list.metadata.continue
    return {
      items: list.items ?? [],
      resourceVersion: list.metadata.resourceVersion ?? '',
      ...(token === undefined || token === '' ? {} : { continue: token }),
    }
  }

  async watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions = noOptions): Promise<WatchStream<T>> {
    const request = look(draft('watch', kind, this.#caller, spaceOf(options)), options)
    request.query = listQuery(options)
    const { body } = throwFailure(await this.#handler(request, options.signal ?? this.#ended))
    if (body.type !== 'watch') throw errorFromStatus({ message: 'the server did not answer with a watch' }, 500)
    return body.events as unknown as WatchStream<T>
  }

  create<T extends KubeObject>(kind: Kind<T>, object: T, options: WriteOptions = noOptions): Promise<T> {
    const request = draft('create', kind, this.#caller, spaceOf(object.metadata))
    if (options.subresource !== undefined) request.subresource = options.subresource
    return this.#write(request, object, options)
  }

  update<T extends KubeObject>(kind: Kind<T>, object: T, options: WriteOptions = noOptions): Promise<T> {
    return this.#update(kind, object, options, options.subresource)
  }

  updateStatus<T extends KubeObject>(kind: Kind<T>, object: T, options: WriteOptions = noOptions): Promise<T> {
    return this.#update(kind, object, options, 'status')
  }

  patch<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, patch: unknown, options: PatchOptions): Promise<T> {
    const request = look(draft('patch', kind, this.#caller, ref), options)
    if (options.subresource !== undefined) request.subresource = options.subresource
    request.query = writeQuery(options)
    request.body = { type: 'object', object: patch as object, contentType: options.type }
    return this.#send(request, options) as unknown as Promise<T>
  }

  apply<T extends KubeObject>(
    kind: Kind<T>,
    object: T,
    options: WriteOptions & { readonly force?: boolean },
  ): Promise<T> {
    const { namespace, name } = object.metadata
    const ref = { ...(namespace === undefined ? {} : { namespace }), name: name ?? '' }
    return this.patch(kind, ref, object, { ...options, type: 'application/apply-patch+yaml' })
  }

  delete(kind: Kind, ref: ObjectRef, options: DeleteOptions = noOptions): Promise<AnyObject> {
    const request = draft('delete', kind, this.#caller, ref)
    request.body = deleteBody(options)
    return this.#send(request, options)
  }

  async deleteCollection(kind: Kind, list: ListOptions, options: DeleteOptions = noOptions): Promise<void> {
    const request = draft('deletecollection', kind, this.#caller, spaceOf(list))
    request.query = listQuery(list)
    request.body = deleteBody(options)
    await this.#send(request, options)
  }

  createSubresource(
    kind: Kind,
    ref: ObjectRef,
    subresource: string,
    body: object,
    options: WriteOptions = noOptions,
  ): Promise<AnyObject> {
    const request = draft('create', kind, this.#caller, ref)
    request.subresource = subresource
    request.query = writeQuery(options)
    request.body = { type: 'object', object: body }
    return this.#send(request, options)
  }

  async request(request: Omit<ApiRequest, 'caller'>, signal: AbortSignal = this.#ended): Promise<ApiResponse> {
    return throwFailure(await this.#handler({ caller: this.#caller, ...request }, signal))
  }

  as(other: Partial<Caller>): Client {
    return new HandlerClient(this.#handler, { ...this.#caller, ...other }, this.#ended)
  }

  #update<T extends KubeObject>(
    kind: Kind<T>,
    object: T,
    options: WriteOptions,
    subresource: string | undefined,
  ): Promise<T> {
    const { name } = object.metadata
    const request = draft('update', kind, this.#caller, spaceOf(object.metadata))
    if (name !== undefined) request.name = name
    if (subresource !== undefined) request.subresource = subresource
    return this.#write(request, object, options)
  }

  #write<T extends KubeObject>(request: Draft, object: T, options: WriteOptions): Promise<T> {
    request.query = writeQuery(options)
    request.body = { type: 'object', object }
    return this.#send(look(request, options), options) as unknown as Promise<T>
  }

  #send(request: ApiRequest, { signal }: ReadOptions): Promise<AnyObject> {
    return this.#handler(request, signal ?? this.#ended).then(objectOf)
  }
}

/** A client that sends every request to `handler` in the name of `caller`; `ended` ends requests that bring no signal. */
export const createClient = (handler: ApiHandler, caller: Caller, ended: AbortSignal = never): Client =>
  new HandlerClient(handler, caller, ended)
