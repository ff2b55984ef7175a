// What topology hints by `service.kubernetes.io/topology-mode: Auto` are worked out from: how much of the cluster's CPU each
// zone has, and how the hints of each Service are spread. Follows topologycache of k8s.io/endpointslice; like it, it is
// kept in memory and lost at a restart.

import type { Node } from '#kinds'
import { quantityMilliValue } from '#objects'
import type { AddressType } from '../endpoint-rules.ts'

/** No endpoint is to get more than this above its fair share. */
export const overloadThreshold = 0.2

export const zoneLabel = 'topology.kubernetes.io/zone'
const excluded = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export type ZoneCounts = ReadonlyMap<string, number>

export const isNodeReady = ({ status }: Node): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'

/** Each zone's share of the CPU of ready nodes; undefined when a node says too little, or when there are not two zones. */
export function cpuRatios(nodes: readonly Node[]): ZoneCounts | undefined {
  const byZone = new Map<string, number>()
  let total = 0
  for (const node of nodes) {
    const labels = node.metadata.labels ?? {}
    if (excluded.some((label) => labels[label] !== undefined) || !isNodeReady(node)) continue
    const zone = labels[zoneLabel] ?? ''
    const milliCpu = quantityMilliValue(node.status?.allocatable?.['cpu'] ?? '0')
    if (zone === '' || milliCpu === 0) return undefined
    total += milliCpu
    byZone.set(zone, (byZone.get(zone) ?? 0) + milliCpu)
  }
  if (byZone.size < 2 || total === 0) return undefined
  return new Map([...byZone].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]))
}

/** Whether some zone has too few endpoints for its share. */
export function isOverloaded(counts: ZoneCounts, ratios: ZoneCounts | undefined): boolean {
  if (counts.size === 0) return false
  if (ratios === undefined) return true
  let total = 0
  for (const count of counts.values()) total += count
  return [...ratios].some(
    ([zone, ratio]) => (counts.get(zone) ?? -1) < Math.ceil((total * ratio) / (1 + overloadThreshold)),
  )
}

export class TopologyBook {
  /** Rises when nodes come, go, or have another zone. */
  nodesVersion = 0
  #ratios: { readonly value: ZoneCounts | undefined } | undefined
  readonly #byService = new Map<string, Map<AddressType, ZoneCounts>>()

  /** A node is not what it was. */
  forgetNodes(): void {
    this.#ratios = undefined
  }

  ratios(nodes: () => readonly Node[]): ZoneCounts | undefined {
    this.#ratios ??= { value: cpuRatios(nodes()) }
    return this.#ratios.value
  }

  hasHints(serviceKey: string): boolean {
    return this.#byService.has(serviceKey)
  }

  /** Notes how the hints of a Service are spread; undefined: it has none of that type. */
  note(serviceKey: string, type: AddressType, counts: ZoneCounts | undefined): void {
    const known = this.#byService.get(serviceKey)
    if (counts !== undefined) {
      if (known === undefined) this.#byService.set(serviceKey, new Map([[type, counts]]))
      else known.set(type, counts)
      return
    }
    known?.delete(type)
    if (known?.size === 0) this.#byService.delete(serviceKey)
  }

  forget(serviceKey: string): void {
    this.#byService.delete(serviceKey)
  }

  /** Services whose hints have to be worked out again. */
  overloaded(nodes: () => readonly Node[]): readonly string[] {
    if (this.#byService.size === 0) return []
    const ratios = this.ratios(nodes)
    return [...this.#byService]
      .filter(([, byType]) => [...byType.values()].some((counts) => isOverloaded(counts, ratios)))
      .map(([key]) => key)
  }
}
