// Who answers behind a Service, and one HTTP exchange with him: its EndpointSlices lead to a pod that is ready, whose simulated
// server is asked.

import { ApiError, type ApiResponse } from '#api'
import { type EndpointSlice, type Pod, readyBackends } from '#kinds'
import type { AnyObject } from '#objects'
import type { Core } from './core.ts'
import { notListening } from './subresources/node-requests.ts'

export interface PodPort {
  readonly pod: Pod
  readonly port: number
}

interface ServicePort {
  readonly namespace: string
  readonly service: string
  /** The name of the Service's port. */
  readonly port: string
}

/** One of those who are ready, by chance. Throws what a proxy says when there is none. */
export function backendOf({ store, options }: Core, { namespace, service, port }: ServicePort): PodPort {
  const prefix = `${namespace}/`
  const slices = store.list('endpointslices.discovery.k8s.io', { prefix }).entries.map(({ value }) => value)
  const backends = readyBackends(slices as unknown as readonly EndpointSlice[], { service, port })
  const backend = backends[options.world.random.int(Math.max(backends.length, 1))]
  if (backend === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(service)}`)
  const pod = backend.pod === undefined ? undefined : store.get('pods', `${prefix}${backend.pod}`)?.value
  if (pod === undefined) throw unavailable(`error trying to reach service: no network leads to ${backend.address}`)
  return { pod: pod as unknown as Pod, port: backend.port }
}

export interface HttpQuestion {
  readonly verb: string
  readonly url: string
}

export async function exchange(
  core: Core,
  { pod, port }: PodPort,
  { verb, url }: HttpQuestion,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const request = core.options.nodeGateway?.request
  if (request === undefined) throw notListening(pod.spec.nodeName)
  try {
    const question = { port, method: methods[verb] ?? 'GET', url }
    const { status, ...body } = await request(pod as unknown as AnyObject, question, signal)
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

export const unavailable = (message: string): ApiError =>
  new ApiError({ code: 503, reason: 'ServiceUnavailable', message })
