// Where a connection would go: from a pod, a node or outside, by a name or an address, through the table that decides.
// Pure: the name is looked up, the address is matched with a Service (or a node, or a pod), the verdict is the table's.

import type { Viewpoint } from './categorize.ts'
import { type Destination, noPort, numberOf, portFor } from './destination-port.ts'
import { type DnsAnswer, type Lookup, lookUp, type Zone } from './dns.ts'
import { type Backend, familyOf, mergeSlices, type PortTable, type ServiceTable } from './service-table.ts'
import { type Client, decideVerdict, type Frontend, frontendOf, type Verdict } from './verdict.ts'

export interface Source {
  readonly kind: Client['kind']
  /** The node that it is on, or, from outside, that it comes to. */
  readonly node: string
  readonly zone?: string
  /** Where short names are looked up first. */
  readonly namespace: string
  readonly address?: string
}

/** A pod by its address. */
export interface PodPlace {
  readonly pod: string
  readonly uid: string
  readonly nodeName?: string
}

export interface Surroundings extends Zone {
  tableOn(node: string, serviceKey: string): ServiceTable | undefined
  /** The Service that has an address (cluster, external or load balancer). */
  serviceAt(address: string): string | undefined
  serviceOnNodePort(port: number, protocol: string): string | undefined
  /** By name or address. */
  nodeAt(host: string): Viewpoint | undefined
  podAt(address: string): PodPlace | undefined
}

export interface Route {
  readonly lookup?: Lookup
  /** What is dialled. */
  readonly address?: string
  readonly port?: number
  readonly protocol: string
  readonly service?: string
  readonly frontend?: Frontend
  /** The port of the Service, as the deciding table has it. */
  readonly servicePort?: PortTable
  readonly table?: ServiceTable
  /** The node whose table decides. */
  readonly decidedOn?: Viewpoint
  readonly verdict?: Verdict
  readonly outcome: Outcome
}

export type Outcome =
  /** One of these, each as likely as any other. */
  | { readonly type: 'endpoints'; readonly backends: readonly Backend[]; readonly why: string }
  | { readonly type: 'reject' | 'drop' | 'unresolved' | 'outside'; readonly reason: string; readonly why: string }

interface Question {
  readonly from: Source
  readonly to: Destination
  readonly around: Surroundings
}

const isAddress = (host: string): boolean => /^\d+(\.\d+){3}$/.test(host) || host.includes(':')

export function decideRoute(question: Question): Route {
  const { from, to, around } = question
  const node = around.nodeAt(to.host)
  if (node !== undefined) return toNode(question, node)
  if (isAddress(to.host)) return toAddress(question, to.host)
  const lookup = lookUp(to.host, from.namespace, around)
  return { lookup, ...followed(question, lookup.answer) }
}

function followed(question: Question, answer: DnsAnswer): Route {
  const { protocol } = question.to
  const end = (type: 'unresolved' | 'outside', why: string): Route => ({
    protocol,
    outcome: { type, reason: type === 'outside' ? 'Outside' : 'NameNotFound', why },
  })
  switch (answer.type) {
    case 'nothing':
      return end('unresolved', answer.why)
    case 'outside':
      return end('outside', `${question.to.host} is not a name of the cluster`)
    case 'alias':
      return toAlias(question, answer)
    case 'services':
      return end('unresolved', 'an SRV name has ports and targets, no address')
    case 'addresses':
      if (answer.of === 'service') return toAddress(question, answer.addresses[0] ?? '', answer.service)
      return answer.service === undefined
        ? toAddress(question, answer.addresses[0] ?? '')
        : toEndpoints(question, answer.service, answer.addresses)
  }
}

/** A CNAME that leads into the cluster is followed, once for each Service on the way. */
function toAlias(question: Question, { service, target }: DnsAnswer & { readonly type: 'alias' }): Route {
  const { protocol } = question.to
  const next = lookUp(`${target.replace(/\.$/, '')}.`, question.from.namespace, question.around)
  if (next.answer.type === 'outside')
    return {
      service,
      protocol,
      outcome: { type: 'outside', reason: 'Outside', why: `${target} is outside of the cluster` },
    }
  if (next.answer.type === 'alias')
    return {
      service,
      protocol,
      outcome: { type: 'unresolved', reason: 'NameNotFound', why: `${target} is an alias again` },
    }
  return followed(question, next.answer)
}

interface Called {
  readonly table: ServiceTable
  readonly address: string
  readonly frontend: Frontend
  readonly servicePort: PortTable
  readonly client: Client
  readonly at: Viewpoint
}

function toAddress(question: Question, address: string, named?: string): Route {
  const { from, to, around } = question
  const key = named ?? around.serviceAt(address)
  if (key === undefined) return toPod(question, address)
  const base = { address, protocol: to.protocol, service: key }
  const table = around.tableOn(from.node, key)
  if (table === undefined)
    return {
      ...base,
      outcome: { type: 'drop', reason: 'NoTable', why: `the proxy of node ${from.node} has no table for ${key}` },
    }
  const frontend = frontendOf(table, address)
  const servicePort = portFor(table.ports, to)
  if (servicePort === undefined)
    return {
      ...base,
      table,
      frontend,
      ...numberOf(to),
      outcome: { type: 'drop', reason: 'NoSuchPort', why: noPort(key, to, table.ports) },
    }
  return called({ table, address, frontend, servicePort, client: clientAt(from, from.node), at: viewOf(from) }, to)
}

function toNode(question: Question, at: Viewpoint): Route {
  const { from, to, around } = question
  const address = to.host
  const base = { address, protocol: to.protocol, ...numberOf(to) }
  const port = numberOf(to).port
  const key = port === undefined ? undefined : around.serviceOnNodePort(port, to.protocol)
  if (port === undefined || key === undefined)
    return {
      ...base,
      outcome: {
        type: 'reject',
        reason: 'NoSuchPort',
        why: `no Service has the node port ${to.port ?? ''}/${to.protocol}`,
      },
    }
  const table = around.tableOn(at.node, key)
  const servicePort = table?.ports.find(({ nodePort, protocol }) => nodePort === port && protocol === to.protocol)
  if (table === undefined || servicePort === undefined)
    return {
      ...base,
      service: key,
      outcome: { type: 'reject', reason: 'NoTable', why: `the proxy of node ${at.node} has no such port` },
    }
  const route = called({ table, address, frontend: 'NodePort', servicePort, client: clientAt(from, at.node), at }, to)
  return { ...route, port }
}

function called({ table, address, frontend, servicePort, client, at }: Called, { protocol }: Destination): Route {
  const family = isAddress(address) ? familyOf(address) : 'IPv4'
  const verdict = decideVerdict({ table, port: servicePort, family }, { at, frontend, client })
  return {
    address,
    port: servicePort.port,
    protocol,
    service: table.service,
    frontend,
    servicePort,
    table,
    decidedOn: at,
    verdict,
    outcome:
      verdict.action === 'balance'
        ? { type: 'endpoints', backends: verdict.backends, why: verdict.why }
        : { type: verdict.action, reason: verdict.reason ?? '', why: verdict.why },
  }
}

/** A headless Service: DNS has given the addresses, no proxy is asked, and the port is the pods' own. */
function toEndpoints({ to, around }: Question, key: string, addresses: readonly string[]): Route {
  const slices = around.slices(key)
  const ports = around.service(key)?.spec.ports ?? []
  const named = typeof to.port === 'string' ? ports.find(({ name }) => name === to.port) : undefined
  const base = { protocol: to.protocol, service: key }
  if (typeof to.port === 'string' && named === undefined)
    return { ...base, outcome: { type: 'unresolved', reason: 'NoSuchPort', why: noPort(key, to, ports) } }
  const only = to.port === undefined && ports.length === 1 ? ports[0] : undefined
  const chosen = named ?? only ?? ports[0]
  const known = (['IPv4', 'IPv6'] as const).flatMap((family) => mergeSlices(slices, chosen ?? {}, family))
  const number = typeof to.port === 'number' ? to.port : undefined
  const backends = addresses.map((address): Backend => {
    const backend = known.find((one) => one.address === address)
    const blank = { address, port: number ?? 0, ready: true, serving: true, terminating: false }
    return { ...(backend ?? blank), ...(number === undefined ? {} : { port: number }), ...placeOf(address, around) }
  })
  return { ...base, ...numberOf(to), outcome: { type: 'endpoints', backends, why: 'addresses that DNS gave' } }
}

function toPod({ from, to, around }: Question, address: string): Route {
  const base = { address, protocol: to.protocol, ...numberOf(to) }
  const place = around.podAt(address)
  if (place === undefined)
    return {
      ...base,
      outcome: { type: 'outside', reason: 'Outside', why: `${address} belongs to no Service, node or pod` },
    }
  const port = numberOf(to).port
  if (port === undefined)
    return {
      ...base,
      outcome: { type: 'unresolved', reason: 'NoSuchPort', why: `give the port of the pod ${place.pod}` },
    }
  const backend = { address, port, ready: true, serving: true, terminating: false, ...placeOf(address, around) }
  return { ...base, outcome: { type: 'endpoints', backends: [backend], why: `straight from node ${from.node}` } }
}

function placeOf(address: string, around: Surroundings): Partial<Backend> {
  const place = around.podAt(address)
  return place === undefined ? {} : { ...place }
}

const viewOf = ({ node, zone }: Source): Viewpoint => ({ node, ...(zone === undefined ? {} : { zone }) })

/** Pods are known by their addresses everywhere; a node's own processes only on that node. */
const clientAt = ({ kind, node, address }: Source, at: string): Client => ({
  kind: kind === 'node' && node !== at ? 'outside' : kind,
  ...(address === undefined ? {} : { address }),
})
