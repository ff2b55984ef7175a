// HTTP through the API server: `pods/NAME:PORT/proxy/PATH` and `services/NAME:PORT/proxy/PATH`, answered by the pod's simulated
// server. A service is resolved by its EndpointSlices to a pod that is ready.

import type { ApiResponse } from '#api'
import type { Pod, Service } from '#kinds'
import { badRequest } from '../errors.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'
import { backendOf, exchange, type PodPort, unavailable } from '../service-backend.ts'
import { admitConnection } from './node-requests.ts'

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
  await admitConnection(scope)
  const pod = existing(about).value as unknown as Pod
  if ((pod.status?.podIP ?? '') === '') throw badRequest('address not allowed')
  const declared = pod.spec.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const number = port === '' ? (declared ?? defaultPorts[scheme]) : Number(port)
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw badRequest(`invalid pod request ${JSON.stringify(scope.name)}`)
  return answer(scope, { pod, port: number })
}

export async function proxyService(scope: Scope): Promise<ApiResponse> {
  const { name, port } = addressOf(scope, 'service')
  const about = scope.about(scope.namespace, name)
  await admitConnection(scope)
  const service = existing(about).value as unknown as Service
  const of = { namespace: scope.namespace ?? '', service: name, port: portNameOf(service, port) }
  return answer(scope, backendOf(scope.core, of))
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

function answer(scope: Scope, backend: PodPort): ApiResponse | Promise<ApiResponse> {
  const { path = '', verb } = scope.request
  return path === '' ? toFolder(scope) : exchange(scope.core, backend, { verb, url: path }, scope.signal)
}

/** Pages behind a proxy name each other by relative paths: their root must end with a slash. */
function toFolder({ request: { resource, namespace, name } }: Scope): ApiResponse {
  const location = `/api/v1/namespaces/${namespace}/${resource?.resource}/${name}/proxy/`
  return { status: 301, headers: { location }, body: { type: 'text', contentType: 'text/plain', text: '' } }
}
