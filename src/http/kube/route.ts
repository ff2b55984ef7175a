// What a URL and a method ask for: the path rules of Kubernetes' RequestInfo. Pure; knows only the shapes of paths, not
// which resources exist: that, and what of it is allowed, the API server says.

import type { ApiRequest, Verb } from '#api'

export type Target = Pick<ApiRequest, 'verb' | 'resource' | 'namespace' | 'name' | 'subresource' | 'path' | 'query'>

export type Route =
  | { readonly type: 'request'; readonly target: Target }
  /** The shape of the path has no such method, whatever the resource. */
  | { readonly type: 'methodNotAllowed' }
  /** No API path has this shape, or it is wrongly encoded. */
  | { readonly type: 'notFound' }

const verbOfMethod: Readonly<Record<string, Verb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Subresources of Namespace; any other third segment is a resource within the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

/** `url` is the request line's target: path and query. */
export function routeOf(method: string, url: string): Route {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? {} : parseQuery(url.slice(mark + 1))
  const verb = verbOfMethod[method]
  if (verb === undefined) return { type: 'methodNotAllowed' }
  const [own, within] = splitProxy(path)
  const segments = decodeSegments(own)
  if (segments === undefined) return { type: 'notFound' }
  if (within !== undefined)
    return routeProxy(verb, segments, { within, query, search: mark < 0 ? '' : url.slice(mark) })
  const group = groupOf(segments)
  if (group === undefined) return { type: 'request', target: { verb, path, query } }
  return routeResource(method, verb, { ...group, query })
}

const proxied = /^(\/api\/v1\/(?:namespaces\/[^/]+\/(?:pods|services)|nodes)\/[^/]+\/proxy)(\/.*)?$/

/** What is asked of a proxy, and what of whoever is behind it: a path with rules of its own. */
function splitProxy(path: string): readonly [string, string?] {
  const [, own, within = ''] = proxied.exec(path) ?? []
  return own === undefined ? [path] : [own, within]
}

function routeProxy(
  verb: Verb,
  segments: readonly string[],
  { within, query, search }: Pick<ResourcePath, 'query'> & { readonly within: string; readonly search: string },
): Route {
  const place = placeOf(segments.slice(2))
  if (place === undefined) return { type: 'notFound' }
  const { resource, ...item } = place
  const path = within === '' ? '' : `${within}${search}`
  return { type: 'request', target: { verb, resource: { group: '', version: 'v1', resource }, ...item, path, query } }
}

interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly rest: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Splits off `/api/v1` or `/apis/GROUP/VERSION`; undefined when nothing follows, which is discovery or no API path. */
function groupOf(segments: readonly string[]): Omit<ResourcePath, 'query'> | undefined {
  const [first, second = '', third = ''] = segments
  if (first === 'api' && segments.length > 2) return { group: '', version: second, rest: segments.slice(2) }
  if (first === 'apis' && segments.length > 3) return { group: second, version: third, rest: segments.slice(3) }
  return undefined
}

function routeResource(method: string, verb: Verb, { group, version, rest, query }: ResourcePath): Route {
  const oldWatch = rest[0] === 'watch' && rest.length > 1
  const parts = placeOf(oldWatch ? rest.slice(1) : rest)
  if (parts === undefined) return { type: 'notFound' }
  const { namespace, resource, name, subresource } = parts
  const place = {
    resource: { group, version, resource },
    ...(namespace === undefined ? {} : { namespace }),
    query,
  }
  // Only what proxies lead to can be asked for its head.
  if (method === 'HEAD' || (oldWatch && (method !== 'GET' || subresource !== undefined)))
    return { type: 'methodNotAllowed' }
  if (oldWatch) {
    const watched = { ...(name === undefined ? {} : { name }), query: { ...query, watch: 'true' } }
    return { type: 'request', target: { verb: 'watch', ...place, ...watched } }
  }
  if (name === undefined) {
    if (verb === 'update' || verb === 'patch') return { type: 'methodNotAllowed' }
    return { type: 'request', target: { verb: collectionVerb(verb, query), ...place } }
  }
  if (verb === 'create' && subresource === undefined) return { type: 'methodNotAllowed' }
  const item = { name, ...(subresource === undefined ? {} : { subresource }) }
  return { type: 'request', target: { verb, ...place, ...item } }
}

interface Place {
  readonly namespace?: string
  readonly resource: string
  readonly name?: string
  readonly subresource?: string
}

function placeOf(rest: readonly string[]): Place | undefined {
  const [first = '', second, third] = rest
  if (first === 'namespaces' && second !== undefined && third !== undefined && !namespaceSubresources.has(third)) {
    const place = itemOf(rest.slice(2))
    return place === undefined ? undefined : { namespace: second, ...place }
  }
  return itemOf(rest)
}

function itemOf(parts: readonly string[]): Place | undefined {
  const [resource = '', name, subresource] = parts
  if (parts.length > 3) return undefined
  return {
    resource,
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function collectionVerb(verb: Verb, query: Readonly<Record<string, string>>): Verb {
  if (verb === 'delete') return 'deletecollection'
  if (verb !== 'get') return verb
  return isTrue(query['watch']) ? 'watch' : 'list'
}

/** As Go's conversion of query parameters: anything but an absent or false-like value is true. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}

/** Path segments without the percent encoding; a slash at the end is left out. */
function decodeSegments(path: string): readonly string[] | undefined {
  const raw = path.split('/').slice(1)
  if (raw.at(-1) === '') raw.pop()
  try {
    const segments = raw.map(decodeURIComponent)
    return segments.includes('') ? undefined : segments
  } catch {
    return undefined
  }
}

/** Parameters that may be repeated: all their values count. */
const lists = ['command', 'dryRun', 'exclude']

/** Query parameters; of repeated ones the first counts, of lists all, with NULs between. */
function parseQuery(text: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(text)) {
    const earlier = Object.hasOwn(query, key) ? query[key] : undefined
    if (earlier === undefined) query[key] = value
    else if (lists.includes(key)) query[key] = `${earlier}\0${value}`
  }
  return query
}
