// Which endpoints of a Service's port a node sends traffic to: pure. Follows CategorizeEndpoints of kube-proxy 1.34
// (pkg/proxy/topology.go): ready endpoints, narrowed by topology hints where these cover the node; endpoints that end but
// still serve where no ready one is left; only the node's own under a Local policy.

import { type Backend, backendsOf, type Family, type PortTable, type ServiceTable } from './service-table.ts'

/** The node whose table is asked. */
export interface Viewpoint {
  readonly node: string
  readonly zone?: string
}

export type TopologyMode = 'PreferSameNode' | 'PreferSameZone'

export interface Categories {
  /** For the policy Cluster. */
  readonly cluster: readonly Backend[]
  /** For the policy Local. */
  readonly local: readonly Backend[]
  /** Somewhere there is an endpoint that could be used. */
  readonly hasAny: boolean
  readonly mode?: TopologyMode
  /** Hints are there, but are not followed: why. */
  readonly hintsIgnored?: string
}

export interface PortOfTable {
  readonly table: ServiceTable
  readonly port: PortTable
  readonly family: Family
}

/** Even under external policy Local, traffic from inside to an external address goes to all of the cluster's endpoints. */
const usesCluster = ({ internalLocal, isExternal }: ServiceTable): boolean => !internalLocal || isExternal
const usesLocal = ({ internalLocal, externalLocal, isExternal }: ServiceTable): boolean =>
  internalLocal || (externalLocal && isExternal)

export const isEndingButServing = ({ serving, terminating }: Backend): boolean => serving && terminating

export function categorize({ table, port, family }: PortOfTable, at: Viewpoint): Categories {
  const backends = backendsOf(table, port, family)
  const ready = backends.filter((backend) => backend.ready)
  const usable = ready.length > 0 ? ready : backends.filter(isEndingButServing)
  const hints = usesCluster(table) ? topology(ready, at) : {}
  const hinted = hints.mode === undefined ? ready : ready.filter((backend) => isHinted(backend, hints.mode, at))
  const cluster = !usesCluster(table) ? [] : hinted.length > 0 ? hinted : usable
  return { cluster, local: usesLocal(table) ? localOf(backends, at) : [], hasAny: usable.length > 0, ...hints }
}

function localOf(backends: readonly Backend[], { node }: Viewpoint): readonly Backend[] {
  const mine = backends.filter(({ nodeName }) => nodeName === node)
  const ready = mine.filter((backend) => backend.ready)
  return ready.length > 0 ? ready : mine.filter(isEndingButServing)
}

const isHinted = ({ zones, nodes }: Backend, mode: TopologyMode | undefined, { node, zone }: Viewpoint): boolean =>
  mode === 'PreferSameNode' ? nodes?.includes(node) === true : zone !== undefined && zones?.includes(zone) === true

type Hints = Pick<Categories, 'mode' | 'hintsIgnored'>

/** Hints are followed only when every ready endpoint has them, and some are for this node or its zone. */
function topology(ready: readonly Backend[], at: Viewpoint): Hints {
  const count = (of: 'nodes' | 'zones'): number => ready.filter((backend) => (backend[of] ?? []).length > 0).length
  const [byNode, byZone] = [count('nodes'), count('zones')]
  if (byNode + byZone === 0) return {}
  const allOf = (n: number): boolean => n === ready.length
  if (allOf(byNode) && ready.some((backend) => isHinted(backend, 'PreferSameNode', at)))
    return { mode: 'PreferSameNode' }
  if (allOf(byZone) && ready.some((backend) => isHinted(backend, 'PreferSameZone', at)))
    return { mode: 'PreferSameZone' }
  return { hintsIgnored: whyIgnored({ ready: ready.length, byNode, byZone }, at) }
}

function whyIgnored(
  { ready, byNode, byZone }: { readonly ready: number; readonly byNode: number; readonly byZone: number },
  { node, zone }: Viewpoint,
): string {
  if (byZone < ready) return byNode < ready ? 'not every ready endpoint has a hint' : `no hint is for node ${node}`
  return zone === undefined ? `node ${node} has no label topology.kubernetes.io/zone` : `no hint is for zone ${zone}`
}
