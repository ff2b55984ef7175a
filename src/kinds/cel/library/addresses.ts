// Addresses and ranges inside of CEL (k8s.io/apiserver/pkg/cel/library/{ip,cidr}.go).

import {
  type Address,
  formatAddress,
  parseAddress,
  parseRange,
  type Range,
  rangeContains,
} from '../../network/addresses.ts'
import { addressFault, prefixFault } from '../../network/go-address.ts'
import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { TypedValue } from '../values/typed.ts'

const [ipType, rangeType] = [parseType('net.IP'), parseType('net.CIDR')]

/** An IPv4 address in the notation of IPv6. */
const isMapped = (text: string): boolean => text.includes(':') && parseAddress(text)?.family === 4

/** What is wrong with an address; undefined if nothing. */
function faultOf(text: string): string | undefined {
  const quoted = JSON.stringify(text)
  const fault = addressFault(text)
  if (fault !== undefined) return `IP Address ${quoted} parse error during conversion from string: ${fault}`
  if (text.includes('%')) return `IP address ${quoted} with zone value is not allowed`
  return isMapped(text) ? `IPv4-mapped IPv6 address ${quoted} is not allowed` : undefined
}

class CelAddress extends TypedValue {
  readonly celType: CelType = ipType
  readonly value: Address
  constructor(value: Address) {
    super()
    this.value = value
  }

  override equals(other: CelAddress): boolean {
    return this.toString() === other.toString()
  }

  override get size(): number {
    return this.value.bytes.length
  }

  override toString(): string {
    return formatAddress(this.value)
  }
}

function addressOf(text: string): CelAddress {
  const fault = faultOf(text)
  const value = parseAddress(text)
  if (fault !== undefined || value === undefined) throw new Error(fault)
  return new CelAddress(value)
}

class CelRange extends TypedValue {
  readonly celType: CelType = rangeType
  /** The address as it was written, also where it is inside of the network. */
  readonly address: Address
  readonly value: Range
  constructor(address: Address, value: Range) {
    super()
    this.address = address
    this.value = value
  }

  override equals(other: CelRange): boolean {
    return this.toString() === other.toString()
  }

  override get size(): number {
    return Math.ceil(this.value.prefix / 8)
  }

  override toString(): string {
    return `${formatAddress(this.address)}/${this.value.prefix}`
  }
}

function rangeFault(text: string): string | undefined {
  const fault = prefixFault(text)
  if (fault !== undefined) return `network address parse error during conversion from string: ${fault}`
  const [address = ''] = text.split('/')
  return isMapped(address) ? `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` : undefined
}

function rangeOf(text: string): CelRange {
  const fault = rangeFault(text)
  const value = parseRange(text)
  const address = parseAddress(text.split('/')[0] ?? '')
  if (fault !== undefined || value === undefined || address === undefined)
    throw new Error(`network address parse error during conversion from string: ${fault}`)
  return new CelRange(address, value)
}

const isUnspecified = ({ bytes }: Address): boolean => bytes.every((byte) => byte === 0)

const isLoopback = ({ family, bytes }: Address): boolean =>
  family === 4 ? bytes[0] === 127 : bytes.every((byte, i) => byte === (i === 15 ? 1 : 0))

const isLinkLocalMulticast = ({ family, bytes: [a = 0, b = 0, c = 0] }: Address): boolean =>
  family === 4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2

const isLinkLocalUnicast = ({ family, bytes: [a = 0, b = 0] }: Address): boolean =>
  family === 4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80

const isMulticast = ({ family, bytes: [a = 0] }: Address): boolean => (family === 4 ? a >= 224 && a < 240 : a === 0xff)

const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(address.family === 4 && address.bytes.every((byte) => byte === 255))

function contains(range: Range, address: Address | undefined): boolean {
  return address !== undefined && rangeContains(range, address)
}

function containsRange(range: Range, inner: Range): boolean {
  return range.prefix <= inner.prefix && rangeContains(range, inner)
}

export function addAddresses(functions: Functions): void {
  functions.declare('ip', '(string) -> net.IP', addressOf)
  functions.declare('isIP', '(string) -> bool', (text: string) => faultOf(text) === undefined)
  functions.declare('ip.isCanonical', '(string) -> bool', (text: string) => addressOf(text).toString() === text)
  functions.declare('family', 'net.IP.() -> int', ({ value }: CelAddress) => BigInt(value.family))
  functions.declare('string', '(net.IP) -> string', String)
  const tests = { isUnspecified, isLoopback, isLinkLocalMulticast, isLinkLocalUnicast, isGlobalUnicast }
  for (const [name, test] of Object.entries(tests))
    functions.declare(name, 'net.IP.() -> bool', ({ value }: CelAddress) => test(value))
  addRanges(functions)
}

function addRanges(functions: Functions): void {
  const holdsAddress = ({ value }: CelRange, address: CelAddress): boolean => contains(value, address.value)
  const holdsRange = ({ value }: CelRange, inner: CelRange): boolean => containsRange(value, inner.value)
  functions.declare('cidr', '(string) -> net.CIDR', rangeOf)
  functions.declare('isCIDR', '(string) -> bool', (text: string) => rangeFault(text) === undefined)
  functions.declare('string', '(net.CIDR) -> string', String)
  functions.declare('containsIP', 'net.CIDR.(string) -> bool', (range: CelRange, text: string) =>
    holdsAddress(range, addressOf(text)),
  )
  functions.declare('containsIP', 'net.CIDR.(net.IP) -> bool', holdsAddress)
  functions.declare('containsCIDR', 'net.CIDR.(string) -> bool', (range: CelRange, text: string) =>
    holdsRange(range, rangeOf(text)),
  )
  functions.declare('containsCIDR', 'net.CIDR.(net.CIDR) -> bool', holdsRange)
  functions.declare('ip', 'net.CIDR.() -> net.IP', ({ address }: CelRange) => new CelAddress(address))
  functions.declare('prefixLength', 'net.CIDR.() -> int', ({ value }: CelRange) => BigInt(value.prefix))
  functions.declare('masked', 'net.CIDR.() -> net.CIDR', ({ value }: CelRange) => new CelRange(value, value))
}
