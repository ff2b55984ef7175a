// Which proxy a request goes through, as Go decides it (and so Argo CD, helm and kubectl): a proxy by the scheme of what is
// asked for, unless NO_PROXY names the host. What is on this machine is always asked directly. Pure.

import { BlockList, isIP } from 'node:net'
import { proxyFault } from '#client'
import { WebFault } from './web-fault.ts'

export interface Proxies {
  readonly http?: string | undefined
  readonly https?: string | undefined
  /** Hosts, `.domains`, addresses and networks, each perhaps with a port, separated by commas; `*` is all. */
  readonly none?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

export const noProxies: Proxies = {}

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capitals or small letters. */
export function proxiesOf(environment: Environment): Proxies {
  const read = (name: string): string | undefined => environment[name] || environment[name.toLowerCase()]
  return { http: read('HTTP_PROXY'), https: read('HTTPS_PROXY'), none: read('NO_PROXY') }
}

/** The same as variables, for programs. */
export function proxyVariables({ http = '', https = '', none = '' }: Proxies): Readonly<Record<string, string>> {
  const variables = { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none }
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  )
}

/** Undefined: the host is asked directly. Throws WebFault for a proxy that cannot be used. */
export function proxyFor(url: URL, proxies: Proxies): URL | undefined {
  const text = url.protocol === 'https:' ? proxies.https : proxies.http
  if (text === undefined || text === '' || isDirect(url, proxies.none ?? '')) return undefined
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const fault = proxyFault(address)
  if (fault !== undefined) throw new WebFault(fault)
  return new URL(address)
}

function isDirect(url: URL, none: string): boolean {
  const host = bareHost(url)
  if (host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, family(host)))) return true
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return none.split(',').some((entry) => isNamed(entry.trim().toLowerCase(), host, port))
}

function isNamed(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const [, bracketed, plain, wantedPort = port] = /^(?:\[([^\]]+)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  const name = bracketed ?? plain ?? ''
  if (name === '' || wantedPort !== port) return false
  if (isIP(host) !== 0) return isInNetwork(name, host)
  const domain = name.replace(/^\*(?=\.)/, '')
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

function isInNetwork(name: string, host: string): boolean {
  const [base = '', bits] = name.split('/')
  if (isIP(base) === 0 || isIP(base) !== isIP(host)) return false
  const length = bits === undefined ? (isIP(base) === 4 ? 32 : 128) : Number(bits)
  if (!Number.isInteger(length) || length < 0 || length > (isIP(base) === 4 ? 32 : 128)) return false
  const network = new BlockList()
  network.addSubnet(base, length, family(base))
  return network.check(host, family(host))
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const bareHost = (url: URL): string =>
  url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
