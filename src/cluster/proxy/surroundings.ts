// What routes are decided from, read from the caches by indexes: Services and slices, tables, nodes and pods by address.

import { Node, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import type { Cache, Index } from '#reconcile'
import type { Viewpoint } from './categorize.ts'
import { type ServiceProxy, slicesByService } from './proxy.ts'
import type { Surroundings } from './route.ts'

const zoneLabel = 'topology.kubernetes.io/zone'

const servicesByAddress: Index<Service> = {
  name: 'proxy address',
  kind: Service,
  values: ({ spec, status }) => [
    ...(spec.clusterIPs ?? []),
    ...(spec.externalIPs ?? []),
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []),
  ],
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

const podsByAddress: Index<Pod> = {
  name: 'proxy address',
  kind: Pod,
  values: ({ status, spec }) => (status?.podIP === undefined || spec.hostNetwork === true ? none : [status.podIP]),
}

const none: readonly string[] = []

export const viewOfNode = ({ metadata }: Node): Viewpoint => {
  const zone = metadata.labels?.[zoneLabel]
  return { node: metadata.name ?? '', ...(zone === undefined ? {} : { zone }) }
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
    podAt(address) {
      const pod = cache.by(podsByAddress, address).find(({ status }) => status?.phase === 'Running')
      if (pod === undefined) return undefined
      const { nodeName } = pod.spec
      const place = { pod: objectKey(pod), uid: pod.metadata.uid ?? '' }
      return nodeName === undefined ? place : { ...place, nodeName }
    },
  }
}
