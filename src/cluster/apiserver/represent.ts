// How an answer looks: the stored object in the version that was asked for, with managedFields only on request, as a
// Table or as metadata alone. In-process callers get the stored object itself.

import type { ApiResponse, Elements, Representation, ResponseBody } from '#api'
import type { Column } from '#kinds'
import type { AnyObject } from '#objects'
import { internalPackage } from './body-type.ts'
import { notAcceptable, plainError } from './errors.ts'
import type { ListMeta } from './list-meta.ts'
import type { ManagedChain } from './managed.ts'
import type { Scope } from './scope.ts'
import { errorKind, fromStored, ruledForm, type Served, shown } from './served.ts'
import { type Soon, whenDone } from './soon.ts'
import { objectTable, otherTable, type Row, tableElements } from './table.ts'

/** A version of an object with what makes its managedFields. */
export interface Version {
  readonly value: AnyObject
  readonly managed: ManagedChain
}

/** The object as its version is served, with managedFields if `accept` wants them. */
export function served(resource: Served, version: Version, accept: Representation | undefined): AnyObject {
  const object = fromStored(resource, version.value)
  return accept?.managedFields === true ? shownWithFields(object, version.managed) : object
}

/** One for all readers and watchers of a version. */
const withFields = new WeakMap<AnyObject, { readonly managed: ManagedChain; readonly object: AnyObject }>()

function shownWithFields(object: AnyObject, managed: ManagedChain): AnyObject {
  const known = withFields.get(object)
  if (known?.managed === managed) return known.object
  const made = withManagedFields(object, managed)
  withFields.set(object, { managed, object: made })
  return made
}

export function withManagedFields(object: AnyObject, managed: ManagedChain): AnyObject {
  const managedFields = managed.entries()
  return managedFields.length === 0 ? object : { ...object, metadata: { ...object.metadata, managedFields } }
}

const metaApiVersion = (accept: Representation): string => `meta.k8s.io/${accept.metaVersion ?? 'v1'}`

export const partialObject = (object: AnyObject, accept: Representation): AnyObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: metaApiVersion(accept),
  metadata: object.metadata,
})

/** Metadata of one object cannot be asked for of a list, nor the other way round. */
function checkForm({ served }: Scope, { ofList }: Representation, isList: boolean): void {
  if (ofList === undefined || ofList === isList) return
  const { group, kind } = errorKind(served, { kind: served.info.kind } as AnyObject)
  if (served.custom !== undefined && !isList) throw plainError('content is not a list')
  const type = served.custom !== undefined ? 'unstructured.Unstructured' : `${internalPackage(group)}.${kind}`
  const [asked, is] = isList ? ['', `a list (*${type}List)`] : ['List', `not a list (*${type})`]
  throw notAcceptable(`you requested PartialObjectMetadata${asked}, but the requested object is ${is}`)
}

/** Answers one object. */
export function respond(scope: Scope, status: number, version: Version): Soon<ApiResponse> {
  const { served } = scope
  if (served.conversion?.ask === undefined) return answer(scope, status, objectBody(scope, version))
  return whenDone(shown(served, version.value), () => answer(scope, status, objectBody(scope, version)))
}

/** Answers an object of another kind that can be looked at as the resource's own can, with columns of its own: Scale. */
export function respondOther(scope: Scope, object: AnyObject, columns?: readonly Column<AnyObject>[]): ApiResponse {
  const { accept } = scope.request
  if (accept?.as === 'partial') return respondPlain(scope, 200, partialObject(object, accept))
  return respondPlain(scope, 200, accept?.as === 'table' ? otherTable(scope, object, { accept, columns }) : object)
}

/** Answers an object that is not the resource's own kind: Status, TokenRequest. */
export function respondPlain(scope: Scope, status: number, object: object): ApiResponse {
  return answer(scope, status, { type: 'object', object: object as AnyObject })
}

/** An object that is turned into the version that was asked for only if somebody looks at it. */
class ConvertedBody {
  readonly type = 'object'
  readonly #resource: Served
  readonly #version: Version
  #object: AnyObject | undefined

  constructor(resource: Served, version: Version) {
    this.#resource = resource
    this.#version = version
  }

  get object(): AnyObject {
    this.#object ??= served(this.#resource, this.#version, undefined)
    return this.#object
  }
}

function objectBody(scope: Scope, version: Version): ResponseBody {
  const { accept } = scope.request
  if (accept === undefined && scope.served.conversion !== undefined) return new ConvertedBody(scope.served, version)
  const object = served(scope.served, version, accept)
  if (accept === undefined || accept.as === 'object') return { type: 'object', object }
  if (accept.as === 'partial') {
    checkForm(scope, accept, false)
    return { type: 'object', object: partialObject(object, accept) }
  }
  return { type: 'object', object: objectTable(scope, rowOf(scope, version, object), accept) }
}

const rowOf = (scope: Scope, version: Version, object: AnyObject): Row => ({
  object,
  ruled: ruledForm(scope.served, version.value),
})

function answer(scope: Scope, status: number, body: ResponseBody): ApiResponse {
  const { warnings } = scope
  return warnings === undefined ? { status, body } : { status, body, warnings }
}

/** Items of built-in lists say neither kind nor apiVersion on the wire; the list says it for all. */
const withoutType = (object: AnyObject): AnyObject => {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object
  return rest as unknown as AnyObject
}

/** A list whose elements are made when somebody reads them: managed fields and rows of thousands of objects take seconds. */
class ListBody {
  readonly type = 'object'
  readonly elements: Elements
  #object: AnyObject | undefined

  constructor(elements: Elements) {
    this.elements = elements
  }

  get object(): AnyObject {
    const { head, key, each } = this.elements
    this.#object ??= { ...head, [key]: [...each()] } as unknown as AnyObject
    return this.#object
  }
}

/** Answers a list. */
export function respondList(scope: Scope, versions: readonly Version[], meta: ListMeta): ApiResponse {
  const { accept } = scope.request
  const resource = scope.served
  const kind = resource.custom?.listKind ?? `${resource.info.kind}List`
  const { apiVersion } = resource
  if (accept === undefined) {
    const items = versions.map((version) => served(resource, version, accept))
    return answer(scope, 200, {
      type: 'object',
      object: { kind, apiVersion, metadata: meta, items } as unknown as AnyObject,
    })
  }
  if (accept.as === 'table') {
    const row = (version: Version): Row => rowOf(scope, version, served(resource, version, accept))
    const { rowOrder } = resource.strategy
    const ordered = rowOrder === undefined ? versions : [...versions].sort((a, b) => rowOrder(a.value, b.value))
    return answer(scope, 200, new ListBody(tableElements(scope, mapped(ordered, row), { meta, accept })))
  }
  if (accept.as === 'partial') {
    checkForm(scope, accept, true)
    const head = { kind: 'PartialObjectMetadataList', apiVersion: metaApiVersion(accept), metadata: meta }
    const each = mapped(versions, (version) => partialObject(served(resource, version, accept), accept))
    return answer(scope, 200, new ListBody({ head, key: 'items', each }))
  }
  const metadata = resource.custom === undefined ? meta : { continue: '', ...meta }
  const item = (version: Version): AnyObject => {
    const object = served(resource, version, accept)
    return resource.custom === undefined ? withoutType(object) : object
  }
  return answer(
    scope,
    200,
    new ListBody({ head: { kind, apiVersion, metadata }, key: 'items', each: mapped(versions, item) }),
  )
}

const mapped = <A, B>(from: readonly A[], make: (value: A) => B): (() => Iterable<B>) =>
  function* each() {
    for (const value of from) yield make(value)
  }
