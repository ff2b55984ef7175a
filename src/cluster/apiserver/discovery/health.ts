// /healthz, /livez and /readyz: one check a line. Everything is in one process, so what answers at all is healthy.

import type { ApiResponse } from '#api'

/** What a kube-apiserver does once it has started, in the order in which it tells of it. */
const hooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-wait-for-first-sync',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
]

const started = [
  ...hooks.map((hook) => `poststarthook/${hook}`),
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
]

const live = ['ping', 'log', 'etcd', ...started]

/** The checks of each endpoint. */
const checksOf: Readonly<Record<string, readonly string[]>> = {
  healthz: live,
  livez: live,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...started, 'shutdown'],
}

/** The paths of all endpoints and checks. */
export const healthPaths: readonly string[] = Object.entries(checksOf).flatMap(([endpoint, checks]) =>
  ['', ...checks.map((check) => `/${check}`)].map((path) => `/${endpoint}${path}`),
)

const noSniff = { 'x-content-type-options': 'nosniff' }

const text = (body: string, headers?: Readonly<Record<string, string>>): ApiResponse => ({
  status: 200,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: body },
  ...(headers === undefined ? {} : { headers }),
})

/** Undefined for a check that does not exist. */
export function health(path: string, query: Readonly<Record<string, string>>): ApiResponse | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  const checks = checksOf[endpoint] ?? []
  if (rest.length > 0) return checks.includes(rest.join('/')) ? text('ok') : undefined
  return text(query['verbose'] === undefined ? 'ok' : report(endpoint, checks, query['exclude']), noSniff)
}

/** `exclude` are the names of checks to leave out, with NULs between. */
function report(endpoint: string, checks: readonly string[], exclude: string | undefined): string {
  const excluded = new Set(exclude?.split('\0'))
  const lines = checks.map((check) => (excluded.has(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`))
  const unknown = [...excluded].filter((name) => !checks.includes(name)).sort()
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(',')
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`)
  }
  return [...lines, `${endpoint} check passed`, ''].join('\n')
}
