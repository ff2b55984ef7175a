// std: sorting, and arrays that are sorted and without equals as sets.

import { budget } from '../budget.ts'
import { equals, order } from '../values/comparison.ts'
import { arrayOf } from '../values/types.ts'
import type { ArrayValue, Lazy, Value } from '../values/value.ts'
import { array, elementsOf, keyFunction } from './arrays.ts'
import { define, type Library } from './define.ts'

interface Keyed {
  readonly element: Lazy
  readonly key: Value
}

function keyed(arr: Lazy, keyF: Lazy | undefined): readonly Keyed[] {
  const keyOf = keyFunction(keyF)
  return (elementsOf(arr) ?? arrayOf(arr)).map((element) => ({ element, key: keyOf(element) }))
}

/** Stable. */
function sorted(elements: readonly Keyed[]): readonly Keyed[] {
  budget.spend(elements.length)
  return [...elements].sort((a, b) => {
    budget.spend(1)
    return order(a.key, b.key)
  })
}

const unique = (elements: readonly Keyed[]): readonly Keyed[] => {
  const kept: Keyed[] = []
  for (const one of elements) {
    const last = kept.at(-1)
    if (last === undefined || !equals(last.key, one.key)) kept.push(one)
  }
  return kept
}

const arrayFrom = (elements: readonly Keyed[]): ArrayValue => array(elements.map(({ element }) => element))

/** Which elements of two sets stay: those only in the first, in both (as they are in the first), only in the second. */
interface Stays {
  readonly left: boolean
  readonly both: boolean
  readonly right: boolean
}

function merged([a, b]: readonly [readonly Keyed[], readonly Keyed[]], stays: Stays): ArrayValue {
  const kept: Keyed[] = []
  let [i, j] = [0, 0]
  for (let [left, right] = [a[i], b[j]]; left !== undefined && right !== undefined; [left, right] = [a[i], b[j]]) {
    budget.spend(1)
    const found = equals(left.key, right.key) ? 0 : order(left.key, right.key)
    if (found === 0 ? stays.both : found < 0 && stays.left) kept.push(left)
    if (found > 0 && stays.right) kept.push(right)
    if (found <= 0) i++
    if (found >= 0) j++
  }
  return arrayFrom([...kept, ...(stays.left ? a.slice(i) : []), ...(stays.right ? b.slice(j) : [])])
}

const together = (name: string, stays: Stays) =>
  define(name, 'a b keyF?', (a, b, keyF?: Lazy) => merged([keyed(a, keyF), keyed(b, keyF)], stays))

export const sets: Library = [
  define('sort', 'arr keyF?', (arr, keyF?: Lazy) => arrayFrom(sorted(keyed(arr, keyF)))),
  define('uniq', 'arr keyF?', (arr, keyF?: Lazy) => arrayFrom(unique(keyed(arr, keyF)))),
  define('set', 'arr keyF?', (arr, keyF?: Lazy) => arrayFrom(unique(sorted(keyed(arr, keyF))))),
  together('setUnion', { left: true, both: true, right: true }),
  together('setInter', { left: false, both: true, right: false }),
  together('setDiff', { left: true, both: false, right: false }),
  define('setMember', 'x arr keyF?', (x, arr, keyF?: Lazy) => {
    const key = keyFunction(keyF)(x)
    const elements = elementsOf(arr) ?? arrayOf(arr)
    const keyOf = keyFunction(keyF)
    let [low, high] = [0, elements.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const found = order(keyOf(elements[middle] ?? null), key)
      if (found === 0) return true
      if (found < 0) low = middle + 1
      else high = middle
    }
    return false
  }),
]
