// Why a Service has no traffic: no selector, no pods, no ready pods, or slices that lag behind.

import type { EndpointSlice, Pod, Service } from '#kinds'
import { backendsOf, decideTable, isEndingButServing } from '#proxy'
import { describeObject, type Finding, isReady } from './finding.ts'
import { explainPod, type PodObservation } from './pod.ts'

export interface ServiceObservation {
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
  readonly pods: readonly PodObservation[]
}

const takesTraffic = ({ metadata, status }: Pod): boolean => metadata.deletionTimestamp === undefined && isReady(status)

export function explainService({ service, slices, pods }: ServiceObservation): readonly Finding[] {
  const object = describeObject(service)
  const selector = Object.entries(service.spec.selector ?? {}).map(([key, value]) => `${key}=${value}`)
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? [])
  const serving = endpoints.filter(({ conditions }) => conditions?.ready !== false).length
  const ready = pods.filter(({ pod }) => takesTraffic(pod)).length
  const traffic = trafficOf(service, slices)
  const evidence = [
    `spec.selector: ${selector.join(', ') || 'none'}`,
    `${pods.length} pods match, ${ready} are Ready`,
    `${slices.length} EndpointSlices with ${serving} ready endpoints`,
    ...traffic,
  ]
  if (service.spec.type === 'ExternalName')
    return [
      {
        state: 'converged',
        loop: 'none',
        object,
        gap: `it is a name for ${service.spec.externalName ?? ''}`,
        evidence: [],
      },
    ]
  if (selector.length === 0)
    return [
      {
        state: serving > 0 ? 'converged' : 'stuck',
        loop: 'whoever keeps its EndpointSlices by hand',
        object,
        gap: 'it has no selector, so no loop makes endpoints for it',
        evidence,
      },
    ]
  if (pods.length === 0)
    return [
      {
        state: 'stuck',
        loop: 'endpointslice controller',
        object,
        gap: 'no pod matches its selector, so there is nothing to send traffic to',
        evidence,
        advice: 'Compare spec.selector with the labels of the pod template.',
      },
    ]
  if (ready === 0)
    return [
      {
        state: 'stuck',
        loop: 'the pods below',
        object,
        gap: 'pods match, but none is Ready, so none gets traffic',
        evidence,
      },
      ...pods.slice(0, 3).map(explainPod),
    ]
  if (serving < ready && service.spec.publishNotReadyAddresses !== true)
    return [
      {
        state: 'progressing',
        loop: 'endpointslice controller',
        object,
        gap: `${ready} pods are Ready but only ${serving} endpoints are: the slices lag behind`,
        evidence,
      },
    ]
  return [
    {
      state: 'converged',
      loop: 'none',
      object,
      gap: `${serving} endpoints take traffic; the proxies of all nodes have them`,
      evidence,
    },
  ]
}

/** What the proxies make of it beyond counting ready endpoints. */
function trafficOf(service: Service, slices: readonly EndpointSlice[]): readonly string[] {
  const table = decideTable(service, slices)
  const [port] = table?.ports ?? []
  if (table === undefined || port === undefined) return []
  const backends = (['IPv4', 'IPv6'] as const).flatMap((family) => backendsOf(table, port, family))
  const ready = backends.filter((backend) => backend.ready)
  const ending = backends.filter(isEndingButServing)
  const nodes = [...new Set(ready.flatMap(({ nodeName }) => nodeName ?? []))].sort()
  const zones = [...new Set(ready.flatMap((backend) => backend.zones ?? []))].sort()
  const isHinted = ready.length > 0 && ready.every((backend) => (backend.zones ?? []).length > 0)
  const fields = [
    ...(table.internalLocal ? ['internalTrafficPolicy'] : []),
    ...(table.externalLocal && table.isExternal ? ['externalTrafficPolicy'] : []),
  ]
  return [
    ...fields.map(
      (field) => `${field} Local: only ${nodes.join(', ') || 'no node'} can serve, elsewhere requests are dropped`,
    ),
    ...(isHinted ? [`topology hints for zones ${zones.join(', ')}`] : []),
    ...(ready.length === 0 && ending.length > 0 ? [`${ending.length} terminating endpoints still serve`] : []),
  ]
}
