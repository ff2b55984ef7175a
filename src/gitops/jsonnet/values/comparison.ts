// Equality and order of values.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { compareTexts } from './text.ts'
import { arrayOf, numberOf, textOf, unexpected } from './types.ts'
import { ArrayValue, FunctionValue, force, type Lazy, ObjectValue, type Value } from './value.ts'

export function equals(left: Value, right: Value): boolean {
  budget.spend(1)
  if (left instanceof ArrayValue && right instanceof ArrayValue) return equalElements(left.elements, right.elements)
  if (left instanceof ObjectValue && right instanceof ObjectValue) return equalFields(left, right)
  if (left instanceof FunctionValue && right instanceof FunctionValue)
    throw new JsonnetFault('Cannot test equality of functions')
  if (typeof left === 'string') budget.spend(left.length >> 6)
  return left === right
}

function equalElements(left: readonly Lazy[], right: readonly Lazy[]): boolean {
  if (left.length !== right.length) return false
  budget.spend(left.length)
  return left.every((each, index) => equals(force(each), force(right[index] ?? null)))
}

function equalFields(left: ObjectValue, right: ObjectValue): boolean {
  const names = left.names({ hidden: false })
  const others = right.names({ hidden: false })
  if (names.length !== others.length || names.some((name, index) => name !== others[index])) return false
  budget.spend(names.length)
  return names.every((name) => equals(left.get(name) ?? null, right.get(name) ?? null))
}

/** Below, at or above zero. Throws where values have no order. */
export function order(left: Value, right: Value): number {
  budget.spend(1)
  if (typeof left === 'number') return Math.sign(left - numberOf(right))
  if (typeof left === 'string') return compareTexts(left, textOf(right))
  if (left instanceof ArrayValue) return orderOfElements(left.elements, arrayOf(right))
  throw unexpected(left)
}

function orderOfElements(left: readonly Lazy[], right: readonly Lazy[]): number {
  const length = Math.min(left.length, right.length)
  budget.spend(length)
  for (let index = 0; index < length; index++) {
    const found = order(force(left[index] ?? null), force(right[index] ?? null))
    if (found !== 0) return found
  }
  return Math.sign(left.length - right.length)
}
