// The nodes that an application's pods are on, and what is asked of them by its own pods and by others: Argo CD's HostInfo.
// CPU and memory in thousandths, as Argo CD counts them.

import { Node, Pod, podRequests } from '#kinds'
import { quantityMilliValue } from '#objects'
import { type Cache, podsByNode } from '#reconcile'
import type { TreeNode } from './tree-node.ts'

export interface HostInfo {
  readonly name: string
  readonly resourcesInfo: readonly {
    readonly resourceName: string
    readonly requestedByApp: number
    readonly requestedByNeighbors: number
    readonly capacity: number
  }[]
  readonly systemInfo?: object
  readonly labels?: Readonly<Record<string, string>>
}

export function hostsOf(cache: Cache, nodes: readonly TreeNode[]): readonly HostInfo[] {
  const own = new Set(nodes.flatMap(({ group, kind, uid }) => (group === '' && kind === 'Pod' ? (uid ?? []) : [])))
  const names = new Set<string>()
  for (const { group, kind, namespace, name } of nodes) {
    if (group !== '' || kind !== 'Pod') continue
    const node = cache.get(Pod, `${namespace}/${name}`)?.spec?.nodeName
    if (node !== undefined) names.add(node)
  }
  return [...names].sort().flatMap((name) => {
    const node = cache.get(Node, name)
    return node === undefined ? [] : [hostOf(node, cache.by(podsByNode, name), own)]
  })
}

function hostOf(node: Node, pods: readonly Pod[], own: ReadonlySet<string>): HostInfo {
  const running = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
  const amounts = (ofApp: boolean, amount: (pod: Pod) => number): number =>
    running.reduce((sum, pod) => sum + (own.has(pod.metadata.uid ?? '') === ofApp ? amount(pod) : 0), 0)
  const row = (resourceName: string, amount: (pod: Pod) => number) => ({
    resourceName,
    requestedByApp: amounts(true, amount),
    requestedByNeighbors: amounts(false, amount),
    capacity: quantityMilliValue(node.status?.capacity?.[resourceName] ?? '0'),
  })
  const { nodeInfo } = node.status ?? {}
  return {
    name: node.metadata.name ?? '',
    resourcesInfo: [
      row('cpu', ({ spec }) => (spec === undefined ? 0 : podRequests(spec).milliCpu)),
      row('memory', ({ spec }) => (spec === undefined ? 0 : podRequests(spec).memory * 1000)),
    ],
    ...(nodeInfo === undefined ? {} : { systemInfo: nodeInfo }),
    ...(node.metadata.labels === undefined ? {} : { labels: node.metadata.labels }),
  }
}
