// How requests come in from outside: a load balancer, or whoever knows a node port, picks a ready node. Where a Service keeps
// traffic on its nodes, load balancers ask the health check port of each and leave out those without endpoints.

import { Node } from '#kinds'
import type { Cache } from '#reconcile'
import type { Random } from '#world'
import { categorize, type Viewpoint } from '../categorize.ts'
import { type Destination, externalAddress, portFor } from '../destination-port.ts'
import { decideRoute, type Route, type Source, type Surroundings } from '../route.ts'
import { viewOfNode } from '../surroundings.ts'

export interface Arrival {
  readonly to: Destination
  /** Of the Service that is meant, if one is. */
  readonly serviceKey: string | undefined
  readonly source: Source
}

export interface Scene {
  readonly cache: Cache
  readonly around: Surroundings
  readonly random: Random
}

/** The node by which a request comes in, and its way from there. */
export function routeFromOutside(arrival: Arrival, { cache, around, random }: Scene): readonly [Source, Route] {
  const { to, serviceKey, source } = arrival
  const nodes = cache
    .list(Node)
    .filter(isReady)
    .map(viewOfNode)
    .sort((a, b) => (a.node < b.node ? -1 : 1))
  const open = serviceKey === undefined ? nodes : nodes.filter((node) => isHealthy(node, arrival, around))
  const picked = open[random.int(Math.max(1, open.length))]
  const end = (reason: string, why: string): Route => ({
    protocol: to.protocol,
    ...(serviceKey === undefined ? {} : { service: serviceKey }),
    outcome: { type: 'drop', reason, why },
  })
  if (picked === undefined) return [source, end('NoEndpoints', 'no ready node takes traffic for it')]
  const from: Source = { ...source, ...picked }
  if (serviceKey === undefined) return [from, decideRoute({ from, to, around })]
  if (around.service(serviceKey) === undefined) return [from, end('NotExternal', `there is no Service ${serviceKey}`)]
  const table = around.tableOn(picked.node, serviceKey)
  if (table === undefined)
    return [from, end('NoTable', `the proxy of node ${picked.node} has no table for ${serviceKey}`)]
  const port = portFor(table.ports, to)
  if (port === undefined) return [from, end('NoSuchPort', `Service ${serviceKey} has no port ${to.port ?? ''}`)]
  const address = externalAddress(table, port, picked.node)
  return [
    from,
    address === undefined
      ? end('NotExternal', `Service ${serviceKey} has no load balancer, external address or node port`)
      : decideRoute({ from, to: address, around }),
  ]
}

function isHealthy(node: Viewpoint, { to, serviceKey = '' }: Arrival, around: Surroundings): boolean {
  const table = around.tableOn(node.node, serviceKey)
  if (table?.externalLocal !== true || table.healthCheckNodePort === undefined) return true
  const port = portFor(table.ports, to)
  return port === undefined || categorize({ table, port, family: 'IPv4' }, node).local.length > 0
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
