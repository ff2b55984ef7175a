// Typed verbs over one ApiHandler: the only way in which loops, commands and pages speak to a cluster. Every failure is
// an ApiError. Knows no transport: `httpHandler` (HTTP) and the API server itself (in process) are both ApiHandlers.

import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type Caller,
  errorFromStatus,
  type Status,
  type WatchStream,
} from '#api'
import type { Kind } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import { type Draft, deleteBody, draft, listQuery, look, noOptions, spaceOf, writeQuery } from './draft.ts'
import type {
  DeleteOptions,
  ListOptions,
  ObjectRef,
  PatchOptions,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts'

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

/** Some refusals come as an answer: an eviction that two budgets have a word in. */
const tellsFailure = ({ status, body }: ApiResponse): boolean =>
  status === 201 && body.type === 'object' && body.object.kind === 'Status' && body.object['status'] === 'Failure'

/** Throws the ApiError that a failure response carries; otherwise hands the response on. */
export function throwFailure(response: ApiResponse): ApiResponse {
  const { body } = response
  if (response.status < 400 && !tellsFailure(response)) return response
  if (body.type === 'object') throw errorFromStatus(body.object as unknown as Partial<Status>, response.status)
  throw errorFromStatus({ message: body.type === 'text' ? body.text : '' }, response.status)
}

function objectOf(answered: ApiResponse): AnyObject {
  const response = throwFailure(answered)
  if (response.body.type !== 'object')
    throw errorFromStatus({ message: 'the server did not answer with an object' }, 500)
  return response.body.object
}

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
