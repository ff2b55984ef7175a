// Why a Service has no traffic: no selector, no pods, no ready pods, slices that lag behind, a port that no pod has, or no
// address outside. Pure.

import type { EndpointSlice, Event, Pod, Service } from '#kinds'
import type { AnyObject } from '#objects'
import { backendsOf, decideTable, isEndingButServing } from '#proxy'
import { explainDeletion } from './deletion.ts'
import { eventEvidence } from './events.ts'
import { describeObject, type Finding, isReady, sinceTime, withBelow } from './finding.ts'
import type { PodObservation } from './pod.ts'
import { podChains } from './workload.ts'

export interface ServiceObservation {
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
  readonly pods: readonly PodObservation[]
  readonly events?: readonly Event[]
  /** Where no pod matches: the workloads that would make such pods. */
  readonly makers?: readonly Maker[]
}

export interface Maker {
  /** `Deployment shop/web`. */
  readonly name: string
  readonly replicas: number
  readonly findings: readonly Finding[]
}

const takesTraffic = ({ metadata, status }: Pod): boolean => metadata.deletionTimestamp === undefined && isReady(status)

export function explainService(observation: ServiceObservation): readonly Finding[] {
  const { service, slices, pods } = observation
  const deletion = explainDeletion(service as unknown as AnyObject)
  if (deletion !== undefined) return [deletion]
  const object = describeObject(service)
  if (service.spec?.type === 'ExternalName')
    return [
      {
        state: 'converged',
        loop: 'none',
        object,
        gap: `it is a name for ${service.spec.externalName ?? ''}`,
        evidence: [],
      },
    ]
  const selector = Object.entries(service.spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`)
  const serving = slices
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length
  const ready = pods.filter(({ pod }) => takesTraffic(pod)).length
  const evidence = [
    `spec.selector: ${selector.join(', ') || 'none'}`,
    `${pods.length} pods match, ${ready} are Ready`,
    `${slices.length} EndpointSlices with ${serving} ready endpoints`,
    ...trafficOf(service, slices),
  ]
  const seen = { observation, object, evidence, serving, ready, hasSelector: selector.length > 0 }
  return withoutEndpoints(seen) ?? withoutPorts(seen) ?? withoutAddress(seen) ?? [served(seen)]
}

interface Seen {
  readonly observation: ServiceObservation
  readonly object: string
  readonly evidence: readonly string[]
  readonly serving: number
  readonly ready: number
  readonly hasSelector: boolean
}

function withoutEndpoints(seen: Seen): readonly Finding[] | undefined {
  const { observation, object, evidence, serving, ready, hasSelector } = seen
  const { service, pods, makers = [] } = observation
  if (!hasSelector)
    return serving > 0
      ? undefined
      : [
          {
            state: 'stuck',
            loop: 'whoever keeps its EndpointSlices by hand',
            object,
            gap: 'it has no selector, so no loop makes endpoints for it',
            evidence,
          },
        ]
  if (pods.length === 0 && makers.length > 0) return withoutPods(seen, makers)
  if (pods.length === 0)
    return [
      {
        state: 'stuck',
        loop: 'whoever makes its pods',
        object,
        gap: 'no pod matches its selector, so there is nothing to send traffic to',
        evidence,
        advice: `Compare spec.selector with the labels of the pods: kubectl get pods -n ${service.metadata.namespace ?? 'default'} --show-labels`,
      },
    ]
  if (ready === 0) {
    const finding: Finding = {
      state: 'progressing',
      loop: 'the loops of its pods',
      object,
      gap: `${pods.length} pods match, but none is Ready, so none gets traffic`,
      evidence,
    }
    return withBelow(finding, podChains(pods))
  }
  if (serving >= ready || service.spec?.publishNotReadyAddresses === true) return undefined
  return [
    {
      state: 'progressing',
      loop: 'endpointslice controller',
      object,
      gap: `${ready} pods are Ready but only ${serving} endpoints are: the slices lag behind`,
      evidence,
    },
  ]
}

/** Whoever would make its pods has none: it is scaled to zero, or has trouble of its own. */
function withoutPods({ object, evidence }: Seen, makers: readonly Maker[]): readonly Finding[] {
  const names = makers.map(({ name }) => name).join(', ')
  const common = { object, evidence }
  if (makers.every(({ replicas }) => replicas === 0))
    return [{ ...common, state: 'converged', loop: 'none', gap: `it has no pods: ${names} is scaled to zero` }]
  return withBelow(
    { ...common, state: 'progressing', loop: names, gap: `no pod matches its selector yet: ${names} has none` },
    makers.map(({ findings }) => findings),
  )
}

/** A port whose number the pods are to say by name, and none does. */
function withoutPorts({ observation, object, evidence }: Seen): readonly Finding[] | undefined {
  const { service, slices, pods } = observation
  const names = new Set(slices.flatMap(({ ports }) => (ports ?? []).map(({ name }) => name ?? '')))
  const lost = (service.spec?.ports ?? []).find(
    ({ name = '', targetPort }) => typeof targetPort === 'string' && !names.has(name),
  )
  if (lost === undefined) return undefined
  const has = pods.flatMap(({ pod }) => pod.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)))
  return [
    {
      state: 'stuck',
      loop: 'whoever makes its pods',
      object,
      gap: `no container of its pods has a port named ${lost.targetPort}, so port ${lost.port} leads nowhere`,
      evidence: [...evidence, `names of container ports: ${[...new Set(has)].filter(Boolean).join(', ') || 'none'}`],
      advice: 'Correct targetPort of the Service, or the name of the port in the pod template.',
    },
  ]
}

function withoutAddress({ observation, object, evidence }: Seen): readonly Finding[] | undefined {
  const { service } = observation
  const { type, loadBalancerClass: className, clusterIP } = service.spec ?? {}
  if (type !== 'LoadBalancer' || (service.status?.loadBalancer?.ingress ?? []).length > 0) return undefined
  const failed = eventEvidence(observation.events ?? [], ['SyncLoadBalancerFailed'])
  return [
    {
      state: className !== undefined || failed.length > 0 ? 'stuck' : 'progressing',
      loop: className === undefined ? 'service-load-balancer' : `load balancer controller of class ${className}`,
      object,
      gap: `it has no address outside the cluster yet; inside it is served at ${clusterIP}`,
      ...sinceTime(service.metadata.creationTimestamp),
      evidence: [...evidence, 'status.loadBalancer.ingress is empty', ...failed],
      ...(className === undefined
        ? {}
        : { advice: `Run the controller of class ${className}, or leave spec.loadBalancerClass out.` }),
    },
  ]
}

const served = ({ object, evidence, serving }: Seen): Finding => ({
  state: 'converged',
  loop: 'none',
  object,
  gap: `${serving} endpoints take traffic; the proxies of all nodes have them`,
  evidence,
})

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
