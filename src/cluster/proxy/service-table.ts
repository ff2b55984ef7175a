// Where the traffic of a Service goes: pure. One table is made for each Service from its EndpointSlices and shared by all
// nodes; what a node sees of it (its own endpoints only, its zone only) is worked out when it is asked for
// (kube-proxy's topology.go).

import type { EndpointSlice, Service } from '#kinds'
import { objectKey } from '#objects'

export interface Backend {
  readonly address: string
  readonly port: number
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  readonly nodeName?: string
  /** `namespace/name` of the pod behind it. */
  readonly pod?: string
  readonly zones?: readonly string[]
  readonly nodes?: readonly string[]
}

export interface PortTable {
  readonly name: string
  readonly protocol: string
  readonly port: number
  readonly nodePort?: number
  readonly backends: readonly Backend[]
}

export interface ServiceTable {
  readonly service: string
  readonly clusterIP: string
  readonly ports: readonly PortTable[]
  /** Traffic of pods stays on their node. */
  readonly internalLocal: boolean
  /** Traffic from outside stays on the node that it came to. */
  readonly externalLocal: boolean
}

/** The table of a Service; undefined for those that have no address of their own. */
export function decideTable(service: Service, slices: readonly EndpointSlice[]): ServiceTable | undefined {
  const { spec } = service
  const { clusterIP = '', type = 'ClusterIP' } = spec
  if (type === 'ExternalName' || clusterIP === '' || clusterIP === 'None') return undefined
  return {
    service: objectKey(service),
    clusterIP,
    ports: (spec.ports ?? []).map((port) => ({
      name: port.name ?? '',
      protocol: port.protocol ?? 'TCP',
      port: port.port,
      ...(port.nodePort === undefined ? {} : { nodePort: port.nodePort }),
      backends: backendsFor(port.name ?? '', slices),
    })),
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: spec.externalTrafficPolicy === 'Local',
  }
}

/** Endpoints of all slices under one name of a port; an address counts once, and a ready one before others. */
function backendsFor(portName: string, slices: readonly EndpointSlice[]): readonly Backend[] {
  const found = new Map<string, Backend>()
  for (const slice of slices) {
    if (slice.addressType === 'FQDN') continue
    const port = slice.ports?.find(({ name = '' }) => name === portName)?.port
    if (port === undefined) continue
    for (const backend of backendsOf(slice, port)) {
      const key = `${backend.address}:${port}`
      const known = found.get(key)
      if (known === undefined || (!known.ready && backend.ready)) found.set(key, backend)
    }
  }
  return [...found.values()].sort((a, b) => (a.address < b.address ? -1 : 1))
}

function backendsOf({ endpoints = [], metadata }: EndpointSlice, port: number): readonly Backend[] {
  return endpoints.flatMap(({ addresses, conditions = {}, nodeName, targetRef, hints }) => {
    const [address] = addresses
    if (address === undefined) return []
    // What is not said of an endpoint is taken as: ready, and not on its way out.
    const { ready = true, terminating = false } = conditions
    const pod =
      targetRef?.kind === 'Pod' ? `${targetRef.namespace ?? metadata.namespace ?? ''}/${targetRef.name}` : undefined
    return [
      {
        address,
        port,
        ready,
        serving: conditions.serving ?? ready,
        terminating,
        ...(nodeName === undefined ? {} : { nodeName }),
        ...(pod === undefined ? {} : { pod }),
        ...(hints?.forZones === undefined ? {} : { zones: hints.forZones.map(({ name }) => name) }),
        ...(hints?.forNodes === undefined ? {} : { nodes: hints.forNodes.map(({ name }) => name) }),
      },
    ]
  })
}

export interface Viewpoint {
  readonly node: string
  readonly zone?: string
  /** Traffic of the node's own pods, or from outside of the cluster (default: from pods). */
  readonly from?: 'pods' | 'outside'
}

/** The endpoints that get traffic at all: ready ones; when there are none, those that still serve while they end. */
function inUse(backends: readonly Backend[]): readonly Backend[] {
  const ready = backends.filter((backend) => backend.ready)
  return ready.length > 0 ? ready : backends.filter(({ serving, terminating }) => serving && terminating)
}

/** Hints count only if every endpoint has one and some are for this node or zone. */
function hinted(backends: readonly Backend[], { node, zone }: Viewpoint): readonly Backend[] {
  if (backends.every(({ nodes }) => nodes !== undefined)) {
    const mine = backends.filter(({ nodes }) => nodes?.includes(node))
    if (mine.length > 0) return mine
  }
  if (zone === undefined || !backends.every(({ zones }) => zones !== undefined)) return backends
  const mine = backends.filter(({ zones }) => zones?.includes(zone))
  return mine.length > 0 ? mine : backends
}

/** Where one port's traffic goes that begins (or arrives) on a node. */
export function backendsOn(table: ServiceTable, port: PortTable, at: Viewpoint): readonly Backend[] {
  const local = at.from === 'outside' ? table.externalLocal : table.internalLocal
  if (local) return inUse(port.backends.filter(({ nodeName }) => nodeName === at.node))
  return hinted(inUse(port.backends), at)
}
