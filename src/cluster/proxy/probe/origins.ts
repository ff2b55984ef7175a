// Where the requests of a Probe come from at the moment, and when each is due: pure. Origins share the interval, so that
// requests of many nodes are spread over it.

import { Node, Pod, type TrafficProbe } from '#kinds'
import type { Cache } from '#reconcile'
import type { Source } from '../route.ts'
import { viewOfNode } from '../surroundings.ts'

export interface Origin {
  readonly source: Source
  /** The first request, after the Probe began. */
  readonly offsetMs: number
}

export const intervalMs = ({ intervalSeconds = 1 }: TrafficProbe['spec']): number => Math.round(intervalSeconds * 1000)

/** `namespace/name` of the pod that sends. */
export const originPod = ({ from }: TrafficProbe['spec']): string | undefined =>
  from?.pod === undefined ? undefined : `${from.namespace ?? 'default'}/${from.pod}`

/** Nodes that are offline and pods that do not run send nothing. */
export function originsOf(
  spec: TrafficProbe['spec'],
  cache: Cache,
  isOffline: (node: string) => boolean,
): readonly Origin[] {
  if (spec.suspend === true) return []
  const sources = sourcesOf(spec, cache).filter(({ kind, node }) => kind === 'outside' || !isOffline(node))
  return sources.map((source, i) => ({
    source,
    offsetMs: Math.round((intervalMs(spec) * i) / sources.length),
  }))
}

function sourcesOf(spec: TrafficProbe['spec'], cache: Cache): readonly Source[] {
  const namespace = spec.from?.namespace ?? 'default'
  if (spec.from?.outside === true) return [{ kind: 'outside', node: '', namespace }]
  const podKey = originPod(spec)
  if (podKey !== undefined) {
    const pod = cache.get(Pod, podKey)
    const node = pod?.spec.nodeName === undefined ? undefined : cache.get(Node, pod.spec.nodeName)
    if (pod === undefined || node === undefined || pod.status?.phase !== 'Running') return []
    const { podIP } = pod.status
    return [{ kind: 'pod', namespace, ...viewOfNode(node), ...(podIP === undefined ? {} : { address: podIP }) }]
  }
  const named = spec.from?.node
  const nodes = named === undefined ? cache.list(Node) : [cache.get(Node, named)].filter((node) => node !== undefined)
  return nodes
    .map((node): Source => ({ kind: 'node', namespace, ...viewOfNode(node) }))
    .sort((a, b) => (a.node < b.node ? -1 : 1))
}

/** How many requests of an origin were due up to `at`, the first one at `first`. */
export const dueUpTo = (at: number, first: number, interval: number): number =>
  at < first ? 0 : Math.floor((at - first) / interval) + 1

/** When the next request after `at` is due. */
export const nextDue = (at: number, first: number, interval: number): number =>
  first + dueUpTo(at, first, interval) * interval
