// Keeps what the proxies of all nodes know, as every node's kube-proxy does: a history of tables that serves them all.
// Reads: Services, EndpointSlices.  Writes nothing.

import { EndpointSlice, Service } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Index, type Kit, type LoopDefinition, watching } from '#reconcile'
import type { World } from '#world'
import type { ServiceTable } from './service-table.ts'
import { TableHistory } from './table-history.ts'

const nameLabel = 'kubernetes.io/service-name'

/** `namespace/name` of the Service that a slice is of. */
export const serviceOf = ({ metadata }: EndpointSlice): readonly string[] => {
  const name = metadata.labels?.[nameLabel]
  return name === undefined ? [] : [`${metadata.namespace ?? ''}/${name}`]
}

export const slicesByService: Index<EndpointSlice> = { name: 'proxy service', kind: EndpointSlice, values: serviceOf }

/** Keys of the Services that a changed slice concerns. */
export const servicesOfSlice = (slice: EndpointSlice, old: EndpointSlice | undefined): readonly string[] =>
  old === undefined ? serviceOf(slice) : [...new Set([...serviceOf(slice), ...serviceOf(old)])]

export interface ServiceProxy {
  readonly loops: readonly LoopDefinition[]
  /** The table of a Service (`namespace/name`) as this node has it now; undefined when it has none. */
  tableOn(node: string, serviceKey: string): ServiceTable | undefined
  /** When all nodes that are not silent have the latest table. */
  settledAt(serviceKey: string): number
  isSilent(node: string): boolean
  /** The node's proxy hears and writes nothing until `hear`. */
  silence(node: string): void
  hear(node: string): void
  /** Calls `heard` when a node falls silent or is back. */
  onSilence(heard: () => void): void
}

export function createProxy(): ServiceProxy {
  const listeners: (() => void)[] = []
  let history = new TableHistory()
  let world: World | undefined
  let from: Cache | undefined
  const now = (): number => world?.clock.now() ?? 0
  const versionOf = (service: Service | undefined, key: string, cache: Cache) => ({
    service,
    slices: service === undefined ? [] : cache.by(slicesByService, key),
  })
  /** A loop that begins anew finds tables on every node that are as they should be. */
  const begin = (kit: Kit): void => {
    from = kit.cache
    world = kit.world
    history = history.anew()
    for (const service of kit.cache.list(Service)) {
      const key = objectKey(service)
      history.put(key, versionOf(service, key, kit.cache), Number.NEGATIVE_INFINITY)
    }
  }
  const loop: LoopDefinition = {
    name: 'proxy',
    user: 'system:kube-proxy',
    manager: 'kube-proxy',
    reconciles: Service,
    watches: [watching(Service, (service) => [objectKey(service)]), watching(EndpointSlice, servicesOfSlice)],
    workers: 4,
    async reconcile(key, kit) {
      if (from !== kit.cache) begin(kit)
      history.put(key, versionOf(kit.cache.get(Service, key), key, kit.cache), now())
      return done()
    },
  }
  return {
    loops: [loop],
    tableOn: (node, key) => history.tableOn(node, key, now()),
    settledAt: (key) => history.settledAt(key),
    isSilent: (node) => history.isSilent(node),
    silence(node) {
      history.silence(node, now())
      for (const heard of listeners) heard()
    },
    hear(node) {
      history.hear(node, now())
      for (const heard of listeners) heard()
    },
    onSilence(heard) {
      listeners.push(heard)
    },
  }
}
