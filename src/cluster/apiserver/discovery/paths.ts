// Requests that are not for a resource: discovery, version, health, OpenAPI and the service account issuer.

import type { ApiRequest, ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import type { Core } from '../core.ts'
import { methodNotAllowed, noSuchPath } from '../errors.ts'
import { openApi } from '../openapi/documents.ts'
import { ownAddress } from '../own-service.ts'
import { aggregatedDiscovery, aggregatedHeaders } from './aggregated.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './documents.ts'
import { health, healthPaths } from './health.ts'
import { issuerDocument, issuerPaths } from './issuer.ts'
import { serverVersion } from './version.ts'

const isHealth = /^\/(healthz|livez|readyz)(\/|$)/

/** Answers a request by its path. Throws what shall become a Status. */
export async function answerPath(core: Core, request: ApiRequest): Promise<ApiResponse> {
  const path = (request.path ?? '/').replace(/(.)\/+$/, '$1')
  if (request.verb !== 'get') throw methodNotAllowed()
  if (isHealth.test(path)) return health(path, request.query ?? {}) ?? pageNotFound
  if (path.startsWith('/openapi/')) return (await openApi(core, path, request)) ?? pageNotFound
  const ofIssuer = issuerDocument(core, path)
  if (ofIssuer !== undefined) return ofIssuer
  const document = documentAt(core, path, request)
  if (document === undefined) {
    const [, root, group = ''] = path.split('/')
    if (root === 'api') throw noSuchPath('')
    if (root === 'apis' && group !== '') throw noSuchPath(group)
    return pageNotFound
  }
  const object = document as AnyObject
  const headers = object.kind === 'APIGroupDiscoveryList' ? aggregatedHeaders(object) : {}
  return { status: 200, headers, body: { type: 'object', object } }
}

export const pageNotFound: ApiResponse = {
  status: 404,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: '404 page not found\n' },
}

function documentAt(core: Core, path: string, request: ApiRequest): object | undefined {
  const { registry } = core
  const aggregated = request.accept?.aggregatedDiscovery
  const [, root, ...rest] = path.split('/')
  if (path === '/version') return serverVersion
  if (path === '/') return { paths: rootPaths(core) }
  if (root === 'api') {
    if (rest.length === 0)
      return aggregated === undefined
        ? apiVersions(request.reachedAt ?? ownAddress)
        : aggregatedDiscovery(registry, true, aggregated)
    return rest.length === 1 ? apiResourceList(registry, '', rest[0] ?? '') : undefined
  }
  if (root !== 'apis') return undefined
  const [group = '', version = ''] = rest
  if (rest.length === 0)
    return aggregated === undefined ? apiGroupList(registry) : aggregatedDiscovery(registry, false, aggregated)
  if (rest.length === 1) return apiGroup(registry, group)
  return rest.length === 2 && group !== '' ? apiResourceList(registry, group, version) : undefined
}

const fixedPaths = [
  '/api',
  '/api/v1',
  '/apis',
  '/apis/',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/version',
  '/version/',
]

function rootPaths({ registry }: Core): readonly string[] {
  const paths = new Set([...fixedPaths, ...issuerPaths, ...healthPaths])
  for (const { info } of registry.all()) {
    if (info.group === '') continue
    paths.add(`/apis/${info.group}`)
    paths.add(`/apis/${info.group}/${info.version}`)
  }
  return [...paths].sort()
}
