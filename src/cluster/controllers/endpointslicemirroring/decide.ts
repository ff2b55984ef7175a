// Copies Endpoints that somebody keeps by hand (their Service has no selector) into EndpointSlices. Pure. Follows the
// endpointslicemirroring reconciler of Kubernetes.

import { type Endpoint, type EndpointAddress, type EndpointSlice, type EndpointSubset, Endpoints } from '#kinds'
import { isEqual } from '#objects'
import { controllerReference } from '../claims.ts'
import { triggerAnnotation } from '../endpoint-rules.ts'
import { type EndpointPort, inOrder, managedByLabel, portKey, serviceNameLabel } from '../endpoint-slices.ts'
import { entriesOf, packSubsets } from '../endpoint-subsets.ts'

export const controllerName = 'endpointslicemirroring-controller.k8s.io'
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror'
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'
const notCopied: ReadonlySet<string> = new Set([triggerAnnotation, 'kubectl.kubernetes.io/last-applied-configuration'])
/** Further addresses of the same ports are not mirrored. */
export const maxAddresses = 1000

export interface Decision {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
  /** So many addresses are not mirrored: their subsets have too many. */
  readonly skipped: number
}

export const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined

export function decideMirror(endpoints: Endpoints, slices: readonly EndpointSlice[]): Decision {
  const subsets = packSubsets(entriesOf(endpoints.subsets ?? []))
  const free = [...slices]
  const take = (fits: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
    const at = free.findIndex(fits)
    return at < 0 ? undefined : free.splice(at, 1)[0]
  }
  const wanted = subsets.flatMap((subset) => slicesOf(endpoints, subset))
  const paired = wanted.map((slice) => ({ slice, old: take((old) => isSamePort(old, slice)) }))
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  for (const { slice, old } of paired) {
    const place = old ?? take((other) => other.addressType === slice.addressType)
    if (place === undefined) create.push(slice)
    else if (!isSame(place, slice)) update.push(inPlaceOf(place, slice))
  }
  return { create, update, remove: free, skipped: subsets.reduce((sum, subset) => sum + skippedOf(subset), 0) }
}

/** The annotations that were copied before may be gone by now. */
function inPlaceOf({ metadata }: EndpointSlice, slice: EndpointSlice): EndpointSlice {
  const { annotations: _, ...kept } = metadata
  return { ...slice, metadata: { ...kept, ...slice.metadata } }
}

const skippedOf = ({ addresses = [], notReadyAddresses = [] }: EndpointSubset): number =>
  Math.max(0, addresses.length + notReadyAddresses.length - maxAddresses)

/** One slice of each address family, however many endpoints that has: never more than a slice can hold. */
function slicesOf(endpoints: Endpoints, subset: EndpointSubset): readonly EndpointSlice[] {
  const { labels = {}, annotations = {} } = endpoints.metadata
  const copied = Object.fromEntries(Object.entries(annotations).filter(([key]) => !notCopied.has(key)))
  const { name = '', namespace = '' } = endpoints.metadata
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: controllerName },
    ...(Object.keys(copied).length === 0 ? {} : { annotations: copied }),
    ownerReferences: [controllerReference(Endpoints, endpoints)],
  }
  const { addresses = [], notReadyAddresses = [] } = subset
  const members = [
    ...addresses.map((address) => mirrored(address, true)),
    ...notReadyAddresses.map((address) => mirrored(address, false)),
  ].slice(0, maxAddresses)
  const ports = portsOf(subset)
  return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
    const own = members.filter(({ addresses: [ip = ''] }) => ip.includes(':') === (addressType === 'IPv6'))
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ports } as const
    return own.length === 0 ? [] : [{ ...slice, endpoints: own }]
  })
}

const portsOf = ({ ports = [] }: EndpointSubset): readonly EndpointPort[] =>
  inOrder(
    ports.map(({ name, port, protocol, appProtocol }) => ({
      name: name ?? '',
      port,
      protocol: protocol ?? ('TCP' as const),
      ...(appProtocol === undefined ? {} : { appProtocol }),
    })),
  )

const mirrored = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname === undefined || hostname === '' ? {} : { hostname }),
  ...(nodeName === undefined ? {} : { nodeName }),
  ...(targetRef === undefined ? {} : { targetRef }),
})

const isSamePort = (a: EndpointSlice, b: EndpointSlice): boolean =>
  a.addressType === b.addressType && portKey(a.ports ?? []) === portKey(b.ports ?? [])

const isSame = (a: EndpointSlice, b: EndpointSlice): boolean =>
  isSamePort(a, b) &&
  isEqual(a.endpoints ?? [], b.endpoints) &&
  isEqual(a.metadata.labels, b.metadata.labels) &&
  isEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {}) &&
  isEqual(a.metadata.ownerReferences, b.metadata.ownerReferences)
