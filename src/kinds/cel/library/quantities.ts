// Quantities such as `quantity("500m")` (k8s.io/apiserver/pkg/cel/library/quantity.go).

import { addQuantity, compareQuantity, parseQuantity, subtractQuantity } from '#objects'
import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { maxInt, minInt } from '../values/numbers.ts'
import { TypedValue } from '../values/typed.ts'

const type = parseType('kubernetes.Quantity')

export class CelQuantity extends TypedValue {
  readonly celType: CelType = type
  readonly text: string
  constructor(text: string) {
    super()
    parseQuantity(text)
    this.text = text
  }

  override equals(other: CelQuantity): boolean {
    return compareQuantity(this.text, other.text) === 0
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

const nanosOfOne = 1_000_000_000n

function wholeOf(text: string): bigint | undefined {
  const { nano } = parseQuantity(text)
  const whole = nano / nanosOfOne
  return nano % nanosOfOne === 0n && whole >= minInt && whole <= maxInt ? whole : undefined
}

function asInteger({ text }: CelQuantity): bigint {
  const whole = wholeOf(text)
  if (whole === undefined) throw new Error('cannot convert value to integer')
  return whole
}

const compare = (a: CelQuantity, b: CelQuantity): number => Math.sign(compareQuantity(a.text, b.text))
const plus = (text: string, other: string): CelQuantity => new CelQuantity(addQuantity(text, other))
const minus = (text: string, other: string): CelQuantity => new CelQuantity(subtractQuantity(text, other))

export function addQuantities(functions: Functions): void {
  const declare = (name: string, signature: string, call: (...args: never[]) => unknown): void => {
    functions.declare(name, signature.replaceAll('Quantity', 'kubernetes.Quantity'), call)
  }
  declare('quantity', '(string) -> Quantity', (text: string) => new CelQuantity(text))
  declare('isQuantity', '(string) -> bool', isQuantity)
  declare('sign', '(Quantity) -> int', ({ text }: CelQuantity) => BigInt(Math.sign(compareQuantity(text, 0))))
  declare('isGreaterThan', 'Quantity.(Quantity) -> bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0)
  declare('isLessThan', 'Quantity.(Quantity) -> bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0)
  declare('compareTo', 'Quantity.(Quantity) -> int', (a: CelQuantity, b: CelQuantity) => BigInt(compare(a, b)))
  declare(
    'asApproximateFloat',
    'Quantity.() -> double',
    ({ text }: CelQuantity) => Number(parseQuantity(text).nano) / 1e9,
  )
  declare('asInteger', 'Quantity.() -> int', asInteger)
  declare('isInteger', 'Quantity.() -> bool', ({ text }: CelQuantity) => wholeOf(text) !== undefined)
  declare('add', 'Quantity.(Quantity) -> Quantity', (a: CelQuantity, b: CelQuantity) => plus(a.text, b.text))
  declare('add', 'Quantity.(int) -> Quantity', (a: CelQuantity, b: bigint) => plus(a.text, String(b)))
  declare('sub', 'Quantity.(Quantity) -> Quantity', (a: CelQuantity, b: CelQuantity) => minus(a.text, b.text))
  declare('sub', 'Quantity.(int) -> Quantity', (a: CelQuantity, b: bigint) => minus(a.text, String(b)))
}
