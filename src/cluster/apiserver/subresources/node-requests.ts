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
  if (scope.served.bucket !== 'pods')
    throw internalError(`error dialing backend: no kubelet listens on node ${JSON.stringify(scope.name)}`)
  const { nodeName = '' } = (value as unknown as Pod).spec ?? {}
  if (nodeName === '') throw badRequest(`pod ${scope.name} does not have a host assigned`)
  throw internalError(`error dialing backend: no kubelet listens on node ${JSON.stringify(nodeName)}`)
}

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
