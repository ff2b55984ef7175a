// Paths and methods to requests, by a table.
import { describe, expect, it } from 'vitest'
import { routeOf } from './route.ts'

function brief(method: string, url: string): string {
  const route = routeOf(method, url)
  if (route.type !== 'request') return route.type
  const { verb, resource, namespace, name, subresource, path, query } = route.target
  const where = resource === undefined ? `path ${path}` : `${resource.group}/${resource.version}/${resource.resource}`
  const parts = [
    verb,
    where,
    namespace && `ns=${namespace}`,
    name && `name=${name}`,
    subresource && `sub=${subresource}`,
    resource !== undefined && path !== undefined && `path=${path}`,
  ]
  return [...parts.filter(Boolean), Object.keys(query ?? {}).length > 0 ? JSON.stringify(query) : ''].join(' ').trim()
}

describe('routeOf', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list /v1/pods'],
    ['GET', '/api/v1/namespaces/a/pods', 'list /v1/pods ns=a'],
    ['GET', '/api/v1/namespaces/a/pods/', 'list /v1/pods ns=a'],
    ['GET', '/api/v1/namespaces/a/pods?watch=1', 'watch /v1/pods ns=a {"watch":"1"}'],
    ['GET', '/api/v1/namespaces/a/pods?watch=false', 'list /v1/pods ns=a {"watch":"false"}'],
    ['GET', '/api/v1/namespaces/a/pods/p?watch=1', 'get /v1/pods ns=a name=p {"watch":"1"}'],
    ['HEAD', '/api/v1/namespaces/a/pods/p', 'methodNotAllowed'],
    ['HEAD', '/api/v1/namespaces/a/pods/p/proxy', 'get /v1/pods ns=a name=p sub=proxy path='],
    ['GET', '/api/v1/namespaces/a/pods/p/log?container=c', 'get /v1/pods ns=a name=p sub=log {"container":"c"}'],
    ['GET', '/api/v1/namespaces', 'list /v1/namespaces'],
    ['GET', '/api/v1/namespaces/a', 'get /v1/namespaces name=a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update /v1/namespaces name=a sub=finalize'],
    ['PATCH', '/api/v1/namespaces/a/status', 'patch /v1/namespaces name=a sub=status'],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create apps/v1/deployments ns=a'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection apps/v1/deployments ns=a'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/d', 'delete apps/v1/deployments ns=a name=d'],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/d/scale', 'update apps/v1/deployments ns=a name=d sub=scale'],
    ['POST', '/api/v1/namespaces/a/pods/p/eviction', 'create /v1/pods ns=a name=p sub=eviction'],
    ['GET', '/api/v1/namespaces/a/pods/p:80/proxy', 'get /v1/pods ns=a name=p:80 sub=proxy path='],
    [
      'POST',
      '/api/v1/namespaces/a/services/http:s:web/proxy/',
      'create /v1/services ns=a name=http:s:web sub=proxy path=/',
    ],
    [
      'GET',
      '/api/v1/namespaces/a/pods/p/proxy/x//y%2Fz/?q=1',
      'get /v1/pods ns=a name=p sub=proxy path=/x//y%2Fz/?q=1 {"q":"1"}',
    ],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%2Fb',
      'get rbac.authorization.k8s.io/v1/clusterroles name=system:a/b',
    ],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch /v1/pods ns=a {"watch":"true"}'],
    ['GET', '/api/v1/watch/namespaces/a/pods/p', 'watch /v1/pods ns=a name=p {"watch":"true"}'],
    ['GET', '/api', 'get path /api'],
    ['GET', '/api/v1', 'get path /api/v1'],
    ['GET', '/apis/apps/v1', 'get path /apis/apps/v1'],
    ['GET', '/openapi/v3/apis/apps/v1?hash=1', 'get path /openapi/v3/apis/apps/v1 {"hash":"1"}'],
    ['GET', '/version', 'get path /version'],
    ['GET', '/', 'get path /'],
    ['POST', '/api/v1/namespaces/a/configmaps/x', 'methodNotAllowed'],
    ['PUT', '/api/v1/namespaces/a/configmaps', 'methodNotAllowed'],
    ['PATCH', '/api/v1/namespaces/a/configmaps', 'methodNotAllowed'],
    ['OPTIONS', '/api/v1/pods', 'methodNotAllowed'],
    ['GET', '/api/v1/namespaces/a/pods/p/log/more', 'notFound'],
    ['GET', '/api/v1/namespaces/%zz/pods', 'notFound'],
    ['GET', '/api/v1//pods', 'notFound'],
    [
      'DELETE',
      '/api/v1/namespaces/a/pods/p?dryRun=All&dryRun=x&limit=1&limit=2',
      'delete /v1/pods ns=a name=p {"dryRun":"All\\u0000x","limit":"1"}',
    ],
  ])('%s %s', (method, url, expected) => {
    expect(brief(method, url)).toBe(expected)
  })
})
