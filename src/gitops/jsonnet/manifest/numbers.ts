// Numbers as text: as C prints them with 17 digits, which is what goes into texts, and as short as they can be, which is what
// goes into documents.

const isWhole = (value: number): boolean => Number.isInteger(value)

/** All digits of a whole number, whatever its size. */
const wholeText = (value: number): string =>
  Math.abs(value) < 1e21 ? String(Object.is(value, -0) ? '-0' : value) : BigInt(value).toString()

/** `%.17g`. */
export function exactText(value: number): string {
  if (isWhole(value)) return wholeText(value)
  const [digits = '0', power = '0'] = Math.abs(value).toExponential(16).split('e')
  const exponent = Number(power)
  const sign = value < 0 ? '-' : ''
  const figures = digits.replace('.', '').replace(/0+$/, '')
  if (exponent >= 17 || exponent < -4) {
    const fraction = figures.length > 1 ? `.${figures.slice(1)}` : ''
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${figures[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
  }
  return sign + placed(figures, exponent)
}

/** The shortest text that means the same number, without an exponent. */
export function shortText(value: number): string {
  if (isWhole(value)) return wholeText(value)
  const text = String(value)
  const at = text.indexOf('e')
  if (at < 0) return text
  const figures = text.slice(0, at).replace(/[-.]/g, '')
  return (value < 0 ? '-' : '') + placed(figures, Number(text.slice(at + 1)))
}

/** Digits with the point where the exponent of the first of them says. */
function placed(figures: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${figures}`
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = figures.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
