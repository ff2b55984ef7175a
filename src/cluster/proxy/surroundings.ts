// What routes are decided from, read from the caches by indexes: Services and slices, tables, nodes and pods by address.

import { Node, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import type { Cache, Index } from '#reconcile'
import type { Viewpoint } from './categorize.ts'
import { type ServiceProxy, slicesByService } from './proxy.ts'
import type { PodPlace, Surroundings } from './route.ts'

const zoneLabel = 'topology.kubernetes.io/zone'

/** Every address that a Service answers at. */
export function addressesOf({ spec, status }: Service): readonly string[] {
  const balancers = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? [])
  return [...(spec.clusterIPs ?? []), ...(spec.externalIPs ?? []), ...balancers]
}

const servicesByAddress: Index<Service> = {
  name: 'proxy address',
  kind: Service,
  values: addressesOf,
}

const servicesByNodePort: Index<Service> = {
  name: 'proxy node port',
  kind: Service,
  values: ({ spec }) =>
    (spec.ports ?? []).flatMap(({ nodePort = 0, protocol = 'TCP' }) =>
      nodePort === 0 ? [] : `${nodePort}/${protocol}`,
    ),
}

const nodesByAddress: Index<Node> = {
  name: 'proxy address',
  kind: Node,
  values: ({ status }) => (status?.addresses ?? []).map(({ address }) => address),
}

/** The address that is a pod's alone; a pod on the network of its host has none. */
export const ownAddressOf = ({ status, spec }: Pod): string | undefined =>
  spec.hostNetwork === true ? undefined : status?.podIP

const none: readonly string[] = []

const podsByAddress: Index<Pod> = {
  name: 'proxy address',
  kind: Pod,
  values: (pod) => {
    const address = ownAddressOf(pod)
    return address === undefined ? none : [address]
  },
}

export const viewOfNode = ({ metadata }: Node): Viewpoint => {
  const zone = metadata.labels?.[zoneLabel]
  return { node: metadata.name ?? '', ...(zone === undefined ? {} : { zone }) }
}

/** What answers at the address of these pods: the one that runs. */
export function placeOfPod(pods: readonly Pod[]): PodPlace | undefined {
  const pod = pods.find(({ status }) => status?.phase === 'Running')
  if (pod === undefined) return undefined
  const { nodeName } = pod.spec
  return { pod: objectKey(pod), uid: pod.metadata.uid ?? '', ...(nodeName === undefined ? {} : { nodeName }) }
}

export function surroundingsOf(cache: Cache, proxy: Pick<ServiceProxy, 'tableOn'>): Surroundings {
  const keyOf = (services: readonly Service[]): string | undefined =>
    services[0] === undefined ? undefined : objectKey(services[0])
  return {
    service: (key) => cache.get(Service, key),
    slices: (key) => cache.by(slicesByService, key),
    tableOn: (node, key) => proxy.tableOn(node, key),
    serviceAt: (address) => keyOf(cache.by(servicesByAddress, address)),
    serviceOnNodePort: (port, protocol) => keyOf(cache.by(servicesByNodePort, `${port}/${protocol}`)),
    nodeAt(host) {
      const node = cache.get(Node, host) ?? cache.by(nodesByAddress, host)[0]
      return node === undefined ? undefined : viewOfNode(node)
    },
    podAt: (address) => placeOfPod(cache.by(podsByAddress, address)),
  }
}
