// Doubles with a fixed number of digits: halves go to the even digit as in Go, where JavaScript takes the larger one. With
// `%f` and `%e` they are written as English texts write them (golang.org/x/text/message).

/** Of a number that lies exactly between two that have so many digits behind the point, or in front of it where negative. */
function isHalf(value: number, digits: number): boolean {
  // Twice as much in units of the last digit is odd; powers of five make no difference to that.
  if (digits >= 0) return Math.abs(value * 2 ** (digits + 1)) % 2 === 1
  const unit = 10n ** BigInt(-digits)
  return Number.isInteger(value) && (BigInt(Math.abs(value)) % unit) * 2n === unit
}

/** A half was taken up: an odd last digit is one too many. */
const toEven = (digits: string): string => digits.replace(/[13579]$/, (last) => String(Number(last) - 1))

/** As Go's `%.*f`. */
export function fixedDigits(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`
  const text = value.toFixed(digits)
  return isHalf(value, digits) ? toEven(text) : text
}

const special = (value: number): string | undefined => {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞'
}

/** `1,234.50` */
export function groupedDigits(value: number, digits: number): string {
  const named = special(value)
  if (named !== undefined) return named
  const [whole = '', part] = fixedDigits(value, digits).split('.')
  const grouped = BigInt(whole.replace('-', '')).toLocaleString('en-US')
  return `${whole.startsWith('-') ? '-' : ''}${grouped}${part === undefined ? '' : `.${part}`}`
}

const powerDigits = 6
const superscripts = [...'⁰¹²³⁴⁵⁶⁷⁸⁹']
const narrowSpace = '\u202f'

/** `1.234500 × 10⁰³`, always with six digits; a number in the clause is how wide the whole is at least. */
export function powerOfTen(value: number, width: number): string {
  const named = special(value)
  if (named !== undefined) return named.padStart(width)
  const power = Number(value.toExponential().split('e')[1])
  const [rounded = '', exponent = '0'] = value.toExponential(powerDigits).split('e')
  const digits = isHalf(value, powerDigits - power) ? toEven(rounded) : rounded
  const size = String(Math.abs(Number(exponent))).padStart(2, '0')
  const raised = [...size].map((digit) => superscripts[Number(digit)]).join('')
  const sign = Number(exponent) < 0 ? '⁻' : ''
  return `${digits}${narrowSpace}×${narrowSpace}10${sign}${raised}`.padStart(width)
}
