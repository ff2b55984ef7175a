// /healthz, /livez and /readyz: one check a line. Everything is in one process, so what answers at all is healthy.

import type { ApiResponse } from '#api'

const checks = [
  'ping',
  'log',
  'etcd',
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/bootstrap-controller',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
]

const noSniff = { 'x-content-type-options': 'nosniff' }

const text = (body: string, headers?: Readonly<Record<string, string>>): ApiResponse => ({
  status: 200,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: body },
  ...(headers === undefined ? {} : { headers }),
})

/** Undefined for a check that does not exist. */
export function health(path: string, query: Readonly<Record<string, string>>): ApiResponse | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  if (rest.length === 0 || rest.join('/') === '') {
    if (query['verbose'] === undefined) return text('ok', noSniff)
    const excluded = query['exclude']
    const lines = checks.map((check) => (check === excluded ? `[+]${check} excluded: ok` : `[+]${check} ok`))
    return text([...lines, `${endpoint} check passed`, ''].join('\n'), noSniff)
  }
  return checks.includes(rest.join('/')) ? text('ok') : undefined
}
