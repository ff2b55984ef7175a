// What one operator or function costs, by the sizes of what it is given. Pure.

import { CelOptional } from './values/optional.ts'
import { isList, isMap, sizeOfMap } from './values/typed.ts'

const textFactor = 0.1
const regexFactor = 0.25
/** So that an expression asks for access at most twice. */
const accessCost = 350_000

/** Length of texts, bytes and lists, number of a map's fields; all else counts as one. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length
  if (isMap(value)) return sizeOfMap(value)
  return value instanceof CelOptional && value.hasValue ? sizeOf(value.held) : 1
}

const traversal = (size: number, factor = textFactor): number => Math.ceil(size * factor)
const isText = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array

export function operatorCost(op: string, left: unknown, right: unknown): number {
  switch (op) {
    case '_==_':
    case '_!=_':
      return traversal(Math.min(sizeOf(left), sizeOf(right)))
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return isText(left) ? traversal(Math.min(sizeOf(left), sizeOf(right))) : 1
    case '@in':
      return isList(right) ? right.length : 1
    case '_+_':
      return isText(left) ? traversal(sizeOf(left) + sizeOf(right)) : 1
    default:
      return 1
  }
}

/** `operands` begins with the receiver, where there is one. */
export function callCost(name: string, operands: readonly unknown[], result: unknown): number {
  const [first, second] = operands
  switch (name) {
    case 'check':
      return accessCost
    case 'startsWith':
    case 'endsWith':
      return traversal(sizeOf(second))
    case 'contains':
      return isText(first) ? traversal(sizeOf(first)) * traversal(sizeOf(second)) : sizeOf(first) * sizeOf(second)
    case 'matches':
    case 'find':
    case 'findAll':
      return traversal(1 + sizeOf(first)) * traversal(sizeOf(second), regexFactor)
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return traversal(sizeOf(first), 2 * textFactor)
    case 'join':
      return traversal(sizeOf(result), 2 * textFactor)
    case 'format':
    case 'range':
      return traversal(sizeOf(result))
    case 'isSorted':
    case 'sum':
    case 'min':
    case 'max':
    case 'indexOf':
    case 'lastIndexOf':
    case 'reverse':
    case 'sort':
      return traversedCost(first)
    case 'distinct':
      return sizeOf(first) * sizeOf(first)
    case 'equivalent':
    case 'intersects':
      return sizeOf(operands.at(-1)) * sizeOf(operands.at(-2))
    default:
      return parsing.has(name) ? traversal(sizeOf(first)) : 1
  }
}

const parsing: ReadonlySet<string> = new Set(
  'url lowerAscii upperAscii substring trim cidr isIP isCIDR ip quantity isQuantity semver isSemver quote'.split(' '),
)

/** A list costs its elements, and those of them that are texts their length; a text a part of its own. */
function traversedCost(value: unknown): number {
  if (isText(value)) return traversal(sizeOf(value))
  if (!Array.isArray(value)) return 1
  return (value as readonly unknown[]).reduce<number>(
    (cost, element) => cost + (isText(element) ? 1 + traversal(sizeOf(element)) : 1),
    0,
  )
}
