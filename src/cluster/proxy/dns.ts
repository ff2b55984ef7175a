// What the cluster's DNS answers: pure. Follows the kubernetes plug-in of CoreDNS (schema version 1.1.0): Services under
// NAME.NAMESPACE.svc, headless ones by the addresses of their ready endpoints, pods with a hostname below their Service,
// SRV for named ports, pods by their dashed address. Short names go through the search path of the asking pod.

import type { EndpointSlice, Service } from '#kinds'
import { type Backend, mergeSlices } from './service-table.ts'

/** Where names are looked up: a cache, or what a client has read. */
export interface Zone {
  service(key: string): Service | undefined
  slices(serviceKey: string): readonly EndpointSlice[]
}

export const clusterDomain = 'cluster.local'

export interface SrvRecord {
  readonly port: number
  readonly target: string
}

export type DnsAnswer =
  | {
      readonly type: 'addresses'
      readonly addresses: readonly string[]
      /** The Service that was asked for; a pod's own name has none. */
      readonly service?: string
      /** The Service's own address, or those of its endpoints. */
      readonly of: 'service' | 'endpoints' | 'pod'
    }
  | { readonly type: 'services'; readonly service: string; readonly records: readonly SrvRecord[] }
  | { readonly type: 'alias'; readonly service: string; readonly target: string }
  | { readonly type: 'outside' }
  | DnsNothing

/** NXDOMAIN. */
interface DnsNothing {
  readonly type: 'nothing'
  readonly why: string
  /** The Service that is there, while nothing is there under this name. */
  readonly service?: string
}

export interface Lookup {
  /** Every name that was asked for, in order; the last one was answered. */
  readonly asked: readonly string[]
  readonly answer: DnsAnswer
}

/** The search path of a pod whose dnsPolicy is ClusterFirst. */
export const searchPath = (namespace: string): readonly string[] => [
  `${namespace}.svc.${clusterDomain}`,
  `svc.${clusterDomain}`,
  clusterDomain,
]

/** Looks a name up as a pod of the namespace does. */
export function lookUp(name: string, namespace: string, zone: Zone): Lookup {
  const asked: string[] = []
  const failed: DnsNothing[] = []
  for (const candidate of candidates(name.toLowerCase(), namespace)) {
    asked.push(candidate)
    const answer = answerFor(candidate, zone)
    if (answer.type !== 'nothing') return { asked, answer }
    failed.push(answer)
  }
  // Of several readings, that is told of which was meant: one whose Service is there, else the one with so many labels.
  const labels = name.split('.')
  const meant = /^(svc|pod)$/.test(labels.at(-1) ?? '') ? 2 : Math.min(labels.length - 1, 1)
  const answer = failed.find(({ service }) => service !== undefined) ?? failed[meant] ?? failed[0]
  return { asked, answer: answer ?? nothing('the name is empty') }
}

/**
 * At last a resolver asks for the name as it is, which is forwarded to DNS outside of the cluster. What that would find
 * is not simulated: only a name that ends with a dot is taken for one of outside.
 */
function candidates(name: string, namespace: string): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  return name.endsWith(`.${clusterDomain}`) ? [name] : searchPath(namespace).map((suffix) => `${name}.${suffix}`)
}

const nothing = (why: string, service?: string): DnsNothing => ({
  type: 'nothing',
  why,
  ...(service === undefined ? {} : { service }),
})

/** The answer for a name in full, without the dot at its end. */
export function answerFor(name: string, zone: Zone): DnsAnswer {
  if (name !== clusterDomain && !name.endsWith(`.${clusterDomain}`)) return { type: 'outside' }
  const labels = name.slice(0, -clusterDomain.length - 1).split('.')
  const kind = labels.pop() ?? ''
  const namespace = labels.pop()
  if (kind === 'pod') return podAnswer(labels, namespace)
  if (kind !== 'svc') return nothing(`below ${clusterDomain} there are only svc and pod`)
  const service = labels.pop()
  if (namespace === undefined || service === undefined) return nothing(`${name} names no Service`)
  return serviceAnswer(`${namespace}/${service}`, labels, zone)
}

function podAnswer(labels: readonly string[], namespace: string | undefined): DnsAnswer {
  const [dashed = ''] = labels
  const address = dashed.replaceAll('-', '.')
  return labels.length === 1 && namespace !== undefined && /^\d+(\.\d+){3}$/.test(address)
    ? { type: 'addresses', addresses: [address], of: 'pod' }
    : nothing('a pod is asked for by its address with dashes: 10-244-0-7.NAMESPACE.pod')
}

/** `before`: the labels in front of the Service's name. */
function serviceAnswer(key: string, before: readonly string[], zone: Zone): DnsAnswer {
  const service = zone.service(key)
  const [namespace, name] = key.split('/')
  if (service === undefined) return nothing(`there is no Service ${name} in namespace ${namespace}`)
  const { type, externalName = '', clusterIP = '' } = service.spec
  if (type === 'ExternalName')
    return before.length === 0
      ? { type: 'alias', service: key, target: externalName }
      : nothing(`Service ${key} is of type ExternalName: it has no names below its own`, key)
  const [head, next] = before
  if (before.length === 2 && head?.startsWith('_') === true && next?.startsWith('_') === true)
    return srvAnswer(service, { key, portName: head.slice(1), protocol: next.slice(1).toUpperCase() }, zone)
  if (before.length > 1) return nothing(`nothing is named so below Service ${key}`, key)
  if (before.length === 0 && clusterIP !== 'None')
    return { type: 'addresses', service: key, addresses: service.spec.clusterIPs ?? [clusterIP], of: 'service' }
  return endpointAnswer(key, head, zone)
}

function endpointAnswer(key: string, hostname: string | undefined, zone: Zone): DnsAnswer {
  const ready = readyEndpoints(zone.slices(key))
  const named = hostname === undefined ? ready : ready.filter((endpoint) => hostnameOf(endpoint) === hostname)
  if (named.length > 0)
    return {
      type: 'addresses',
      service: key,
      addresses: [...new Set(named.map(({ address }) => address))],
      of: 'endpoints',
    }
  return nothing(
    hostname === undefined
      ? `Service ${key} is headless and has no ready endpoint`
      : `no ready endpoint of Service ${key} has the hostname ${hostname}`,
    key,
  )
}

interface SrvQuestion {
  readonly key: string
  readonly portName: string
  readonly protocol: string
}

function srvAnswer(service: Service, { key, portName, protocol }: SrvQuestion, zone: Zone): DnsAnswer {
  const port = service.spec.ports?.find(
    ({ name = '', protocol: own = 'TCP' }) => name.toLowerCase() === portName && own === protocol,
  )
  if (port === undefined) return nothing(`Service ${key} has no port _${portName}._${protocol.toLowerCase()}`, key)
  const [namespace, name] = key.split('/')
  const domain = `${name}.${namespace}.svc.${clusterDomain}`
  if (service.spec.clusterIP !== 'None')
    return { type: 'services', service: key, records: [{ port: port.port, target: domain }] }
  const slices = zone.slices(key)
  const records = (['IPv4', 'IPv6'] as const)
    .flatMap((family) => mergeSlices(slices, port, family))
    .filter(({ ready }) => ready)
    .map((backend) => ({ port: backend.port, target: `${hostnameOf(backend)}.${domain}` }))
  return records.length > 0
    ? { type: 'services', service: key, records }
    : nothing(`Service ${key} is headless and has no ready endpoint`, key)
}

/** An endpoint without a hostname is called by its address. */
const hostnameOf = ({ hostname, address }: Pick<Backend, 'hostname' | 'address'>): string =>
  hostname ?? address.replaceAll('.', '-').replaceAll(':', '-')

function readyEndpoints(slices: readonly EndpointSlice[]): readonly Pick<Backend, 'hostname' | 'address'>[] {
  return slices
    .filter(({ addressType }) => addressType !== 'FQDN')
    .flatMap(({ endpoints }) => endpoints ?? [])
    .flatMap(({ addresses: [address], hostname, conditions }) =>
      address === undefined || conditions?.ready === false
        ? []
        : [hostname === undefined ? { address } : { address, hostname }],
    )
    .sort((a, b) => (a.address < b.address ? -1 : 1))
}
