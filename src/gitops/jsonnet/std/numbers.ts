// std: numbers and booleans.

import { JsonnetFault } from '../fault.ts'
import { order } from '../values/comparison.ts'
import { checked, modulo, remainder } from '../values/operators.ts'
import { booleanOf, numberOf } from '../values/types.ts'
import { force } from '../values/value.ts'
import { define, type Library } from './define.ts'

const ofOne = (name: string, work: (x: number) => number) => define(name, 'x', (x) => checked(work(numberOf(x))))

const compared = (name: string, isLeft: (a: number, b: number) => boolean) =>
  define(name, 'a b', (a, b) => {
    const left = numberOf(a, (type) => `std.${name} first param expected number, got ${type}`)
    const right = numberOf(b, (type) => `std.${name} second param expected number, got ${type}`)
    return isLeft(left, right) ? left : right
  })

const expected = (name: string) => (type: string) => `std.${name} expected number, got ${type}`

/** A number as a fraction in [0.5, 1) and a power of two. */
function parts(value: number): { readonly mantissa: number; readonly exponent: number } {
  if (value === 0) return { mantissa: 0, exponent: 0 }
  let exponent = Math.floor(Math.log2(Math.abs(value))) + 1
  let mantissa = value * 2 ** -exponent
  if (!Number.isFinite(mantissa) || mantissa === 0) mantissa = (value * 2 ** 537) / 2 ** (exponent + 537)
  while (Math.abs(mantissa) >= 1) {
    mantissa /= 2
    exponent++
  }
  while (Math.abs(mantissa) < 0.5) {
    mantissa *= 2
    exponent--
  }
  return { mantissa, exponent }
}

const isEven = (x: number): boolean => Math.trunc(x) % 2 === 0

export const numbers: Library = [
  ['pi', Math.PI],
  ofOne('ceil', Math.ceil),
  ofOne('floor', Math.floor),
  ofOne('sqrt', Math.sqrt),
  ofOne('sin', Math.sin),
  ofOne('cos', Math.cos),
  ofOne('tan', Math.tan),
  ofOne('asin', Math.asin),
  ofOne('acos', Math.acos),
  ofOne('atan', Math.atan),
  ofOne('log', Math.log),
  ofOne('log2', (x) => Math.log(x) / Math.log(2)),
  ofOne('log10', (x) => Math.log(x) / Math.log(10)),
  ofOne('exp', Math.exp),
  ofOne('deg2rad', (x) => (x * Math.PI) / 180),
  ofOne('rad2deg', (x) => (x * 180) / Math.PI),
  ofOne('mantissa', (x) => parts(x).mantissa),
  ofOne('exponent', (x) => parts(x).exponent),
  // Halves go away from zero.
  ofOne('round', (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5)),
  define('atan2', 'y x', (y, x) => checked(Math.atan2(numberOf(y), numberOf(x)))),
  define('hypot', 'x y', (x, y) => checked(Math.hypot(numberOf(x), numberOf(y)))),
  define('pow', 'x n', (x, n) => checked(numberOf(x) ** numberOf(n))),
  define('abs', 'n', (n) => Math.abs(numberOf(n, expected('abs')))),
  define('sign', 'n', (n) => Math.sign(numberOf(n, expected('sign')))),
  compared('max', (a, b) => a > b),
  compared('min', (a, b) => a < b),
  define('clamp', 'x minVal maxVal', (x, minimum, maximum) => {
    const value = force(x)
    if (order(value, force(minimum)) < 0) return force(minimum)
    return order(value, force(maximum)) > 0 ? force(maximum) : value
  }),
  define('modulo', 'x y', (x, y) => remainder(numberOf(x), numberOf(y))),
  define('mod', 'a b', (a, b) => modulo(force(a), force(b))),
  define('isEven', 'x', (x) => isEven(numberOf(x))),
  define('isOdd', 'x', (x) => !isEven(numberOf(x))),
  define('isInteger', 'x', (x) => Number.isInteger(numberOf(x))),
  define('isDecimal', 'x', (x) => !Number.isInteger(numberOf(x))),
  define('xor', 'x y', (x, y) => booleanOf(x) !== booleanOf(y)),
  define('xnor', 'x y', (x, y) => booleanOf(x) === booleanOf(y)),
  define('parseInt', 'str', (str) => parsedInteger(str)),
  define('parseOctal', 'str', (str) => parsedNatural(textOfNumber(str, 'an octal number'), 8)),
  define('parseHex', 'str', (str) => parsedNatural(textOfNumber(str, 'hexadecimal'), 16)),
]

function parsedInteger(str: Parameters<typeof textOfNumber>[0]): number {
  const text = textOfNumber(str, 'an integer')
  if (/^[-+]?\d+$/.test(text)) return checked(Number(text))
  throw new JsonnetFault(`${text} is not a base 10 integer`)
}

function textOfNumber(str: Parameters<typeof force>[0], what: string): string {
  const text = force(str)
  if (typeof text !== 'string') throw new JsonnetFault(`Expected string, got ${typeof text}`)
  if (text === '') throw new JsonnetFault(`Not ${what}: ""`)
  return text
}

function parsedNatural(text: string, base: number): number {
  let value = 0
  for (const digit of text) {
    const meant = /^[0-9a-zA-Z]$/.test(digit) ? Number.parseInt(digit, 36) : base
    if (meant >= base) throw new JsonnetFault(`${text} is not a base ${base} integer`)
    value = value * base + meant
  }
  return checked(value)
}
