// What a Pod is as an endpoint of a Service: its addresses and whether it is ready, serving, terminating. Pure.

import type { Endpoint, Node, Pod, Service } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import { type AddressType, addressesOf, hasOwnName } from '../endpoint-rules.ts'
import type { EndpointPort } from '../endpoint-slices.ts'
import { isPodReady } from '../pods.ts'
import { wantsAutoHints } from './hints.ts'
import { keyedPorts } from './ports.ts'
import { zoneLabel } from './topology.ts'

/** A pod as a member of a Service: its endpoint, the ports it is reached at, and keys by which both are compared. */
export interface Member {
  readonly endpoint: Endpoint
  readonly ports: readonly EndpointPort[]
  readonly portKey: string
}

interface Remembered {
  readonly service: Service
  readonly zone: string | undefined
  readonly type: AddressType
  readonly member: Member | undefined
}

/** Most pods of a Service are what they were when it was last looked at. */
const remembered = new WeakMap<Pod, Remembered>()

/** Undefined when the pod has no address of that type. */
export function memberOf(
  pod: Pod,
  service: Service,
  { node, type }: { readonly node: Node | undefined; readonly type: AddressType },
): Member | undefined {
  const zone = node?.metadata.labels?.[zoneLabel]
  const known = remembered.get(pod)
  if (known !== undefined && known.service === service && known.zone === zone && known.type === type)
    return known.member
  const endpoint = endpointOf(pod, service, { zone, type })
  const member = endpoint === undefined ? undefined : { endpoint, ...keyedPorts(service, pod) }
  remembered.set(pod, { service, zone, type, member })
  return member
}

function endpointOf(
  pod: Pod,
  service: Service,
  { zone, type }: { readonly zone: string | undefined; readonly type: AddressType },
): Endpoint | undefined {
  const addresses = addressesOf(pod, type)
  if (addresses.length === 0) return undefined
  const serving = isPodReady(pod)
  const terminating = isTerminating(pod)
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating)
  const { nodeName } = pod.spec
  const hints = ready ? hintsOf(service, zone, nodeName) : undefined
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hasOwnName(pod, service) && pod.spec.hostname !== undefined ? { hostname: pod.spec.hostname } : {}),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name ?? '',
      uid: pod.metadata.uid ?? '',
    },
    ...(nodeName === undefined || nodeName === '' ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  }
}

/** Hints by `trafficDistribution`. Those of the annotation come later: they depend on all endpoints. */
function hintsOf(service: Service, zone: string | undefined, node: string | undefined): Endpoint['hints'] | undefined {
  const preference = service.spec.trafficDistribution
  if (preference === undefined || wantsAutoHints(service)) return undefined
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  if (preference === 'PreferSameNode')
    return node === undefined || node === '' ? undefined : { forNodes: [{ name: node }], ...forZones }
  return zone !== undefined && (preference === 'PreferClose' || preference === 'PreferSameZone') ? forZones : undefined
}

/** Whether a slice shows an endpoint as it should be. Hints that depend on all endpoints are not looked at here. */
export function isSameEndpoint(wanted: Endpoint, shown: Endpoint, ignoreHints: boolean): boolean {
  if (!ignoreHints || shown.hints === undefined) return isEqual(wanted, shown)
  const { hints: _, ...rest } = shown
  return isEqual(wanted, rest)
}

const keys = new WeakMap<Endpoint, string>()

/** Equal for endpoints that are the same place, whatever their conditions. */
export function endpointKey(endpoint: Endpoint): string {
  const known = keys.get(endpoint)
  if (known !== undefined) return known
  const { addresses, hostname, targetRef } = endpoint
  const key = `${[...addresses].sort().join()} ${hostname ?? ''} ${targetRef?.namespace ?? ''}/${targetRef?.name ?? ''}`
  keys.set(endpoint, key)
  return key
}
