// What one operator or function costs, by the sizes of what it is given. Pure.

import { countSteps } from './meter.ts'
import { listCost } from './run.ts'
import { CelOptional } from './values/optional.ts'
import { entryOf, isList, isMap, keysOf, sizeOfMap, TypedValue } from './values/typed.ts'

const textFactor = 0.1
const structCost = 40
const regexFactor = 0.25
/** So that an expression asks for access at most twice. */
const accessCost = 350_000

/** Length of texts, bytes and lists, number of a map's fields; all else counts as one. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length
  if (isMap(value)) return sizeOfMap(value)
  if (value instanceof CelOptional) return value.hasValue ? sizeOf(value.held) : 1
  return value instanceof TypedValue ? value.size : 1
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

type Cost = (operands: readonly unknown[], result: unknown) => number

const first = ([operand]: readonly unknown[]): number => sizeOf(operand)
const reading: Cost = (operands) => traversal(first(operands))
/** Reads it and makes another. */
const rewriting: Cost = (operands) => traversal(first(operands), 2 * textFactor)
const matching: Cost = ([text, pattern]) => traversal(1 + sizeOf(text)) * traversal(sizeOf(pattern), regexFactor)
const walking: Cost = ([list]) => traversedCost(list)
const pairing =
  (factor: number): Cost =>
  ([list, other]) =>
    1 + sizeOf(list) * sizeOf(other) * factor

/** A call that makes a list. */
const making = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + listCost

/** Each element is compared with each other. */
function comparing([list]: readonly unknown[]): number {
  const isOfTexts = isList(list) && isText(list[0])
  return making(sizeOf(list) ** 2, isOfTexts ? 2 + textFactor : 2)
}

/** Bits are compared up to the length of the range; a text is parsed before. */
const within =
  (masks: boolean): Cost =>
  ([range, inner]) =>
    traversal(2 * sizeOf(range)) +
    (masks ? traversal(sizeOf(range)) + 1 : 0) +
    (typeof inner === 'string' ? traversal(sizeOf(inner)) : 0)

function selectorCost([, selector]: readonly unknown[]): number {
  const size = sizeOf(selector)
  const requirements = Math.ceil(size * 0.5)
  return listCost + traversal(size) + Math.ceil(requirements * (listCost + structCost))
}

const costs: ReadonlyMap<string, Cost> = new Map<string, Cost>([
  ['check', () => accessCost],
  ['fieldSelector', selectorCost],
  ['labelSelector', selectorCost],
  ...'startsWith endsWith format strings.quote'.split(' ').map((name) => [name, reading] as const),
  ...'url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver'
    .split(' ')
    .map((name) => [name, reading] as const),
  ['ip', (operands) => (typeof operands[0] === 'string' ? reading(operands, undefined) : 1)],
  ['bytes', (operands) => (typeof operands[0] === 'string' ? reading(operands, undefined) : 1)],
  ['string', (operands) => (operands[0] instanceof Uint8Array ? reading(operands, undefined) : 1)],
  ['contains', ([text, part]) => traversal(sizeOf(text)) * traversal(sizeOf(part))],
  ...['matches', 'find', 'findAll'].map((name) => [name, matching] as const),
  ...['replace', 'split', 'ip.isCanonical'].map((name) => [name, rewriting] as const),
  ['join', (_, result) => traversal(sizeOf(result), 2 * textFactor)],
  ...'isSorted sum min max indexOf lastIndexOf'.split(' ').map((name) => [name, walking] as const),
  ['containsIP', within(false)],
  ['containsCIDR', within(true)],
  ['sets.contains', pairing(1)],
  ['sets.intersects', pairing(1)],
  ['sets.equivalent', pairing(2)],
  ...['slice', 'lists.range', 'reverse'].map((name) => [name, (_, result) => making(sizeOf(result))] as [string, Cost]),
  ['flatten', ([list, depth]) => making(sizeOf(list), depth === undefined ? 1 : Number(depth))],
  ...['distinct', 'sort'].map((name) => [name, comparing] as const),
  ['@sortByAssociatedKeys', ([, keys]) => comparing([keys])],
])

/** `operands` begins with the receiver, where there is one. */
export const callCost = (name: string, operands: readonly unknown[], result: unknown): number =>
  costs.get(name)?.(operands, result) ?? 1

/** A list costs its elements, and texts a part of their length. */
function traversedCost(value: unknown): number {
  countSteps()
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(value.length * textFactor)
  if (isList(value)) return value.reduce<number>((cost, element) => cost + traversedCost(element), 0)
  if (!isMap(value)) return 1
  return keysOf(value).reduce<number>((cost, key) => cost + traversedCost(key) + traversedCost(entryOf(value, key)), 0)
}
