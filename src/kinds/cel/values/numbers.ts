// Whole numbers of CEL: 64 bits, with and without a sign. Ints are bigints; a uint is a value of its own.

export const minInt = -(2n ** 63n)
export const maxInt = 2n ** 63n - 1n
export const maxUint = 2n ** 64n - 1n

export class CelUint {
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }

  toString(): string {
    return String(this.value)
  }
}

export type CelNumber = bigint | number | CelUint

export const isNumber = (value: unknown): value is CelNumber =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint

const plain = (value: CelNumber): bigint | number => (value instanceof CelUint ? value.value : value)

/** Below, equal or above zero, across types; NaN where there is no order. Beside a double, all are doubles. */
export function compareNumbers(a: CelNumber, b: CelNumber): number {
  const asDoubles = typeof a === 'number' || typeof b === 'number'
  const [left, right] = asDoubles ? [Number(plain(a)), Number(plain(b))] : [plain(a), plain(b)]
  if (left < right) return -1
  if (left > right) return 1
  return Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : 0
}

/** As few digits as tell the double, without an exponent; JavaScript writes small numbers with one. */
export function plainDigits(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  return value.toFixed(20).replace(/0+$/, '')
}

/** The int that a number of any type is; undefined where it is none, or larger than any. */
export function wholeOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (value instanceof CelUint) return value.value
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64
  return isWhole ? BigInt(value) : undefined
}
