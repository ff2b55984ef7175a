// Which ServiceCIDRs an address or a range lies in, and whether one may go. Pure.

import { type IPAddress, parseAddress, parseRange, type ServiceCIDR } from '#kinds'

type Range = NonNullable<ReturnType<typeof parseRange>>
type Address = NonNullable<ReturnType<typeof parseAddress>>

const managedByLabel = 'ipaddress.kubernetes.io/managed-by'
const familyLabel = 'ipaddress.kubernetes.io/ip-family'

const rangesOf = ({ spec }: ServiceCIDR): readonly Range[] =>
  (spec?.cidrs ?? []).flatMap((text) => parseRange(text) ?? [])

/** Addresses of Services; others that people wrote hold nothing. */
export const isOfService = ({ metadata }: IPAddress): boolean =>
  metadata.labels?.[managedByLabel] === 'ipallocator.k8s.io'

const bit = (bytes: readonly number[], i: number): number => ((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1

function startsAlike(a: readonly number[], b: readonly number[], bits: number): boolean {
  for (let i = 0; i < bits; i++) if (bit(a, i) !== bit(b, i)) return false
  return true
}

const containsRange = (outer: Range, inner: Range): boolean =>
  outer.family === inner.family && outer.prefix <= inner.prefix && startsAlike(outer.bytes, inner.bytes, outer.prefix)

/** Without the address of the network and, in IPv4, the last one: those are never given out. */
function containsAddress(range: Range, { family, bytes }: Address): boolean {
  if (range.family !== family || !startsAlike(range.bytes, bytes, range.prefix)) return false
  const hostBits = Array.from({ length: bytes.length * 8 - range.prefix }, (_, i) => bit(bytes, range.prefix + i))
  return hostBits.includes(1) && (family === 6 || hostBits.includes(0))
}

export function overlaps(one: ServiceCIDR, other: ServiceCIDR): boolean {
  return rangesOf(one).some((a) => rangesOf(other).some((b) => containsRange(a, b) || containsRange(b, a)))
}

export function holdsAddress(cidr: ServiceCIDR, { metadata }: IPAddress): boolean {
  const address = parseAddress(metadata.name ?? '')
  return address !== undefined && rangesOf(cidr).some((range) => containsAddress(range, address))
}

/** Once no address of a Service would be left outside of all ranges. */
export function mayGo(cidr: ServiceCIDR, all: readonly ServiceCIDR[], addresses: readonly IPAddress[]): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name)
  const isInside = rangesOf(cidr).every((range) =>
    others.some((other) => rangesOf(other).some((outer) => containsRange(outer, range))),
  )
  if (isInside) return true
  return !addresses.some(
    (address) =>
      isOfService(address) &&
      address.metadata.labels?.[familyLabel] !== undefined &&
      holdsAddress(cidr, address) &&
      !others.some((other) => holdsAddress(other, address)),
  )
}
