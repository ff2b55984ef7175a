// The functions that Kubernetes adds to CEL (k8s.io/apiserver/pkg/cel/library and cel-go's extensions), as far as
// policies and definitions use them: lists, strings, regular expressions, URLs, quantities, addresses, versions.

import type { Environment } from '@marcbachmann/cel-js'
import { addQuantity, compareQuantity, parseQuantity, quantityValue, subtractQuantity } from '#objects'
import { findAllMatches, findMatch } from '../customresource/pattern.ts'
import { parseAddress, parseRange, rangeContains } from '../network/addresses.ts'
import { addVersions } from './semver.ts'

/** A quantity inside of CEL. */
export class CelQuantity {
  readonly text: string
  constructor(text: string) {
    parseQuantity(text)
    this.text = text
  }
}

type Comparable = bigint | number | string

const less = (a: Comparable, b: Comparable): boolean => a < b

const isQuantity = (text: string): boolean => {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}

function addLists(env: Environment): void {
  env.registerFunction('list.isSorted(): bool', (list: readonly Comparable[]) =>
    list.every((element, i) => i === 0 || !less(element, list[i - 1] as Comparable)),
  )
  env.registerFunction('list.sum(): dyn', (list: readonly (bigint | number)[]) => {
    if (list.every((element): element is bigint => typeof element === 'bigint'))
      return list.reduce((sum, element) => sum + element, 0n)
    return list.reduce<number>((sum, element) => sum + Number(element), 0)
  })
  const extreme = (list: readonly Comparable[], better: (a: Comparable, b: Comparable) => boolean): Comparable => {
    const [first, ...rest] = list
    if (first === undefined) throw new Error('min/max called on empty list')
    return rest.reduce((best, element) => (better(element, best) ? element : best), first)
  }
  env.registerFunction('list.min(): dyn', (list: readonly Comparable[]) => extreme(list, less))
  env.registerFunction('list.max(): dyn', (list: readonly Comparable[]) => extreme(list, (a, b) => less(b, a)))
  env.registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], value: unknown) =>
    BigInt(list.indexOf(value)),
  )
  env.registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], value: unknown) =>
    BigInt(list.lastIndexOf(value)),
  )
}

function addRegex(env: Environment): void {
  env.registerFunction('string.find(string): string', (text: string, pattern: string) => findMatch(pattern, text) ?? '')
  env.registerFunction('string.findAll(string): list', (text: string, pattern: string) => [
    ...findAllMatches(pattern, text),
  ])
}

function addQuantities(env: Environment): void {
  env.registerType('Quantity', CelQuantity)
  env.registerFunction('quantity(string): Quantity', (text: string) => new CelQuantity(text))
  env.registerFunction('isQuantity(string): bool', isQuantity)
  env.registerFunction(
    'Quantity.isGreaterThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => compareQuantity(a.text, b.text) > 0,
  )
  env.registerFunction(
    'Quantity.isLessThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => compareQuantity(a.text, b.text) < 0,
  )
  env.registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) =>
    BigInt(Math.sign(compareQuantity(a.text, b.text))),
  )
  env.registerFunction(
    'Quantity.add(Quantity): Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(addQuantity(a.text, b.text)),
  )
  env.registerFunction(
    'Quantity.sub(Quantity): Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(subtractQuantity(a.text, b.text)),
  )
  env.registerFunction('Quantity.asInteger(): int', (a: CelQuantity) => BigInt(quantityValue(a.text)))
  env.registerFunction(
    'Quantity.asApproximateFloat(): double',
    (a: CelQuantity) => Number(parseQuantity(a.text).nano) / 1e9,
  )
  env.registerFunction('Quantity.sign(): int', (a: CelQuantity) => BigInt(Math.sign(compareQuantity(a.text, 0))))
}

/** An address, a range or a URL inside of CEL: its text, checked. */
export class CelAddress {
  readonly text: string
  constructor(text: string) {
    if (parseAddress(text) === undefined)
      throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`)
    this.text = text
  }
}

export class CelRange {
  readonly text: string
  constructor(text: string) {
    if (parseRange(text) === undefined)
      throw new Error(`network address parse error during conversion from string: ${JSON.stringify(text)}`)
    this.text = text
  }
}

function addAddresses(env: Environment): void {
  env.registerType('net.IP', CelAddress)
  env.registerType('net.CIDR', CelRange)
  env.registerFunction('ip(string): net.IP', (text: string) => new CelAddress(text))
  env.registerFunction('isIP(string): bool', (text: string) => parseAddress(text) !== undefined)
  env.registerFunction('cidr(string): net.CIDR', (text: string) => new CelRange(text))
  env.registerFunction('isCIDR(string): bool', (text: string) => parseRange(text) !== undefined)
  env.registerFunction('net.IP.family(): int', ({ text }: CelAddress) => BigInt(parseAddress(text)?.family ?? 0))
  env.registerFunction('net.CIDR.containsIP(string): bool', ({ text }: CelRange, address: string) =>
    contains(text, address),
  )
  env.registerFunction('net.CIDR.containsIP(net.IP): bool', ({ text }: CelRange, address: CelAddress) =>
    contains(text, address.text),
  )
  env.registerFunction('net.CIDR.prefixLength(): int', ({ text }: CelRange) => BigInt(text.split('/')[1] ?? 0))
}

function contains(rangeText: string, addressText: string): boolean {
  const [range, address] = [parseRange(rangeText), parseAddress(addressText)]
  return range !== undefined && address !== undefined && rangeContains(range, address)
}

function addUrls(env: Environment): void {
  env.registerType('net.URL', URL)
  env.registerFunction('url(string): net.URL', (text: string) => new URL(text))
  env.registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
  env.registerFunction('net.URL.getScheme(): string', (url: URL) => url.protocol.replace(/:$/, ''))
  env.registerFunction('net.URL.getHost(): string', (url: URL) => url.host)
  env.registerFunction('net.URL.getHostname(): string', (url: URL) => url.hostname)
  env.registerFunction('net.URL.getPort(): string', (url: URL) => url.port)
  env.registerFunction('net.URL.getEscapedPath(): string', (url: URL) => url.pathname)
}

/** Declares everything above. */
export function addKubernetesLibrary(env: Environment): void {
  for (const add of [addLists, addRegex, addQuantities, addAddresses, addUrls, addVersions]) add(env)
}
