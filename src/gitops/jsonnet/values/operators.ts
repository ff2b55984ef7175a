// What the operators mean.

import { checkLength, checkTextLength } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { toText } from '../manifest/json.ts'
import { format } from '../std/format.ts'
import { equals, order } from './comparison.ts'
import { arrayOf, numberOf, objectOf, textOf, typeOf, unexpected } from './types.ts'
import { ArrayValue, ObjectValue, type Value } from './value.ts'

export const checked = (value: number): number => {
  if (Number.isFinite(value)) return value
  throw new JsonnetFault(Number.isNaN(value) ? 'Not a number' : 'Overflow')
}

export function joinTexts(left: string, right: string): string {
  checkTextLength(left.length + right.length)
  return left + right
}

export function plus(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return checked(left + right)
  if (typeof left === 'string') return joinTexts(left, toText(right))
  if (typeof right === 'string') return joinTexts(toText(left), right)
  if (typeof left === 'number') return checked(left + numberOf(right))
  if (left instanceof ObjectValue) return left.extendedBy(objectOf(right))
  if (left instanceof ArrayValue) return concatenated(left, arrayOf(right), right)
  throw unexpected(left)
}

function concatenated(left: ArrayValue, more: ArrayValue['elements'], right: Value): Value {
  if (more.length === 0) return left
  if (left.elements.length === 0) return right
  checkLength(left.elements.length + more.length)
  return new ArrayValue(left.elements.concat(more))
}

function divided(left: number, right: number): number {
  if (right === 0) throw new JsonnetFault('Division by zero.')
  return checked(left / right)
}

export function remainder(left: number, right: number): number {
  if (right === 0) throw new JsonnetFault('Division by zero.')
  return checked(left % right)
}

export function modulo(left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return remainder(left, right)
  if (typeof left === 'string') return format(left, right)
  throw new JsonnetFault(`Operator % cannot be used on types ${typeOf(left)} and ${typeOf(right)}.`)
}

const safe = 2 ** 53 - 1
const outsideOfRange = 'numeric value outside safe integer range for bitwise operation'

/** Bits are those of whole numbers; beyond 2^53 doubles leave some out. */
function whole(value: number): bigint {
  if (Math.abs(value) <= safe) return BigInt(Math.trunc(value))
  throw new JsonnetFault(outsideOfRange)
}

const bitwise =
  (work: (left: bigint, right: bigint) => bigint) =>
  (left: Value, right: Value): Value =>
    Number(BigInt.asIntN(64, work(whole(numberOf(left)), whole(numberOf(right)))))

const shift =
  (work: (left: bigint, by: bigint) => bigint) =>
  (left: Value, right: Value): Value => {
    const number = whole(numberOf(left))
    const by = whole(numberOf(right))
    if (by < 0n) throw new JsonnetFault('Shift by negative exponent.')
    const result = work(number, by % 64n)
    if (BigInt.asIntN(64, result) === result) return Number(result)
    throw new JsonnetFault(outsideOfRange)
  }

export const binaryOperators: Readonly<Record<string, (left: Value, right: Value) => Value>> = {
  '+': plus,
  '-': (left, right) => checked(numberOf(left) - numberOf(right)),
  '*': (left, right) => checked(numberOf(left) * numberOf(right)),
  '/': (left, right) => divided(numberOf(left), numberOf(right)),
  '%': modulo,
  '<<': shift((left, by) => left << by),
  '>>': shift((left, by) => left >> by),
  '&': bitwise((left, right) => left & right),
  '^': bitwise((left, right) => left ^ right),
  '|': bitwise((left, right) => left | right),
  '==': equals,
  '!=': (left, right) => !equals(left, right),
  '<': (left, right) => order(left, right) < 0,
  '<=': (left, right) => order(left, right) <= 0,
  '>': (left, right) => order(left, right) > 0,
  '>=': (left, right) => order(left, right) >= 0,
  in: (left, right) => {
    const object = objectOf(right)
    return object.has(textOf(left))
  },
}

export const unaryOperators: Readonly<Record<string, (operand: Value) => Value>> = {
  '-': (operand) => -numberOf(operand),
  '+': (operand) => numberOf(operand),
  '~': (operand) => Number(~whole(numberOf(operand))),
  '!': (operand) => {
    if (typeof operand === 'boolean') return !operand
    throw unexpected(operand, 'boolean')
  },
}
