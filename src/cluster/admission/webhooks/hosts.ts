// Which addresses outside of the cluster webhooks are called at. A configuration may come from a repository, and whoever is
// called sees what is written, Secrets too: hosts are named by the operator. Pure.

import { BlockList, isIP } from 'node:net'

/** Stands for this machine. */
export const thisMachine = 'loopback'

/** Webhooks that somebody tries out on this machine need no leave. */
export const defaultHosts: readonly string[] = [thisMachine]

const shape = /^(?:\*|\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i
const httpsPort = '443'

/** Why a text names no hosts; undefined when it does. */
export function hostFault(text: string): string | undefined {
  const port = shape.exec(text)?.[1]
  if (shape.test(text) && (port === undefined || Number(port) <= 65_535)) return undefined
  return 'give a host, host:port, .domain for all below it, or * for all'
}

export function mayCall(hosts: readonly string[], url: URL): boolean {
  const host = bare(url.hostname)
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : httpsPort) : url.port
  return hosts.some((entry) => (entry === thisMachine ? isLoopback(host) : isNamed(entry.toLowerCase(), host, port)))
}

function isNamed(entry: string, host: string, port: string): boolean {
  const wantedPort = shape.exec(entry)?.[1]
  if (wantedPort !== undefined && Number(wantedPort) !== Number(port)) return false
  const name = bare(wantedPort === undefined ? entry : entry.slice(0, -wantedPort.length - 1))
  return name === '*' || name === host || (name.startsWith('.') && host.endsWith(name))
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  const version = isIP(host)
  if (version === 0) return host === 'localhost' || host.endsWith('.localhost')
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
