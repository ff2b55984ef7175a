// Numbers as format codes write them. Rounding is that of the language: it is done in doubles, on the number that has been
// multiplied, and so may differ in the last figure from what C would print.

export interface NumberFormat {
  /** Filled up with zeros to this. */
  readonly width: number
  readonly precision: number | undefined
  /** Before what is not negative. */
  readonly plus: string
  /** `#`. */
  readonly isAlternate: boolean
  readonly isUpper: boolean
}

interface Digits {
  readonly radix: number
  readonly prefix: string
}

const digitsOf = (magnitude: number, radix: number): string =>
  magnitude < 2 ** 53 ? magnitude.toString(radix) : BigInt(magnitude).toString(radix)

function signed(
  isNegative: boolean,
  digits: string,
  how: { readonly width: number; readonly plus: string; readonly least: number },
): string {
  const sign = isNegative ? '-' : how.plus
  return sign + digits.padStart(Math.max(how.width - sign.length, how.least), '0')
}

export function wholeNumberText(
  value: number,
  { width, precision = 0, plus }: NumberFormat,
  { radix, prefix }: Digits,
): string {
  const magnitude = Math.floor(Math.abs(value))
  const digits = magnitude === 0 ? '0' : prefix + digitsOf(magnitude, radix)
  return signed(value <= -1, digits, { width, plus, least: precision })
}

export function hexText(value: number, { width, precision = 0, plus, isAlternate, isUpper }: NumberFormat): string {
  const whole = Math.floor(value)
  const sign = whole < 0 ? '-' : plus
  const prefix = isAlternate ? '0x' : ''
  const digits = digitsOf(Math.abs(whole), 16).padStart(Math.max(width - sign.length - prefix.length, precision), '0')
  return sign + (isUpper ? (prefix + digits).toUpperCase() : prefix + digits)
}

interface Fraction {
  readonly precision: number
  /** Zeros at the end of the fraction stay. */
  readonly keepsZeros: boolean
}

export function decimalText(value: number, how: NumberFormat, { precision, keepsZeros }: Fraction): string {
  const { width, plus, isAlternate } = how
  const parts = 10 ** precision
  const scaled = Math.abs(value) * parts + 0.5
  const whole = Math.floor(scaled / parts)
  const rest = Math.floor(scaled) % parts
  const pointWidth = precision === 0 && !isAlternate ? 0 : 1
  const digits = signed(value < 0, digitsOf(whole, 10), { width: width - precision - pointWidth, plus, least: 0 })
  if (precision === 0) return isAlternate ? `${digits}.` : digits
  if (!keepsZeros && !(rest > 0)) return digits
  const fraction = digitsOf(Number.isFinite(rest) ? rest : 0, 10).padStart(precision, '0')
  return `${digits}.${keepsZeros ? fraction : fraction.replace(/0+$/, '')}`
}

const exponentOf = (value: number): number => (value === 0 ? 0 : Math.floor(Math.log(Math.abs(value)) / Math.log(10)))

export function exponentText(value: number, how: NumberFormat, fraction: Fraction): string {
  const exponent = exponentOf(value)
  // 10^-324 is no double any more.
  const mantissa = exponent === -324 ? (value * 10) / 10 ** (exponent + 1) : value / 10 ** exponent
  const suffix = `${how.isUpper ? 'E' : 'e'}${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return decimalText(mantissa, { ...how, width: how.width - suffix.length }, fraction) + suffix
}

export function shortestText(value: number, how: NumberFormat): string {
  const { precision = 6, isAlternate: keepsZeros } = how
  const exponent = exponentOf(value)
  if (exponent < -4 || exponent >= precision) return exponentText(value, how, { precision: precision - 1, keepsZeros })
  return decimalText(value, how, { precision: precision - Math.max(1, exponent + 1), keepsZeros })
}
