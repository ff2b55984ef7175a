// exec, attach, portforward and the proxies: connections to what runs on a node. This server has no nodes with a network;
// it answers as one whose kubelet cannot be dialled.

import type { ApiResponse } from '#api'
import { ApiError } from '#api'
import type { EndpointSlice, Pod, Service } from '#kinds'
import { badRequest, internalError } from '../errors.ts'
import { existing } from '../read.ts'
import type { Scope } from '../scope.ts'

export function connect(scope: Scope): ApiResponse {
  const { value } = existing(scope)
  if (scope.served.bucket !== 'pods') throw notListening(scope.name)
  const { nodeName = '' } = (value as unknown as Pod).spec ?? {}
  if (nodeName === '') throw badRequest(`pod ${scope.name} does not have a host assigned`)
  throw notListening(nodeName)
}

const notListening = (node: string | undefined): ApiError =>
  internalError(
    `error dialing backend: node ${JSON.stringify(node)} is simulated, and so are its containers: there is no process to connect to (kubectl logs works)`,
  )

export function proxyService(scope: Scope): ApiResponse {
  const service = existing(scope).value as unknown as Service
  const { entries } = scope.core.store.list('endpointslices.discovery.k8s.io', { prefix: `${scope.namespace ?? ''}/` })
  const ready = entries.some(({ value }) => {
    const slice = value as unknown as EndpointSlice
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== service.metadata.name) return false
    return slice.endpoints?.some(({ conditions }) => conditions?.ready !== false) === true
  })
  const message = ready
    ? `error trying to reach service: no network leads to service ${JSON.stringify(scope.name)}`
    : `no endpoints available for service ${JSON.stringify(scope.name)}`
  throw new ApiError({ code: 503, reason: 'ServiceUnavailable', message })
}
