// Warnings for addresses and ranges that are taken although not everybody reads them alike: leading zeros, IPv4 within
// IPv6, bits beyond the prefix, IPv6 that is not in its canonical form (pkg/api/.../validation/ip.go).

import { formatAddress, parseAddress, parseRange } from './addresses.ts'

/** Leading zeros, or IPv4 in the form of IPv6: Go's new parser of addresses takes neither. */
const isNonStandard = (text: string, family: 4 | 6): boolean =>
  family === 4 && (text.includes(':') || /(^|[./])0\d/.test(text))

export function addressWarnings(text: string | undefined, path: string): readonly string[] {
  const address = text ? parseAddress(text) : undefined
  if (text === undefined || address === undefined) return []
  const preferred = formatAddress(address)
  const [shown, good] = [JSON.stringify(text), JSON.stringify(preferred)]
  if (isNonStandard(text, address.family)) return [`${path}: non-standard IP address ${shown} is invalid: use ${good}`]
  return text === preferred ? [] : [`${path}: IPv6 address ${shown} should be in RFC 5952 canonical format (${good})`]
}

export function rangeWarnings(text: string, path: string): readonly string[] {
  const range = parseRange(text)
  const address = parseAddress(text.slice(0, Math.max(0, text.indexOf('/'))))
  if (range === undefined || address === undefined) return []
  const [network, own] = [formatAddress(range), formatAddress(address)]
  const preferred = `${network}/${range.prefix}`
  const [shown, good] = [JSON.stringify(text), JSON.stringify(preferred)]
  const warnings: string[] = []
  if (network !== own) {
    const single = JSON.stringify(`${own}/${address.bytes.length * 8}`)
    warnings.push(`${path}: CIDR value ${shown} is ambiguous in this context (should be ${good} or ${single}?)`)
  }
  if (isNonStandard(text, range.family))
    warnings.push(`${path}: non-standard CIDR value ${shown} is invalid: use ${good}`)
  else if (range.family === 6 && text !== `${own}/${range.prefix}`)
    warnings.push(`${path}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${good})`)
  return warnings
}
