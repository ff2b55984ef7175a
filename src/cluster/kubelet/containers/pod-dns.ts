// Where a pod asks for names: its /etc/resolv.conf, by dnsPolicy and dnsConfig, and what had to be left out of it
// (pkg/kubelet/network/dns). Pure.

import type { Pod, PodDNSConfigOption } from '#kinds'
import { clusterDomain } from './host-name.ts'

/** Where the DNS of clusters is, by kubeadm's rule. */
const clusterAddress = '10.96.0.10'
/** What nodes ask themselves. */
const nodeResolver: PodDns = { nameservers: ['10.0.0.2'], searches: [], options: [] }

const mostNameservers = 3
const mostSearches = 32
const longestSearch = 253
const longestSearchLine = 2048

export interface PodDns {
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  readonly options: readonly string[]
}

export interface FormedDns {
  readonly dns: PodDns
  /** Texts of the DNSConfigForming events. */
  readonly omissions: readonly string[]
}

function baseOf({ metadata, spec }: Pod): PodDns {
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false } = spec
  if (dnsPolicy === 'None') return { nameservers: [], searches: [], options: [] }
  const isOfCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork)
  if (!isOfCluster) return nodeResolver
  const searches = [`${metadata.namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain]
  return { nameservers: [clusterAddress], searches, options: ['ndots:5'] }
}

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)]

function mergedOptions(base: readonly string[], own: readonly PodDNSConfigOption[]): readonly string[] {
  const names = new Set(own.map(({ name }) => name))
  const text = ({ name = '', value }: PodDNSConfigOption): string => (value ? `${name}:${value}` : name)
  return [...base.filter((option) => !names.has(option.split(':', 1)[0] ?? '')), ...own.map(text)]
}

export function dnsOf(pod: Pod): FormedDns {
  const base = baseOf(pod)
  const { nameservers = [], searches = [], options = [] } = pod.spec.dnsConfig ?? {}
  const asked = unique([...base.nameservers, ...nameservers])
  const paths = unique([...base.searches, ...searches])
  const dns = {
    nameservers: asked.slice(0, mostNameservers),
    searches: fitting(paths),
    options: mergedOptions(base.options, options),
  }
  const omissions: string[] = []
  const tell = (what: string, omitted: string, line: string, applied: readonly string[]): void => {
    omissions.push(
      `${what} limits were exceeded, some ${omitted} have been omitted, the applied ${line} line is: ${applied.join(' ')}`,
    )
  }
  if (dns.nameservers.length < asked.length) tell('Nameserver', 'nameservers', 'nameserver', dns.nameservers)
  if (dns.searches.length < paths.length) tell('Search Line', 'search paths', 'search', dns.searches)
  return { dns, omissions }
}

function fitting(paths: readonly string[]): readonly string[] {
  const fit = paths.slice(0, mostSearches).filter((path) => path.length <= longestSearch)
  while (fit.join(' ').length > longestSearchLine) fit.pop()
  return fit
}

export function resolvConf({ nameservers, searches, options }: PodDns): string {
  const lines = [
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
