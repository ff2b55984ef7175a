// `route SERVICE --from NODE|POD`: how the name resolves, whose table decides, which endpoints are in and out and why, and
// where the request would go. Observes through the client, decides with the proxy's own rules, writes nothing.

import type { Client } from '#client'
import { Pod, type Service } from '#kinds'
import { objectKey } from '#objects'
import {
  type Backend,
  type Destination,
  decideRoute,
  externalAddress,
  mergeSlices,
  type Route,
  type Source,
} from '#proxy'
import { type Candidate, dnsCandidates, podsWithout, tableCandidates } from './candidates.ts'
import { notesFor } from './notes.ts'
import { lookAround, type Origin, originOf, type Proxies, RouteError, type Sight } from './observe.ts'

export interface RouteQuestion {
  /** `web`, `web.shop`, `web.shop:http`, `web.shop.svc.cluster.local:80`. */
  readonly target: string
  /** A node or a pod. */
  readonly from: string
  /** Of a pod, or where a node's short names are looked up. */
  readonly namespace?: string
  /** Traffic from outside that comes to that node. */
  readonly external?: boolean
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP'
  readonly proxies?: Proxies
}

export interface RouteReport {
  readonly target: string
  readonly from: { readonly kind: Source['kind']; readonly name: string; readonly node: string; readonly zone?: string }
  readonly name?: { readonly asked: readonly string[]; readonly answer: string }
  readonly service?: string
  /** `ClusterIP 10.96.0.9, port 80/TCP (http) → targetPort 8080`. */
  readonly address?: string
  readonly table?: { readonly node: string; readonly policy: string; readonly rule: string }
  readonly candidates: readonly Candidate[]
  readonly result: {
    readonly type: Route['outcome']['type']
    readonly text: string
    readonly endpoints: readonly string[]
  }
  readonly notes: readonly string[]
}

export async function explainRoute(client: Client, question: RouteQuestion): Promise<RouteReport> {
  const to = destinationOf(question)
  const origin = await originOf(client, question.from, question.namespace)
  const sight = await lookAround(client, { ...to, proxies: question.proxies })
  const source: Source = question.external === true ? { ...origin.source, kind: 'outside' } : origin.source
  const named = decideRoute({ from: origin.source, to, around: sight.around })
  check(named, to, sight)
  const route =
    question.external === true
      ? decideRoute({ from: source, to: fromOutside(named, origin), around: sight.around })
      : named
  const lookup = question.external === true ? undefined : named.lookup
  const candidates = await candidatesOf(client, route, sight)
  return {
    target: question.target,
    from: nameOf(origin, source),
    ...(lookup === undefined ? {} : { name: { asked: lookup.asked, answer: answerText(named) } }),
    ...(route.service === undefined ? {} : { service: route.service }),
    ...(addressText(route) === undefined ? {} : { address: addressText(route) as string }),
    ...(tableText(route) ?? {}),
    candidates,
    result: resultOf(route),
    notes: notesFor({ route, origin, source, sight, proxies: question.proxies }),
  }
}

function destinationOf({ target, protocol = 'TCP' }: RouteQuestion): Destination {
  const colon = target.lastIndexOf(':')
  const host = colon < 0 ? target : target.slice(0, colon)
  const port = colon < 0 ? undefined : target.slice(colon + 1)
  if (host === '' || port === '' || host.includes(':') || host.includes('/'))
    throw new RouteError(`${target} is not SERVICE[.NAMESPACE][:PORT]`)
  return { host, protocol, ...(port === undefined ? {} : { port: /^\d+$/.test(port) ? Number(port) : port }) }
}

/** What does not exist is an error; what exists and leads nowhere is an answer. */
function check({ lookup, outcome }: Route, { host }: Destination, { services }: Sight): void {
  if (outcome.type === 'outside' || outcome.type === 'endpoints') return
  if (outcome.reason === 'NoSuchPort') throw new RouteError(outcome.why)
  if (lookup?.answer.type !== 'nothing' || lookup.answer.service !== undefined) return
  const [name] = host.split('.')
  const others = services
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => `${name}.${metadata.namespace}`)
  const hint = others.length === 0 ? '' : `; there is ${others.join(', ')}`
  throw new RouteError(`${host} does not resolve (NXDOMAIN): ${lookup.answer.why}${hint}`)
}

function fromOutside({ service = '', servicePort, table }: Route, { node }: Origin): Destination {
  if (table === undefined || servicePort === undefined || !table.isExternal)
    throw new RouteError(
      `nothing leads to Service ${service} from outside: it has no node port, load balancer or external address`,
    )
  const address = externalAddress(table, servicePort, node.metadata.name ?? '')
  if (address === undefined) throw new RouteError(`Service ${service} has no address yet`)
  return address
}

const nameOf = ({ pod, node }: Origin, { kind, node: nodeName, zone }: Source): RouteReport['from'] => ({
  kind: pod === undefined ? kind : 'pod',
  name: pod === undefined ? (node.metadata.name ?? '') : objectKey(pod),
  node: nodeName,
  ...(zone === undefined ? {} : { zone }),
})

function answerText({ lookup }: Route): string {
  const answer = lookup?.answer
  switch (answer?.type) {
    case 'addresses':
      return answer.of === 'service'
        ? `${answer.addresses.join(', ')} (its cluster IP)`
        : `${answer.addresses.length} address${answer.addresses.length === 1 ? '' : 'es'} of ready endpoints`
    case 'alias':
      return `CNAME ${answer.target}`
    case 'services':
      return answer.records.map(({ port, target }) => `SRV ${port} ${target}`).join(', ')
    case 'nothing':
      return `NXDOMAIN: ${answer.why}`
    default:
      return 'not a name of the cluster'
  }
}

function addressText({ address, frontend, port, protocol, servicePort }: Route): string | undefined {
  if (address === undefined || servicePort === undefined) return undefined
  const name = servicePort.name === '' ? '' : ` (${servicePort.name})`
  return `${frontend} ${address}, port ${port ?? ''}/${protocol}${name}, targetPort ${servicePort.targetPort}`
}

function tableText({ verdict, decidedOn, frontend, table }: Route): Pick<RouteReport, 'table'> | undefined {
  if (verdict === undefined || decidedOn === undefined || table === undefined) return undefined
  const field = frontend === 'ClusterIP' ? 'internalTrafficPolicy' : 'externalTrafficPolicy'
  const isShortCut = frontend !== 'ClusterIP' && table.externalLocal && verdict.policy === 'Cluster'
  const { mode } = verdict.categories
  const rule = isShortCut
    ? 'traffic from inside goes to all endpoints, whatever externalTrafficPolicy says'
    : mode === 'PreferSameZone'
      ? `topology hints: endpoints for zone ${decidedOn.zone ?? ''}`
      : mode === 'PreferSameNode'
        ? `topology hints: endpoints for node ${decidedOn.node}`
        : verdict.policy === 'Local'
          ? 'endpoints on this node only'
          : 'all endpoints alike'
  return { table: { node: decidedOn.node, policy: `${field} ${isShortCut ? 'Local' : verdict.policy}`, rule } }
}

async function candidatesOf(client: Client, route: Route, { around, services }: Sight): Promise<readonly Candidate[]> {
  const service = services.find((one) => objectKey(one) === route.service)
  if (service === undefined) return dnsCandidates(route, [])
  const isHeadless = service.spec.clusterIP === 'None'
  const known = isHeadless
    ? dnsCandidates(route, endpointsOf(service, around.slices(objectKey(service)), route))
    : tableCandidates(route)
  const selector = Object.entries(service.spec.selector ?? {}).map(([key, value]) => `${key}=${value}`)
  if (selector.length === 0) return known
  const { items } = await client.list(Pod, {
    namespace: service.metadata.namespace ?? '',
    labelSelector: selector.join(','),
  })
  return [...known, ...podsWithout(known, items)]
}

/** What stands in the slices of a headless Service, ready or not. */
function endpointsOf(
  { spec }: Service,
  slices: Parameters<typeof mergeSlices>[0],
  { port }: Route,
): readonly Backend[] {
  const [first] = spec.ports ?? []
  return (['IPv4', 'IPv6'] as const)
    .flatMap((family) => mergeSlices(slices, first ?? {}, family))
    .map((backend) => (port === undefined ? backend : { ...backend, port }))
}

function resultOf({ outcome, address, port }: Route): RouteReport['result'] {
  const endpoints = outcome.type === 'endpoints' ? outcome.backends.map((one) => `${one.address}:${one.port}`) : []
  const at = `${address ?? ''}${port === undefined ? '' : `:${port}`}`
  const text = {
    endpoints:
      endpoints.length === 1
        ? `goes to ${endpoints[0]}`
        : `goes to one of ${endpoints.length} endpoints, each as likely as any other`,
    reject: `refused (REJECT): the client sees "connect: connection refused" from ${at}`,
    drop: `dropped (DROP): the client waits for ${at} until it times out`,
    unresolved: 'not sent: the name does not resolve',
    outside: 'leaves the cluster',
  }[outcome.type]
  return { type: outcome.type, text: outcome.type === 'endpoints' ? text : `${text}; ${outcome.why}`, endpoints }
}
