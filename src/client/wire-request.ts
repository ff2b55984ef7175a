// How an ApiRequest looks on the wire: method, path, headers and body of the Kubernetes API.

import type { ApiRequest, PatchType, Representation, RequestBody, ResourceRef, Verb } from '#api'

export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const methods: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** Method, and path with query. */
export const wireTarget = (request: ApiRequest): Pick<WireRequest, 'method' | 'target'> => ({
  method: methods[request.verb],
  target: `${request.path ?? resourcePath(request)}${queryText(request.verb, request.query)}`,
})

export function wireRequest(request: ApiRequest): WireRequest {
  const { body, accept, caller } = request
  const sent = body === undefined ? undefined : wireBody(body)
  return {
    ...wireTarget(request),
    headers: {
      accept: acceptHeader(accept),
      'user-agent': caller.userAgent,
      ...(sent === undefined
        ? {}
        : { 'content-type': sent.contentType, 'content-length': String(Buffer.byteLength(sent.text)) }),
    },
    ...(sent === undefined ? {} : { body: sent.text }),
  }
}

function resourcePath({ resource, namespace, name, subresource }: ApiRequest): string {
  if (resource === undefined) return '/'
  const parts = [rootOf(resource)]
  if (namespace !== undefined && namespace !== '') parts.push('namespaces', encodeURIComponent(namespace))
  parts.push(resource.resource)
  if (name !== undefined && name !== '') parts.push(encodeURIComponent(name))
  if (subresource !== undefined) parts.push(...subresource.split('/').map(encodeURIComponent))
  return parts.join('/')
}

const rootOf = ({ group, version }: ResourceRef): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

function queryText(verb: Verb, query: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams(query)
  if (verb === 'watch') params.set('watch', 'true')
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Managed fields always come over the wire; whoever did not ask for them takes them off. */
function acceptHeader(accept: Representation | undefined): string {
  if (accept?.aggregatedDiscovery !== undefined)
    return `application/json;g=apidiscovery.k8s.io;v=${accept.aggregatedDiscovery};as=APIGroupDiscoveryList,application/json`
  if (accept === undefined || accept.as === 'object') return 'application/json'
  const as = accept.as === 'table' ? 'Table' : 'PartialObjectMetadata'
  return `application/json;as=${as};v=${accept.metaVersion ?? 'v1'};g=meta.k8s.io,application/json`
}

function wireBody(body: RequestBody): { readonly text: string; readonly contentType: string } {
  if (body.type === 'text') return { text: body.text, contentType: body.contentType }
  const contentType: PatchType | 'application/json' = body.contentType ?? 'application/json'
  return { text: JSON.stringify(body.object), contentType }
}
