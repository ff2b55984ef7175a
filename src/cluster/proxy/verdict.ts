// What a node's table does with a connection to one of a Service's addresses: pure. One endpoint of several, a refusal
// (REJECT, when there is no endpoint at all), or silence (DROP, when a Local policy leaves none).

import { parseAddress, parseRange, rangeContains } from '#kinds'
import { type Categories, categorize, type PortOfTable, type Viewpoint } from './categorize.ts'
import type { Backend, ServiceTable } from './service-table.ts'

/** Which of its addresses a Service is called by. */
export type Frontend = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalIP'

/** Where a connection comes from, as the node sees it whose table decides. */
export interface Client {
  /** A pod of the cluster, a process of this very node, or anything else. */
  readonly kind: 'pod' | 'node' | 'outside'
  readonly address?: string
}

export interface Call {
  readonly at: Viewpoint
  readonly frontend: Frontend
  readonly client: Client
}

export interface Verdict {
  readonly action: 'balance' | 'reject' | 'drop'
  /** Each as likely as any other; empty unless `balance`. */
  readonly backends: readonly Backend[]
  /** Which policy the chain follows. */
  readonly policy: 'Cluster' | 'Local'
  readonly why: string
  /** Unless `balance`. */
  readonly reason?: 'NoEndpoints' | 'NoLocalEndpoints' | 'NotAllowed'
  readonly categories: Categories
}

/** What comes from inside to an external address is not bound to the node by externalTrafficPolicy. */
export const policyOf = (table: ServiceTable, { frontend, client }: Call): 'Cluster' | 'Local' =>
  (frontend === 'ClusterIP' ? table.internalLocal : table.externalLocal && client.kind === 'outside')
    ? 'Local'
    : 'Cluster'

export function decideVerdict(of: PortOfTable, call: Call): Verdict {
  const { table } = of
  const policy = policyOf(table, call)
  const categories = categorize(of, call.at)
  const backends = policy === 'Local' ? categories.local : categories.cluster
  const end = (reason: NonNullable<Verdict['reason']>, why: string): Verdict => ({
    action: reason === 'NoEndpoints' ? 'reject' : 'drop',
    backends: [],
    policy,
    why,
    reason,
    categories,
  })
  if (!categories.hasAny) return end('NoEndpoints', `${table.service} has no endpoints`)
  if (!isAllowed(table, call)) return end('NotAllowed', `${call.client.address} is not in loadBalancerSourceRanges`)
  if (backends.length === 0)
    return end('NoLocalEndpoints', `${table.service} has no local endpoints on node ${call.at.node}`)
  return { action: 'balance', backends, policy, why: whyThese(backends), categories }
}

const whyThese = (backends: readonly Backend[]): string =>
  backends.some(({ ready }) => ready) ? 'ready endpoints' : 'no endpoint is ready: terminating ones that still serve'

/** The load balancer's own list of clients; a node may always call itself. */
function isAllowed({ sourceRanges }: ServiceTable, { frontend, client }: Call): boolean {
  if (frontend !== 'LoadBalancer' || sourceRanges.length === 0 || client.kind === 'node') return true
  const address = client.address === undefined ? undefined : parseAddress(client.address)
  if (address === undefined) return true
  return sourceRanges.some((text) => {
    const range = parseRange(text.trim())
    return range !== undefined && rangeContains(range, address)
  })
}

/** By which kind of its addresses a Service is called. */
export function frontendOf(table: ServiceTable, address: string): Frontend {
  if (table.clusterIPs.includes(address)) return 'ClusterIP'
  return table.externalIPs.includes(address) ? 'ExternalIP' : 'LoadBalancer'
}
