// What else matters for a route: resolvers that do not know the cluster, silent nodes, affinity, hints that are not
// followed, health checks of load balancers. Pure.

import type { Node } from '#kinds'
import type { Route, Source } from '#proxy'
import type { Origin, Proxies, Sight } from './observe.ts'

export interface Noted {
  readonly route: Route
  readonly origin: Origin
  readonly source: Source
  readonly sight: Sight
  readonly proxies: Proxies | undefined
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

/** A pod in the node's own network asks the node's resolver unless it says ClusterFirstWithHostNet. */
function resolverNote({ origin: { pod, node }, source }: Noted): string | undefined {
  if (source.kind === 'outside') return undefined
  if (pod === undefined)
    return `node ${node.metadata.name} itself does not ask the cluster's DNS: names are resolved as for its pods in namespace ${source.namespace}`
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec
  if (dnsPolicy === 'None')
    return "the pod has dnsPolicy None: it asks the servers of its dnsConfig, not the cluster's DNS"
  if (dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && hostNetwork === true))
    return `the pod asks its node's resolver (dnsPolicy ${dnsPolicy}${hostNetwork === true ? ' with hostNetwork' : ''}): names of the cluster do not resolve there`
  return undefined
}

function silentNotes({ route, source, sight, proxies }: Noted): readonly string[] {
  const isSilent = (name: string): boolean => {
    const node = sight.nodes.find(({ metadata }) => metadata.name === name)
    return proxies?.isSilent(name) ?? (node !== undefined && !isReady(node))
  }
  const deciding = route.decidedOn?.node ?? source.node
  const ends =
    route.outcome.type === 'endpoints' ? route.outcome.backends.flatMap(({ nodeName }) => nodeName ?? []) : []
  return [
    ...(isSilent(deciding)
      ? [
          proxies === undefined
            ? `node ${deciding} is not Ready: its proxy may still have an older table than this one`
            : `node ${deciding} is offline: this is the table that it had when it fell silent`,
        ]
      : []),
    ...[...new Set(ends)]
      .filter((name) => name !== source.node && isSilent(name))
      .map((name) => `node ${name} is not Ready: requests to endpoints there may time out`),
  ]
}

function healthNote({ route: { table, decidedOn, servicePort, verdict }, source }: Noted): string | undefined {
  if (source.kind !== 'outside' || table?.healthCheckNodePort === undefined || servicePort === undefined)
    return undefined
  const count = verdict?.categories.local.length ?? 0
  return `load balancers ask ${decidedOn?.node}:${table.healthCheckNodePort}/healthz, which answers ${count > 0 ? 200 : 503} (${count} local endpoints)`
}

export function notesFor(noted: Noted): readonly string[] {
  const { route } = noted
  const ignored = route.verdict?.policy === 'Cluster' ? route.verdict.categories.hintsIgnored : undefined
  const seconds = route.table?.affinitySeconds
  const ranges = route.frontend === 'LoadBalancer' ? (route.table?.sourceRanges ?? []) : []
  return [
    ...[resolverNote(noted)].filter((note) => note !== undefined),
    ...silentNotes(noted),
    ...(ignored === undefined ? [] : [`topology hints are not followed: ${ignored}`]),
    ...(seconds === undefined
      ? []
      : [`sessionAffinity ClientIP: a client keeps its endpoint until it is quiet for ${seconds} s`]),
    ...(ranges.length === 0 ? [] : [`only clients in ${ranges.join(', ')} are let in`]),
    ...[healthNote(noted)].filter((note) => note !== undefined),
  ]
}
