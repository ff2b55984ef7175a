// Lists and sets inside of CEL: Kubernetes' own functions (k8s.io/apiserver/pkg/cel/library/lists.go) and the extensions
// of cel-go (ext.Lists, version 3; ext.Sets).

import type { Environment } from '@marcbachmann/cel-js'

type Comparable = bigint | number | string | boolean
type List = readonly unknown[]

const less = (a: Comparable, b: Comparable): boolean => a < b
const compare = (a: unknown, b: unknown): number =>
  less(a as Comparable, b as Comparable) ? -1 : less(b as Comparable, a as Comparable) ? 1 : 0

/** Equality of CEL: by value, numbers across their types. */
export function celEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== typeof b) return isNumber(a) && isNumber(b) && Number(a) === Number(b)
  if (typeof a !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((element, i) => celEqual(element, (b as List)[i]))
  }
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>]
  return left.length === Object.keys(right).length && left.every(([key, value]) => celEqual(value, right[key]))
}

const isNumber = (value: unknown): boolean => typeof value === 'bigint' || typeof value === 'number'

const contains = (list: List, value: unknown): boolean => list.some((element) => celEqual(element, value))
const holdsAll = (list: List, others: List): boolean => others.every((other) => contains(list, other))

const distinct = (list: List): List =>
  list.filter((element, i) => list.findIndex((other) => celEqual(other, element)) === i)

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new Error('level must be non-negative')
  return list.flatMap((element) =>
    Array.isArray(element) ? (depth > 1n ? flatten(element as List, depth - 1n) : (element as List)) : [element],
  )
}

function slice(list: List, start: bigint, end: bigint): List {
  if (start < 0n || end < 0n) throw new Error(`cannot slice(${start}, ${end}), negative indexes not supported`)
  if (start > end)
    throw new Error(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`)
  if (end > BigInt(list.length)) throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`)
  return list.slice(Number(start), Number(end))
}

const maxRange = 10_000n

function range(count: bigint): List {
  if (count > maxRange) throw new Error(`lists.range(${count}) is too long: at most ${maxRange}`)
  return Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i))
}

function extreme(list: readonly Comparable[], better: (a: Comparable, b: Comparable) => boolean): Comparable {
  const [first, ...rest] = list
  if (first === undefined) throw new Error('min/max called on empty list')
  return rest.reduce((best, element) => (better(element, best) ? element : best), first)
}

function sum(list: readonly (bigint | number)[]): bigint | number {
  if (list.every((element): element is bigint => typeof element === 'bigint'))
    return list.reduce((total, element) => total + element, 0n)
  return list.reduce<number>((total, element) => total + Number(element), 0)
}

class CelSets {}
class CelLists {}

export function addLists(env: Environment): void {
  env.registerFunction('list.isSorted(): bool', (list: readonly Comparable[]) =>
    list.every((element, i) => i === 0 || !less(element, list[i - 1] as Comparable)),
  )
  env.registerFunction('list.sum(): dyn', sum)
  env.registerFunction('list.min(): dyn', (list: readonly Comparable[]) => extreme(list, less))
  env.registerFunction('list.max(): dyn', (list: readonly Comparable[]) => extreme(list, (a, b) => less(b, a)))
  env.registerFunction('list.indexOf(dyn): int', (list: List, value: unknown) =>
    BigInt(list.findIndex((element) => celEqual(element, value))),
  )
  env.registerFunction('list.lastIndexOf(dyn): int', (list: List, value: unknown) =>
    BigInt(list.findLastIndex((element) => celEqual(element, value))),
  )
  env.registerFunction('list.slice(int, int): list', slice)
  env.registerFunction('list.flatten(): list', (list: List) => flatten(list, 1n))
  env.registerFunction('list.flatten(int): list', flatten)
  env.registerFunction('list.distinct(): list', distinct)
  env.registerFunction('list.reverse(): list', (list: List) => list.toReversed())
  env.registerFunction('list.sort(): list', (list: List) => list.toSorted(compare))
  env.registerType('Lists', CelLists)
  env.registerConstant('lists', 'Lists', new CelLists())
  env.registerFunction('Lists.range(int): list<int>', (_all: unknown, count: bigint) => range(count))
}

export function addSets(env: Environment): void {
  env.registerType('Sets', CelSets)
  env.registerConstant('sets', 'Sets', new CelSets())
  env.registerFunction('Sets.contains(list, list): bool', (_all: unknown, list: List, others: List) =>
    holdsAll(list, others),
  )
  env.registerFunction(
    'Sets.equivalent(list, list): bool',
    (_all: unknown, list: List, others: List) => holdsAll(list, others) && holdsAll(others, list),
  )
  env.registerFunction('Sets.intersects(list, list): bool', (_all: unknown, list: List, others: List) =>
    others.some((other) => contains(list, other)),
  )
}
