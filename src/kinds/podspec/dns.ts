// Faults of what names a pod resolves, and how.

import { type FieldError, invalid, required } from '../field-error.ts'
import type { HostAlias, PodSpec } from '../generated/types.ts'
import { dnsSubdomain, dnsSubdomainWithUnderscore } from '../metadata/formats.ts'
import { checkAddress } from '../network/addresses.ts'

const maxNameservers = 3
const maxSearches = 32
const maxSearchCharacters = 2048

export function checkDnsConfig(spec: PodSpec, path: string, errors: FieldError[]): void {
  const { dnsConfig, dnsPolicy } = spec
  const nameservers = dnsConfig?.nameservers ?? []
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) {
      errors.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if (nameservers.length === 0) {
      errors.push(required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'))
      return
    }
  }
  if (dnsConfig === undefined) return
  if (nameservers.length > maxNameservers)
    errors.push(invalid(`${path}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`))
  nameservers.forEach((server, i) => {
    checkAddress(server, `${path}.nameservers[${i}]`, errors)
  })
  const searches = dnsConfig.searches ?? []
  if (searches.length > maxSearches)
    errors.push(invalid(`${path}.searches`, searches, `must not have more than ${maxSearches} search paths`))
  if (searches.join(' ').length > maxSearchCharacters)
    errors.push(
      invalid(
        `${path}.searches`,
        searches,
        `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`,
      ),
    )
  searches.forEach((search, i) => {
    if (search === '.') return
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    for (const text of dnsSubdomainWithUnderscore(name)) errors.push(invalid(`${path}.searches[${i}]`, name, text))
  })
  dnsConfig.options?.forEach((option, i) => {
    if (!option.name) errors.push(required(`${path}.options[${i}]`, 'must not be empty'))
  })
}

export function checkHostAliases(aliases: readonly HostAlias[], path: string, errors: FieldError[]): void {
  aliases.forEach((alias, i) => {
    checkAddress(alias.ip ?? '', `${path}[${i}].ip`, errors)
    alias.hostnames?.forEach((name, j) => {
      for (const text of dnsSubdomain(name)) errors.push(invalid(`${path}[${i}].hostnames[${j}]`, name, text))
    })
  })
}
