// HTTP through the API server: `pods/NAME:PORT/proxy/PATH` and `services/NAME:PORT/proxy/PATH`, answered by the pod's simulated
// server. A service is resolved by its EndpointSlices to a pod that is ready.

import { ApiError, type ApiResponse } from '#api'
import { type EndpointSlice, type Pod, readyBackends, type Service } from '#kinds'
import type { AnyObject } from '#objects'
import { admitBody } from '../admit.ts'
import { badRequest } from '../errors.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'
import { connectionOf, notListening } from './node-requests.ts'

const defaultPorts = { http: 80, https: 443 } as const

interface Address {
  readonly scheme: keyof typeof defaultPorts
  readonly name: string
  /** Empty: whichever is the usual one. */
  readonly port: string
}

/** `[SCHEME:]NAME[:PORT]`, as whoever asks names what is behind the proxy. */
function addressOf(scope: Scope, what: string): Address {
  const parts = scope.name.split(':')
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme ?? ''))
    throw badRequest(`invalid ${what} request ${JSON.stringify(scope.name)}`)
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port }
}

export async function proxyPod(scope: Scope): Promise<ApiResponse> {
  const { scheme, name, port } = addressOf(scope, 'pod')
  const about = scope.about(scope.namespace, name)
  const pod = existing(about).value as unknown as Pod
  await admitBody(about, 'CONNECT', connectionOf(about))
  if ((pod.status?.podIP ?? '') === '') throw badRequest('address not allowed')
  const declared = pod.spec.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const number = port === '' ? (declared ?? defaultPorts[scheme]) : Number(port)
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw badRequest(`invalid pod request ${JSON.stringify(scope.name)}`)
  return exchange(scope, pod, number)
}

export async function proxyService(scope: Scope): Promise<ApiResponse> {
  const { name, port } = addressOf(scope, 'service')
  const about = scope.about(scope.namespace, name)
  const service = existing(about).value as unknown as Service
  await admitBody(about, 'CONNECT', connectionOf(about))
  const { options, store } = scope.core
  const prefix = `${scope.namespace ?? ''}/`
  const slices = store.list('endpointslices.discovery.k8s.io', { prefix }).entries.map(({ value }) => value)
  const of = { service: name, port: portNameOf(service, port) }
  const backends = readyBackends(slices as unknown as readonly EndpointSlice[], of)
  const backend = backends[options.world.random.int(Math.max(backends.length, 1))]
  if (backend === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  const pod = backend.pod === undefined ? undefined : store.get('pods', `${prefix}${backend.pod}`)?.value
  if (pod === undefined) throw unavailable(`error trying to reach service: no network leads to ${backend.address}`)
  return exchange(scope, pod as unknown as Pod, backend.port)
}

/** The name of the service's port; ports are asked for by name or number, and need not be when there is but one. */
function portNameOf({ metadata, spec }: Service, asked: string): string {
  const ports = spec.ports ?? []
  const port = asked === '' && ports.length === 1 ? ports[0] : ports.find((one) => isCalled(one, asked))
  if (port !== undefined) return port.name ?? ''
  if (asked === '') return ''
  throw unavailable(`no service port ${JSON.stringify(asked)} found for service ${JSON.stringify(metadata.name)}`)
}

const isCalled = ({ name, port }: { readonly name?: string; readonly port: number }, asked: string): boolean =>
  (name ?? '') === asked || String(port) === asked

async function exchange(scope: Scope, pod: Pod, port: number): Promise<ApiResponse> {
  const { path = '', verb } = scope.request
  if (path === '') return toFolder(scope)
  const request = scope.core.options.nodeGateway?.request
  if (request === undefined) throw notListening(pod.spec.nodeName)
  try {
    const question = { port, method: methods[verb] ?? 'GET', url: path }
    const { status, ...body } = await request(pod as unknown as AnyObject, question, scope.signal)
    return { status, body: { type: 'text', ...body } }
  } catch (error) {
    throw unavailable(`error trying to reach service: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const methods: Readonly<Record<string, string>> = {
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
}

/** Pages behind a proxy name each other by relative paths: their root must end with a slash. */
function toFolder({ request: { resource, namespace, name } }: Scope): ApiResponse {
  const location = `/api/v1/namespaces/${namespace}/${resource?.resource}/${name}/proxy/`
  return { status: 301, headers: { location }, body: { type: 'text', contentType: 'text/plain', text: '' } }
}

const unavailable = (message: string): ApiError => new ApiError({ code: 503, reason: 'ServiceUnavailable', message })
