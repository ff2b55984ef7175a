// Quantities (`250m`, `1.5Gi`, `1e3`): exact arithmetic in whole billionths, and the form in which Kubernetes writes them
// back. Rules and error texts of k8s.io/apimachinery/pkg/api/resource; smaller than a billionth rounds away from zero.

type Format = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

export interface Quantity {
  /** The amount in billionths (nano). */
  readonly nano: bigint
  readonly format: Format
  /** The text it was read from, where Kubernetes keeps that instead of the canonical form. */
  readonly text?: string
}

/** Quantities as they stand in objects. */
export type QuantityText = string | number

export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const suffixWrong = "unable to parse quantity's suffix"

const giga = 1_000_000_000n
const maxBinary = (2n ** 63n - 1n) * giga
const maxInt64 = 2n ** 63n - 1n
/** Larger exponents are refused: no resource comes near, and the number would take the process's memory. */
const maxExponent = 1000

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const suffixOfDecimal = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]))
const suffixOfBinary = new Map(Object.entries(binarySuffixes).map(([suffix, exponent]) => [exponent, suffix]))

/** How many parsed texts are kept; a cluster uses a few dozen. */
const cacheLimit = 5000
const parsed = new Map<QuantityText, Quantity>()

/** Reads a quantity. Throws a QuantityError with Kubernetes' text. */
export function parseQuantity(value: QuantityText): Quantity {
  const known = parsed.get(value)
  if (known !== undefined) return known
  const quantity = parse(String(value).trim())
  if (parsed.size >= cacheLimit) parsed.clear()
  parsed.set(value, quantity)
  return quantity
}

/** The text that Kubernetes stores and answers for a quantity. */
export function formatQuantity(quantity: Quantity): string {
  return quantity.text ?? canonical(quantity)
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareQuantity(a: QuantityText, b: QuantityText): number {
  const [left, right] = [parseQuantity(a).nano, parseQuantity(b).nano]
  return left < right ? -1 : left > right ? 1 : 0
}

export function addQuantity(a: QuantityText, b: QuantityText): string {
  return sum(parseQuantity(a), parseQuantity(b), 1n)
}

export function subtractQuantity(a: QuantityText, b: QuantityText): string {
  return sum(parseQuantity(a), parseQuantity(b), -1n)
}

/** The amount in whole units, rounded up. */
export const quantityValue = (value: QuantityText): number => Number(roundUp(parseQuantity(value).nano, giga))

/** The amount in thousandths, rounded up: what CPU is counted in. */
export const quantityMilliValue = (value: QuantityText): number =>
  Number(roundUp(parseQuantity(value).nano, 1_000_000n))

/** The quantity of a number of thousandths, as `resource.NewMilliQuantity` writes it. */
export const milliQuantity = (milli: number): string =>
  canonical({ nano: BigInt(Math.round(milli)) * 1_000_000n, format: 'DecimalSI' })

/** The quantity of a whole number, with binary suffixes for memory. */
export const wholeQuantity = (value: number, format: 'DecimalSI' | 'BinarySI' = 'DecimalSI'): string =>
  canonical({ nano: BigInt(Math.round(value)) * giga, format })

/** Rounds up to thousandths, as Kubernetes does with every list of resources that it is given. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  if (quantity.nano % 1_000_000n === 0n && scaleOf(quantity) >= -3) return quantity
  return { nano: roundUp(quantity.nano, 1_000_000n) * 1_000_000n, format: quantity.format }
}

/** Decimal places of the text that was kept; a text with finer places loses its form when it is rounded. */
function scaleOf(quantity: Quantity): number {
  if (quantity.text === undefined) return 0
  const { fraction, suffix } = split(quantity.text)
  return (meaningOf(suffix).exponent ?? 0) - fraction.length
}

function sum(a: Quantity, b: Quantity, sign: bigint): string {
  return canonical({ nano: a.nano + sign * b.nano, format: a.nano === 0n ? b.format : a.format })
}

function roundUp(nano: bigint, unit: bigint): bigint {
  const whole = nano / unit
  const rest = nano % unit
  return rest === 0n ? whole : rest > 0n ? whole + 1n : whole - 1n
}

interface Parts {
  readonly negative: boolean
  readonly digits: string
  readonly fraction: string
  readonly suffix: string
}

function split(text: string): Parts {
  const match = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text)
  if (match === null || text === '') throw new QuantityError(formatWrong)
  const [, sign, digits = '', fraction = '', suffix = ''] = match
  return { negative: sign === '-', digits: digits === '' ? '0' : digits, fraction, suffix }
}

interface Meaning {
  readonly format: Format
  readonly exponent: number
}

function meaningOf(suffix: string): Meaning {
  const decimal = decimalSuffixes[suffix]
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal }
  const binary = binarySuffixes[suffix]
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary }
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1]
  if (exponent === undefined || Math.abs(Number(exponent)) > maxExponent) throw new QuantityError(suffixWrong)
  return { format: 'DecimalExponent', exponent: Number(exponent) }
}

function parse(text: string): Quantity {
  const parts = split(text)
  const meaning = meaningOf(parts.suffix)
  const unscaled = BigInt(parts.digits + parts.fraction)
  const nano =
    meaning.format === 'BinarySI'
      ? scaled(unscaled << BigInt(meaning.exponent), -parts.fraction.length)
      : scaled(unscaled, meaning.exponent - parts.fraction.length)
  const format = meaning.format === 'BinarySI' && nano > 0n && nano < giga ? 'DecimalSI' : meaning.format
  const capped = format === 'BinarySI' && nano > maxBinary ? maxBinary : nano
  const signed = parts.negative ? -capped : capped
  return keepsText(parts, meaning, unscaled) ? { nano: signed, format, text } : { nano: signed, format }
}

/** `unscaled` times ten to the power of `exponent`, in billionths, rounded up. */
function scaled(unscaled: bigint, exponent: number): bigint {
  const power = exponent + 9
  return power >= 0 ? unscaled * 10n ** BigInt(power) : roundUp(unscaled, 10n ** BigInt(-power))
}

/** Kubernetes keeps the text of numbers that it takes for canonical already (a few of them are not). */
function keepsText(parts: Parts, meaning: Meaning, unscaled: bigint): boolean {
  const { digits, fraction } = parts
  if (meaning.format === 'BinarySI') {
    const precision = 15 - digits.length - Math.trunc((meaning.exponent * 3) / 10) - 1
    const fits = unscaled << BigInt(meaning.exponent) <= maxInt64
    return fraction === '' && precision >= 0 && fits && (unscaled & 7n) !== 0n
  }
  const scale = meaning.exponent - fraction.length
  const shifted = digits + fraction
  const whole = shifted.length <= 18 && scale >= -9 && scale % 3 === 0
  return whole && !shifted.endsWith('000') && !shifted.startsWith('0')
}

function canonical({ nano, format }: Quantity): string {
  if (nano === 0n) return '0'
  if (format === 'BinarySI' && nano % giga === 0n) {
    const value = nano / giga
    if (value <= -1024n || value >= 1024n) return binaryText(value)
  }
  return decimalText(nano, format === 'DecimalExponent' ? 'DecimalExponent' : 'DecimalSI')
}

function binaryText(value: bigint): string {
  let [mantissa, exponent] = [value, 0]
  while (mantissa % 1024n === 0n && exponent < 60) {
    mantissa /= 1024n
    exponent += 10
  }
  return `${mantissa}${suffixOfBinary.get(exponent) ?? ''}`
}

function decimalText(nano: bigint, format: 'DecimalSI' | 'DecimalExponent'): string {
  let [mantissa, exponent] = [nano, -9]
  while (mantissa % 1000n === 0n && (format === 'DecimalExponent' || exponent < 18)) {
    mantissa /= 1000n
    exponent += 3
  }
  if (format === 'DecimalSI') return `${mantissa}${suffixOfDecimal.get(exponent) ?? ''}`
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`
}
