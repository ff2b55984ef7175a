// What a Pod is as an endpoint of a Service: its addresses and whether it is ready, serving, terminating. Pure.

import type { Endpoint, Node, Pod, Service } from '#kinds'
import { isTerminating } from '#reconcile'
import { type AddressType, addressesOf, hasOwnName } from '../endpoint-rules.ts'
import { isPodReady } from '../pods.ts'

const zoneLabel = 'topology.kubernetes.io/zone'

/** Undefined when the pod has no address of that type. */
export function endpointOf(
  pod: Pod,
  service: Service,
  { node, type }: { readonly node: Node | undefined; readonly type: AddressType },
): Endpoint | undefined {
  const addresses = addressesOf(pod, type)
  if (addresses.length === 0) return undefined
  const serving = isPodReady(pod)
  const terminating = isTerminating(pod)
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating)
  const { nodeName } = pod.spec
  const zone = node?.metadata.labels?.[zoneLabel]
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

function hintsOf({ spec }: Service, zone: string | undefined, node: string | undefined): Endpoint['hints'] | undefined {
  const preference = spec.trafficDistribution
  if (preference === undefined || zone === undefined) return undefined
  const forZones = [{ name: zone }]
  if (preference === 'PreferSameNode' && node !== undefined) return { forNodes: [{ name: node }], forZones }
  return preference === 'PreferClose' || preference === 'PreferSameZone' || preference === 'PreferSameNode'
    ? { forZones }
    : undefined
}
