// Forms of addresses: newer fields take an address in its one standard form, older ones take all that can be read and warn.

import { type FieldError, invalid, quote } from '../field-error.ts'
import { addressText, familyOf, formatAddress, parseAddress, parseRange, rangeAddressText } from './addresses.ts'

/** Readers other than Kubernetes' take such a number for octal. */
const hasLeadingZeros = (text: string): boolean => /(?:^|[.:])0\d+\.|\.0\d+$/.test(text)

const isMapped = (text: string): boolean => text.includes(':') && familyOf(text) === 4

interface RangeForms {
  readonly address: string
  readonly network: string
  /** The network as it should be written. */
  readonly canonical: string
  /** The range of the one address that is named. */
  readonly single: string
  readonly hasZeros: boolean
  readonly isMapped: boolean
}

function formsOf(text: string): RangeForms | undefined {
  const range = parseRange(text)
  const [addressPart = '', prefixPart = ''] = text.split('/')
  const parsed = parseAddress(addressPart)
  if (range === undefined || parsed === undefined) return undefined
  const [address, network] = [formatAddress(parsed), formatAddress(range)]
  return {
    address,
    network,
    canonical: `${network}/${range.prefix}`,
    single: `${address}/${range.bytes.length * 8}`,
    hasZeros: hasLeadingZeros(addressPart) || /^0\d/.test(prefixPart),
    isMapped: isMapped(addressPart),
  }
}

export function checkStandardAddress(text: string, path: string, errors: FieldError[]): void {
  const refuse = (detail: string): unknown => errors.push(invalid(path, text, detail))
  const parsed = parseAddress(text)
  if (parsed === undefined) refuse(addressText)
  else if (hasLeadingZeros(text)) refuse('must not have leading 0s')
  else if (isMapped(text)) refuse('must not be an IPv4-mapped IPv6 address')
  else if (formatAddress(parsed) !== text) refuse(`must be in canonical form (${quote(formatAddress(parsed))})`)
}

export function checkStandardRange(text: string, path: string, errors: FieldError[]): void {
  const refuse = (detail: string): unknown => errors.push(invalid(path, text, detail))
  const forms = formsOf(text)
  if (forms === undefined) refuse(rangeAddressText)
  else if (forms.hasZeros) refuse('must not have leading 0s in IP or prefix length')
  else if (forms.isMapped) refuse('must not have an IPv4-mapped IPv6 address')
  else if (forms.address !== forms.network) refuse('must not have bits set beyond the prefix length')
  else if (forms.canonical !== text) refuse(`must be in canonical form (${quote(forms.canonical)})`)
}

export function addressWarnings(text: string | undefined, path: string): readonly string[] {
  // Slices of endpoints hold many plain addresses, which are passed by without reading them whole.
  if (!text || (!text.includes(':') && !hasLeadingZeros(text))) return []
  const parsed = parseAddress(text)
  if (parsed === undefined) return []
  const standard = quote(formatAddress(parsed))
  if (hasLeadingZeros(text) || isMapped(text))
    return [
      `${path}: non-standard IP address ${quote(text)} will be considered invalid in a future Kubernetes release: use ${standard}`,
    ]
  if (parsed.family === 4 || quote(text) === standard) return []
  return [`${path}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${standard})`]
}

export function rangeWarnings(text: string, path: string): readonly string[] {
  const forms = formsOf(text)
  if (forms === undefined) return []
  const { address, network, canonical, single } = forms
  const warnings: string[] = []
  if (address !== network)
    warnings.push(
      `${path}: CIDR value ${quote(text)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    )
  if (forms.hasZeros || forms.isMapped)
    warnings.push(
      `${path}: non-standard CIDR value ${quote(text)} will be considered invalid in a future Kubernetes release: use ${quote(canonical)}`,
    )
  if (warnings.length > 0 || !network.includes(':') || canonical === text) return warnings
  return [`${path}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`]
}
