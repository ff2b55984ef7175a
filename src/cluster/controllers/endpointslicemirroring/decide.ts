// Copies Endpoints that somebody keeps by hand (their Service has no selector) into EndpointSlices. Pure. Follows the
// endpointslicemirroring reconciler of Kubernetes.

import {
  type DiscoveryV1EndpointPort,
  type Endpoint,
  type EndpointAddress,
  type EndpointSlice,
  Endpoints,
} from '#kinds'
import { isEqual } from '#objects'
import { controllerReference } from '../claims.ts'
import { triggerAnnotation } from '../endpoint-rules.ts'
import { canonicalText } from '../hash.ts'

export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const serviceNameLabel = 'kubernetes.io/service-name'
export const controllerName = 'endpointslicemirroring-controller.k8s.io'
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror'
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'
const notCopied: ReadonlySet<string> = new Set([triggerAnnotation, 'kubectl.kubernetes.io/last-applied-configuration'])
const maxEndpoints = 100
/** Further addresses of a subset are not mirrored. */
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
  const wanted = wantedSlices(endpoints)
  const free = [...slices]
  const take = (fits: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
    const at = free.findIndex(fits)
    return at < 0 ? undefined : free.splice(at, 1)[0]
  }
  const paired = wanted.map((slice) => ({ slice, old: take((old) => isSamePort(old, slice)) }))
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  for (const { slice, old } of paired) {
    const place = old ?? take((other) => other.addressType === slice.addressType)
    if (place === undefined) create.push(slice)
    else if (!isSame(place, slice)) update.push({ ...slice, metadata: { ...place.metadata, ...slice.metadata } })
  }
  return { create, update, remove: free, skipped: skippedOf(endpoints) }
}

const skippedOf = ({ subsets = [] }: Endpoints): number =>
  subsets.reduce(
    (sum, { addresses = [], notReadyAddresses = [] }) =>
      sum + Math.max(0, addresses.length + notReadyAddresses.length - maxAddresses),
    0,
  )

function wantedSlices(endpoints: Endpoints): readonly EndpointSlice[] {
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
  return groups(endpoints).flatMap(({ type, ports, members }) =>
    chunks(members, maxEndpoints).map((chunk) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata,
      addressType: type,
      endpoints: chunk,
      ports,
    })),
  )
}

interface Group {
  readonly type: 'IPv4' | 'IPv6'
  readonly ports: readonly DiscoveryV1EndpointPort[]
  readonly members: Endpoint[]
}

function groups(endpoints: Endpoints): readonly Group[] {
  const byKey = new Map<string, Group>()
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of endpoints.subsets ?? []) {
    const slicePorts = ports.map(({ name, port, protocol, appProtocol }) => ({
      name: name ?? '',
      port,
      protocol: protocol ?? ('TCP' as const),
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }))
    const members = [
      ...addresses.map((address) => mirrored(address, true)),
      ...notReadyAddresses.map((address) => mirrored(address, false)),
    ]
    for (const member of members.slice(0, maxAddresses)) {
      const type = member.addresses[0]?.includes(':') === true ? 'IPv6' : 'IPv4'
      const key = `${type} ${canonicalText(slicePorts)}`
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, { type, ports: slicePorts, members: [member] })
      else known.members.push(member)
    }
  }
  return [...byKey.values()]
}

const mirrored = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname === undefined || hostname === '' ? {} : { hostname }),
  ...(nodeName === undefined ? {} : { nodeName }),
  ...(targetRef === undefined ? {} : { targetRef }),
})

const isSamePort = (a: EndpointSlice, b: EndpointSlice): boolean =>
  a.addressType === b.addressType && isEqual(a.ports ?? [], b.ports ?? [])

const isSame = (a: EndpointSlice, b: EndpointSlice): boolean =>
  isSamePort(a, b) &&
  isEqual(a.endpoints ?? [], b.endpoints) &&
  isEqual(a.metadata.labels, b.metadata.labels) &&
  isEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {})

const chunks = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
