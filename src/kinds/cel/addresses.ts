// Addresses and ranges inside of CEL (k8s.io/apiserver/pkg/cel/library/{ip,cidr}.go).

import type { Environment } from '@marcbachmann/cel-js'
import {
  type Address,
  formatAddress,
  parseAddress,
  parseRange,
  type Range,
  rangeContains,
} from '../network/addresses.ts'

/** Both hold their text, checked. */
export class CelAddress {
  readonly text: string
  readonly value: Address
  constructor(text: string) {
    const value = parseAddress(text)
    if (value === undefined)
      throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`)
    this.text = text
    this.value = value
  }
}

export class CelRange {
  readonly text: string
  readonly value: Range
  constructor(text: string) {
    const value = parseRange(text)
    if (value === undefined)
      throw new Error(`network address parse error during conversion from string: ${JSON.stringify(text)}`)
    this.text = text
    this.value = value
  }
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

const textOf = (range: Range): string => `${formatAddress(range)}/${range.prefix}`

export function addAddresses(env: Environment): void {
  env.registerType('net.IP', CelAddress)
  env.registerType('net.CIDR', CelRange)
  env.registerOperator(
    'net.IP == net.IP',
    (a: CelAddress, b: CelAddress) => formatAddress(a.value) === formatAddress(b.value),
  )
  env.registerOperator('net.CIDR == net.CIDR', (a: CelRange, b: CelRange) => textOf(a.value) === textOf(b.value))
  addIps(env)
  addRanges(env)
}

function addIps(env: Environment): void {
  env.registerFunction('isIP(string): bool', (text: string) => parseAddress(text) !== undefined)
  env.registerFunction('string(net.IP): string', ({ text }: CelAddress) => text)
  env.registerFunction('net.IP.family(): int', ({ value }: CelAddress) => BigInt(value.family))
  const tests = { isUnspecified, isLoopback, isLinkLocalMulticast, isLinkLocalUnicast, isGlobalUnicast }
  for (const [name, test] of Object.entries(tests))
    env.registerFunction(`net.IP.${name}(): bool`, ({ value }: CelAddress) => test(value))
  // `ip` is a function and, for `ip.isCanonical`, a name.
  env.registerFunction('ip(string): net.IP', (text: string) => new CelAddress(text))
  env.registerType('IPs', CelAddresses)
  env.registerConstant('ip', 'IPs', new CelAddresses())
  env.registerFunction('IPs.isCanonical(string): bool', (_all: unknown, text: string) => {
    return formatAddress(new CelAddress(text).value) === text
  })
}

class CelAddresses {}

function addRanges(env: Environment): void {
  env.registerFunction('cidr(string): net.CIDR', (text: string) => new CelRange(text))
  env.registerFunction('isCIDR(string): bool', (text: string) => parseRange(text) !== undefined)
  env.registerFunction('string(net.CIDR): string', ({ text }: CelRange) => text)
  env.registerFunction('net.CIDR.containsIP(string): bool', ({ value }: CelRange, text: string) =>
    contains(value, new CelAddress(text).value),
  )
  env.registerFunction('net.CIDR.containsIP(net.IP): bool', ({ value }: CelRange, address: CelAddress) =>
    contains(value, address.value),
  )
  env.registerFunction('net.CIDR.containsCIDR(string): bool', ({ value }: CelRange, text: string) =>
    containsRange(value, new CelRange(text).value),
  )
  env.registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', ({ value }: CelRange, inner: CelRange) =>
    containsRange(value, inner.value),
  )
  env.registerFunction('net.CIDR.prefixLength(): int', ({ value }: CelRange) => BigInt(value.prefix))
  env.registerFunction('net.CIDR.ip(): net.IP', ({ text }: CelRange) => new CelAddress(text.split('/')[0] ?? ''))
  env.registerFunction('net.CIDR.masked(): net.CIDR', ({ value }: CelRange) => new CelRange(textOf(value)))
}
