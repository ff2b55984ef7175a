// IP addresses and CIDR ranges as validation sees them: parsed to bytes, with the families and special ranges that
// Kubernetes asks about (k8s.io/apimachinery/pkg/util/validation/ip.go, k8s.io/utils/net).

import { type FieldError, invalid } from '../field-error.ts'

export interface Address {
  readonly family: 4 | 6
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[]
}

/** The address, or undefined. As Go's sloppy parser: leading zeros are allowed in IPv4; v4-mapped IPv6 counts as IPv4. */
export function parseAddress(text: string): Address | undefined {
  const four = packedFour(text)
  if (four !== undefined) return { family: 4, bytes: bytesOf(four) }
  const six = parseSix(text)
  if (six === undefined) return undefined
  const mapped = six.slice(0, 10).every((byte) => byte === 0) && six[10] === 0xff && six[11] === 0xff
  return mapped ? { family: 4, bytes: six.slice(12) } : { family: 6, bytes: six }
}

/** An IPv4 address as one number. Every write of endpoints checks many of them, so that nothing is allocated here. */
function packedFour(text: string): number | undefined {
  let [packed, byte, digits, dots] = [0, 0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= zero && code <= zero + 9) {
      byte = byte * 10 + code - zero
      digits++
      if (byte > 255) return undefined
    } else {
      if (code !== dot || digits === 0 || dots === 3) return undefined
      packed = packed * 256 + byte
      byte = 0
      digits = 0
      dots++
    }
  }
  return dots === 3 && digits > 0 ? packed * 256 + byte : undefined
}

const zero = 48
const dot = 46

const bytesOf = (packed: number): number[] => [packed >>> 24, (packed >>> 16) & 255, (packed >>> 8) & 255, packed & 255]

function parseSix(text: string): number[] | undefined {
  if (!/^[0-9a-fA-F:.]*$/.test(text) || !text.includes(':')) return undefined
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groupsOf(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

function groupsOf(text: string, mayEndInFour: boolean): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const bytes: number[] = []
  for (const [i, part] of parts.entries()) {
    if (part.includes('.')) {
      const four = i === parts.length - 1 && mayEndInFour ? packedFour(part) : undefined
      if (four === undefined) return undefined
      bytes.push(...bytesOf(four))
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = Number.parseInt(part, 16)
      bytes.push(group >> 8, group & 0xff)
    } else return undefined
  }
  return bytes
}

/** As Go prints an address: IPv6 in small letters, its longest run of zeros as `::`. */
export function formatAddress({ family, bytes }: Pick<Address, 'family' | 'bytes'>): string {
  if (family === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  )
  let [at, length] = [-1, 1]
  for (let i = 0; i < 8; i++) {
    let end = i
    while (groups[end] === '0') end++
    if (end - i > length) [at, length] = [i, end - i]
  }
  if (at < 0) return groups.join(':')
  return `${groups.slice(0, at).join(':')}::${groups.slice(at + length).join(':')}`
}

/** As URLs and columns have it: an IPv6 address stands in brackets. */
export const joinHostPort = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

export interface Range {
  readonly family: 4 | 6
  /** The network address: bits beyond the prefix are zero. */
  readonly bytes: readonly number[]
  readonly prefix: number
}

export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash))
  const prefixText = text.slice(slash + 1)
  if (address === undefined || !/^\d+$/.test(prefixText)) return undefined
  const prefix = Number(prefixText)
  if (prefix > address.bytes.length * 8) return undefined
  return { family: address.family, bytes: masked(address.bytes, prefix), prefix }
}

const masked = (bytes: readonly number[], prefix: number): readonly number[] =>
  bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - i * 8))) & 0xff)

export function rangeContains(range: Range, address: Address): boolean {
  if (range.family !== address.family) return false
  return masked(address.bytes, range.prefix).every((byte, i) => byte === range.bytes[i])
}

/** One address of each family. */
export const isDualStack = (addresses: readonly { readonly family: 4 | 6 }[]): boolean =>
  addresses.some(({ family }) => family === 4) && addresses.some(({ family }) => family === 6)

export const familyOf = (text: string): 4 | 6 | undefined =>
  packedFour(text) === undefined ? parseAddress(text)?.family : 4

export const isIPv6Text = (text: string): boolean => familyOf(text) === 6

export const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
export const rangeAddressText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

export function checkAddress(text: string, path: string, errors: FieldError[]): void {
  if (packedFour(text) === undefined && parseAddress(text) === undefined) errors.push(invalid(path, text, addressText))
}

export function checkRange(text: string, path: string, errors: FieldError[]): void {
  if (parseRange(text) === undefined) errors.push(invalid(path, text, rangeAddressText))
}

const interfaceText = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'

/** An address with the length of its network's prefix, in the form that Go prints. */
export function checkInterfaceAddress(text: string, path: string, errors: FieldError[]): void {
  const range = parseRange(text)
  const address = parseAddress(text.slice(0, text.indexOf('/')))
  if (range === undefined || address === undefined) {
    errors.push(invalid(path, text, interfaceText))
    return
  }
  const canonical = `${formatAddress(address)}/${range.prefix}`
  if (text !== canonical) errors.push(invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`))
}

/** For endpoints and external addresses: no unspecified, loopback or link-local address. */
export function checkNonSpecialAddress(text: string, path: string, errors: FieldError[]): void {
  const four = packedFour(text)
  if (four !== undefined && !mayBeSpecial(four >>> 24)) return
  const address = parseAddress(text)
  if (address === undefined) {
    errors.push(invalid(path, text, 'must be a valid IP address'))
    return
  }
  const [a = 0, b = 0, c = 0] = address.bytes
  const isFour = address.family === 4
  const isOne = address.bytes.every((byte, i) => byte === (i === 15 ? 1 : 0))
  if (address.bytes.every((byte) => byte === 0)) errors.push(invalid(path, text, `may not be unspecified (${text})`))
  if (isFour ? a === 127 : isOne)
    errors.push(invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'))
  if (isFour ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80)
    errors.push(invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'))
  if (isFour ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02)
    errors.push(invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'))
}

/** First bytes of the IPv4 addresses that have to be looked at closely. */
const mayBeSpecial = (first: number): boolean => first === 0 || first === 127 || first === 169 || first === 224
