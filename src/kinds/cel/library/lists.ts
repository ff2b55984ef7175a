// Lists and sets: Kubernetes' own functions (k8s.io/apiserver/pkg/cel/library/lists.go) and the extensions of cel-go
// (ext.Sets; ext.Lists, version 3).

import { countSteps } from '../meter.ts'
import { binaryOperators, orderOf } from '../operators.ts'
import type { Functions } from '../types/functions.ts'
import { CelUint } from '../values/numbers.ts'
import { CelDuration } from '../values/time.ts'
import { isEqualValue, isList, typeOfValue } from '../values/typed.ts'

type List = readonly unknown[]

const contains = (list: List, value: unknown): boolean => list.some((element) => isEqualValue(element, value))
const holdsAll = (list: List, others: List): boolean => others.every((other) => contains(list, other))

function distinct(list: List): List {
  const kept: unknown[] = []
  for (const element of list) if (!contains(kept, element)) kept.push(element)
  return kept
}

function flatten(list: List, depth: bigint): List {
  if (depth < 0n) throw new Error('level must be non-negative')
  countSteps(list.length)
  if (depth === 0n) return list
  return list.flatMap((element) =>
    isList(element) ? (depth > 1n ? flatten(element, depth - 1n) : element) : [element],
  )
}

function slice(list: List, start: bigint, end: bigint): List {
  const cannot = (why: string): Error => new Error(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0n || end < 0n) throw cannot('negative indexes not supported')
  if (start > end) throw cannot('start index must be less than or equal to end index')
  if (end > BigInt(list.length)) throw cannot(`list is length ${list.length}`)
  return list.slice(Number(start), Number(end))
}

const maxRange = 10_000n

function range(count: bigint): List {
  if (count > maxRange) throw new Error(`lists.range(${count}) is too long: at most ${maxRange}`)
  return Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i))
}

function extreme(list: List, name: 'min' | 'max'): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`)
  return list.reduce((best, element) => {
    const order = orderOf(best, element)
    return (name === 'min' ? order > 0 : order < 0) ? element : best
  })
}

const isSorted = (list: List): boolean => list.every((element, i) => i === 0 || !(orderOf(list[i - 1], element) > 0))

function sortedBy(list: List, keys: List): List {
  const { kind } = typeOfValue(keys[0])
  if (keys.some((key) => typeOfValue(key).kind !== kind)) throw new Error('list elements must have the same type')
  const places = list.map((_, i) => i)
  return places.toSorted((a, b) => orderOf(keys[a], keys[b])).map((place) => list[place])
}

const zeros = { int: 0n, uint: new CelUint(0n), double: 0, duration: new CelDuration(0n) } as const
const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const

const sumFrom = (zero: unknown) => (list: List) =>
  list.reduce((total, element) => binaryOperators['_+_']?.(total, element), zero)

export function addLists(functions: Functions): void {
  for (const type of comparable) {
    functions.declare('isSorted', `list(${type}).() -> bool`, isSorted)
    functions.declare('min', `list(${type}).() -> ${type}`, (list: List) => extreme(list, 'min'))
    functions.declare('max', `list(${type}).() -> ${type}`, (list: List) => extreme(list, 'max'))
  }
  for (const [type, zero] of Object.entries(zeros))
    functions.declare('sum', `list(${type}).() -> ${type}`, sumFrom(zero))
  functions.declare('indexOf', 'list(A).(A) -> int', (list: List, value: unknown) =>
    BigInt(list.findIndex((element) => isEqualValue(element, value))),
  )
  functions.declare('lastIndexOf', 'list(A).(A) -> int', (list: List, value: unknown) =>
    BigInt(list.findLastIndex((element) => isEqualValue(element, value))),
  )
}

/** What 1.34 brought: expressions that are stored may use it, new ones not before the next minor version. */
export function addNewLists(functions: Functions): void {
  functions.declare('slice', 'list(T).(int, int) -> list(T)', slice)
  functions.declare('flatten', 'list(list(T)).() -> list(T)', (list: List) => flatten(list, 1n))
  functions.declare('flatten', 'list(dyn).(int) -> list(dyn)', flatten)
  functions.declare('distinct', 'list(T).() -> list(T)', distinct)
  functions.declare('reverse', 'list(T).() -> list(T)', (list: List) => list.toReversed())
  for (const type of comparable) {
    functions.declare('@sortByAssociatedKeys', `list(T).(list(${type})) -> list(T)`, sortedBy)
  }
  for (const type of comparable)
    functions.declare('sort', `list(${type}).() -> list(${type})`, (list: List) => sortedBy(list, list))
  functions.declare('lists.range', '(int) -> list(int)', range)
}

export function addSets(functions: Functions): void {
  functions.declare('sets.contains', '(list(T), list(T)) -> bool', holdsAll)
  functions.declare(
    'sets.equivalent',
    '(list(T), list(T)) -> bool',
    (list: List, others: List) => holdsAll(list, others) && holdsAll(others, list),
  )
  functions.declare('sets.intersects', '(list(T), list(T)) -> bool', (list: List, others: List) =>
    others.some((other) => contains(list, other)),
  )
}
