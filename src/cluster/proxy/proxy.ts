// Keeps the tables of all Services in memory, as every node's kube-proxy does: they are all the same, so there is one set.
// Reads: Services, EndpointSlices.  Writes nothing.

import { EndpointSlice, Service } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Index, type LoopDefinition, watching } from '#reconcile'
import {
  type Backend,
  backendsOn,
  decideTable,
  type PortTable,
  type ServiceTable,
  type Viewpoint,
} from './service-table.ts'

const nameLabel = 'kubernetes.io/service-name'

/** `namespace/name` of the Service that a slice is of. */
const serviceOf = ({ metadata }: EndpointSlice): readonly string[] => {
  const name = metadata.labels?.[nameLabel]
  return name === undefined ? [] : [`${metadata.namespace ?? ''}/${name}`]
}

const slicesByService: Index<EndpointSlice> = { name: 'proxy service', kind: EndpointSlice, values: serviceOf }

export interface PortRoute {
  readonly port: PortTable
  readonly backends: readonly Backend[]
}

export interface Proxy {
  readonly loops: readonly LoopDefinition[]
  /** The table of a Service (`namespace/name`); undefined when it has none. */
  table(serviceKey: string): ServiceTable | undefined
  /** Where the Service's traffic goes on a node, port by port. */
  routes(serviceKey: string, at: Viewpoint): readonly PortRoute[]
  readonly tables: Iterable<ServiceTable>
}

export function createProxy(): Proxy {
  let tables = new Map<string, ServiceTable>()
  let from: Cache | undefined
  const loop: LoopDefinition = {
    name: 'proxy',
    user: 'system:kube-proxy',
    manager: 'kube-proxy',
    reconciles: Service,
    watches: [
      watching(Service, (service) => [objectKey(service)]),
      watching(EndpointSlice, (slice, old) => [...serviceOf(slice), ...(old === undefined ? [] : serviceOf(old))]),
    ],
    workers: 4,
    async reconcile(key, { cache }) {
      // A loop that begins anew begins with empty tables.
      if (from !== cache) {
        from = cache
        tables = new Map()
      }
      const service = cache.get(Service, key)
      const table = service === undefined ? undefined : decideTable(service, cache.by(slicesByService, key))
      if (table === undefined) tables.delete(key)
      else tables.set(key, table)
      return done()
    },
  }
  return {
    loops: [loop],
    table: (serviceKey) => tables.get(serviceKey),
    routes(serviceKey, at) {
      const table = tables.get(serviceKey)
      return table === undefined ? [] : table.ports.map((port) => ({ port, backends: backendsOn(table, port, at) }))
    },
    get tables() {
      return tables.values()
    },
  }
}

/** The loops, where nobody asks for the tables. */
export const proxyLoops = (): readonly LoopDefinition[] => createProxy().loops
