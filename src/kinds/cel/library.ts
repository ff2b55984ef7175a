// The functions that Kubernetes adds to CEL (k8s.io/apiserver/pkg/cel/library and cel-go's extensions), as far as
// policies and definitions use them: lists, strings, regular expressions, URLs, quantities, addresses, versions.

import type { Environment } from '@marcbachmann/cel-js'
import { addQuantity, compareQuantity, parseQuantity, quantityValue, subtractQuantity } from '#objects'
import { findAllMatches, findMatch, isPattern, matchesPattern } from '../customresource/pattern.ts'
import { addAddresses } from './addresses.ts'
import { addTwoVariableMacros } from './comprehensions.ts'
import { addFormats } from './formats.ts'
import { addLists, addSets } from './lists.ts'
import { re2Matches } from './mend.ts'
import { addVersions } from './semver.ts'
import { addStrings } from './strings.ts'

/** A quantity inside of CEL. */
export class CelQuantity {
  readonly text: string
  constructor(text: string) {
    parseQuantity(text)
    this.text = text
  }
}

const isQuantity = (text: string): boolean => {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}

function matches(text: string, pattern: string): boolean {
  if (!isPattern(pattern)) throw new Error(`error parsing regexp: invalid regexp: \`${pattern}\``)
  return matchesPattern(pattern, text)
}

function addRegex(env: Environment): void {
  env.registerFunction(`string.${re2Matches}(string): bool`, matches)
  env.registerFunction('matches(string, string): bool', matches)
  env.registerFunction('string.find(string): string', (text: string, pattern: string) => findMatch(pattern, text) ?? '')
  env.registerFunction('string.findAll(string): list', (text: string, pattern: string) => [
    ...findAllMatches(pattern, text),
  ])
}

function addQuantities(env: Environment): void {
  env.registerType('Quantity', CelQuantity)
  env.registerOperator(
    'Quantity == Quantity',
    (a: CelQuantity, b: CelQuantity) => compareQuantity(a.text, b.text) === 0,
  )
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
  env.registerFunction(
    'Quantity.add(int): Quantity',
    (a: CelQuantity, b: bigint) => new CelQuantity(addQuantity(a.text, String(b))),
  )
  env.registerFunction(
    'Quantity.sub(int): Quantity',
    (a: CelQuantity, b: bigint) => new CelQuantity(subtractQuantity(a.text, String(b))),
  )
  env.registerFunction(
    'Quantity.isInteger(): bool',
    (a: CelQuantity) => parseQuantity(a.text).nano % 1_000_000_000n === 0n,
  )
  env.registerFunction('Quantity.asInteger(): int', (a: CelQuantity) => BigInt(quantityValue(a.text)))
  env.registerFunction(
    'Quantity.asApproximateFloat(): double',
    (a: CelQuantity) => Number(parseQuantity(a.text).nano) / 1e9,
  )
  env.registerFunction('Quantity.sign(): int', (a: CelQuantity) => BigInt(Math.sign(compareQuantity(a.text, 0))))
}

/** As Go's ParseRequestURI: absolute, or a path. */
function parseUrl(text: string): URL | undefined {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) return URL.canParse(text) ? new URL(text) : undefined
  return text.startsWith('/') && URL.canParse(text, base) ? new URL(text, base) : undefined
}

/** What stands before paths, which have neither scheme nor host. */
const base = 'none://none'

const partOf = (url: URL, part: (url: URL) => string): string => (url.href.startsWith(`${base}/`) ? '' : part(url))

function queryOf({ searchParams }: URL): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...new Set(searchParams.keys())].map((key) => [key, searchParams.getAll(key)]))
}

function addUrls(env: Environment): void {
  env.registerType('net.URL', URL)
  env.registerFunction('url(string): net.URL', (text: string) => {
    const url = parseUrl(text)
    if (url === undefined)
      throw new Error(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      )
    return url
  })
  env.registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined)
  env.registerFunction('net.URL.getScheme(): string', (url: URL) =>
    partOf(url, ({ protocol }) => protocol.replace(/:$/, '')),
  )
  env.registerFunction('net.URL.getHost(): string', (url: URL) => partOf(url, ({ host }) => host))
  env.registerFunction('net.URL.getHostname(): string', (url: URL) =>
    partOf(url, ({ hostname }) => hostname.replace(/^\[|\]$/g, '')),
  )
  env.registerFunction('net.URL.getPort(): string', ({ port }: URL) => port)
  env.registerFunction('net.URL.getEscapedPath(): string', ({ pathname }: URL) => pathname)
  env.registerFunction('net.URL.getQuery(): map<string, list<string>>', queryOf)
}

/** An optional value is never null; that may be asked all the same. */
function addOptionals(env: Environment): void {
  env.registerOperator('optional == null', () => false)
}

/** Declares everything above, and what stands in files of its own. */
export function addKubernetesLibrary(env: Environment): void {
  const parts = [
    addLists,
    addSets,
    addStrings,
    addRegex,
    addQuantities,
    addAddresses,
    addUrls,
    addVersions,
    addFormats,
    addOptionals,
  ]
  for (const add of [...parts, addTwoVariableMacros]) add(env)
}
