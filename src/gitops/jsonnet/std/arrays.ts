// std: arrays, and what goes through them with a function.

import { budget, checkLength, checkTextLength } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { toText } from '../manifest/json.ts'
import { equals, order } from '../values/comparison.ts'
import { joinTexts, plus } from '../values/operators.ts'
import { characters } from '../values/text.ts'
import { arrayOf, booleanOf, functionOf, integerOf, numberOf, type TypeName, textOf, typeOf } from '../values/types.ts'
import { ArrayValue, type FunctionValue, force, type Lazy, Thunk, type Value } from '../values/value.ts'
import { define, type Library } from './define.ts'
import { sliceOf } from './slice.ts'

export const array = (elements: readonly Lazy[]): ArrayValue => {
  checkLength(elements.length)
  return new ArrayValue(elements)
}

/** Elements of an array, or characters of a text; undefined for anything else. */
export function elementsOf(lazy: Lazy): readonly Lazy[] | undefined {
  const value = force(lazy)
  if (value instanceof ArrayValue) return value.elements
  return typeof value === 'string' ? characters(value) : undefined
}

const functionFor = (name: string, which: string, lazy: Lazy): FunctionValue =>
  functionOf(lazy, (type) => `std.${name} ${which} param must be function, got ${type}`)

function elementsFor(name: string, what: string, lazy: Lazy): readonly Lazy[] {
  const elements = elementsOf(lazy)
  if (elements === undefined) throw new JsonnetFault(`std.${name} ${what}, got ${typeOf(force(lazy))}`)
  return elements
}

const each = (elements: readonly Lazy[], work: (element: Lazy, index: number) => Value): ArrayValue =>
  array(elements.map((element, index) => new Thunk(() => work(element, index))))

function fold(name: string, [func, arr, init]: readonly [Lazy, Lazy, Lazy], fromRight: boolean): Value {
  const work = functionOf(func)
  const elements = elementsOf(arr)
  if (elements === undefined)
    throw new JsonnetFault(`${name} second parameter should be string or array, got ${typeOf(force(arr))}`)
  let value: Lazy = init
  for (let count = 0; count < elements.length; count++) {
    const element = elements[fromRight ? elements.length - 1 - count : count] ?? null
    value = fromRight ? work.call(element, value) : work.call(value, element)
  }
  return force(value)
}

function flatMap(func: Lazy, arr: Lazy): Value {
  const work = functionFor('flatMap', 'first', func)
  const elements = elementsFor('flatMap', 'second param must be array / string', arr)
  if (typeof force(arr) === 'string') {
    const wrong = (type: TypeName) => `std.flatMap on strings, provided function must return a string, got ${type}`
    return elements.map((element) => textOf(work.call(element), wrong)).reduce(joinTexts, '')
  }
  const wrong = (type: TypeName) => `std.flatMap on arrays, provided function must return an array, got ${type}`
  const found: Lazy[] = []
  for (const element of elements) for (const one of arrayOf(work.call(element), wrong)) found.push(one)
  return array(found)
}

function join(sep: Lazy, arr: Lazy): Value {
  const between = force(sep)
  if (typeof between !== 'string' && !(between instanceof ArrayValue))
    throw new JsonnetFault(`join first parameter should be string or array, got ${typeOf(between)}`)
  const elements = arrayOf(arr)
  budget.spend(elements.length)
  const parts = elements.map(force).filter((part) => part !== null)
  if (typeof between === 'string') {
    const texts = parts.map((part) => textOf(part))
    checkTextLength(texts.reduce((total, text) => total + text.length + between.length, 0))
    return texts.join(between)
  }
  return flattened(parts.flatMap((part, index) => (index === 0 ? [arrayOf(part)] : [between.elements, arrayOf(part)])))
}

function flattened(parts: readonly (readonly Lazy[])[]): ArrayValue {
  checkLength(parts.reduce((total, part) => total + part.length, 0))
  return new ArrayValue(parts.flat())
}

function deepJoin(lazy: Lazy): string {
  const value = force(lazy)
  if (typeof value === 'string') return value
  if (!(value instanceof ArrayValue)) throw new JsonnetFault(`Expected string or array, got ${typeOf(value)}`)
  budget.enter()
  const text = value.elements.map(deepJoin).reduce(joinTexts, '')
  budget.leave()
  return text
}

function flattenDeep(lazy: Lazy): Lazy[] {
  const value = force(lazy)
  if (!(value instanceof ArrayValue)) return [value]
  budget.enter()
  const found = value.elements.flatMap(flattenDeep)
  budget.leave()
  return found
}

function repeat(what: Lazy, count: Lazy): Value {
  const value = force(what)
  const times = integerOf(count)
  if (times < 0) throw new JsonnetFault(`makeArray requires size >= 0, got ${times}`)
  if (typeof value === 'string') {
    checkTextLength(value.length * times)
    return value.repeat(times)
  }
  if (!(value instanceof ArrayValue)) throw new JsonnetFault('std.repeat first argument must be an array or a string')
  checkLength(value.elements.length * times)
  return array(Array.from({ length: times }, () => value.elements).flat())
}

function member(arr: Lazy, x: Lazy): boolean {
  const value = force(arr)
  if (typeof value === 'string') return value.includes(textOf(x))
  if (!(value instanceof ArrayValue)) throw new JsonnetFault('std.member first argument must be an array or a string')
  return value.elements.some((element) => equals(force(element), force(x)))
}

const isBoth = (name: string, arr: Lazy): readonly (() => boolean)[] =>
  arrayOf(arr, (type) => `${name}() parameter should be an array, got ${type}`).map((element) => () => {
    const value = force(element)
    if (typeof value === 'boolean') return value
    throw new JsonnetFault(`element "${toText(value)}" of type ${typeOf(value)} is not a boolean`)
  })

function find(value: Lazy, arr: Lazy): readonly number[] {
  const elements = arrayOf(arr, (type) => `find second parameter should be an array, got ${type}`)
  budget.spend(elements.length)
  return elements.flatMap((element, index) => (equals(force(element), force(value)) ? [index] : []))
}

function removeAt(arr: Lazy, at: Lazy): ArrayValue {
  const index = integerOf(at)
  return array(arrayOf(arr).filter((_element, each) => each !== index))
}

/** The element with the least or greatest key, `onEmpty` of none. */
function extreme(sign: 1 | -1, [arr, keyF, onEmpty]: readonly [Lazy, Lazy | undefined, Lazy | undefined]): Value {
  const elements = arrayOf(arr)
  const keyOf = keyFunction(keyF)
  const [first, ...rest] = elements
  if (first === undefined) {
    if (onEmpty !== undefined) return force(onEmpty)
    throw new JsonnetFault('Expected at least one element in array. Got none')
  }
  let best = { element: first, key: keyOf(first) }
  for (const element of rest) {
    const key = keyOf(element)
    if (order(best.key, key) * sign > 0) best = { element, key }
  }
  return force(best.element)
}

/** What elements are compared by. */
export function keyFunction(keyF: Lazy | undefined): (element: Lazy) => Value {
  if (keyF === undefined) return force
  const work = functionOf(keyF)
  return (element) => work.call(element)
}

function sum(arr: Lazy): number {
  const elements = arrayOf(arr)
  budget.spend(elements.length)
  return elements.reduce<number>((total, element) => total + numberOf(element), 0)
}

export const arrays: Library = [
  define('makeArray', 'sz func', (sz, func) => {
    const length = integerOf(sz)
    if (length < 0) throw new JsonnetFault(`makeArray requires size >= 0, got ${length}`)
    checkLength(length)
    const work = functionOf(func)
    return new ArrayValue(Array.from({ length }, (_, index) => new Thunk(() => work.call(index))))
  }),
  define('range', 'from to', (from, to) => {
    const begin = integerOf(from)
    const length = checkLength(Math.max(0, integerOf(to) - begin + 1))
    return new ArrayValue(Array.from({ length }, (_, index) => begin + index))
  }),
  define('map', 'func arr', (func, arr) => {
    const work = functionFor('map', 'first', func)
    return each(elementsFor('map', 'second param must be array / string', arr), (element) => work.call(element))
  }),
  define('mapWithIndex', 'func arr', (func, arr) => {
    const work = functionFor('mapWithIndex', 'first', func)
    const elements = elementsFor('mapWithIndex', 'second param must be array', arr)
    return each(elements, (element, index) => work.call(index, element))
  }),
  define('filter', 'func arr', (func, arr) => {
    const elements = arrayOf(arr)
    const work = functionOf(func)
    return array(elements.filter((element) => booleanOf(work.call(element))))
  }),
  define('filterMap', 'filter_func map_func arr', (filterFunc, mapFunc, arr) => {
    const chooses = functionFor('filterMap', 'first', filterFunc)
    const work = functionFor('filterMap', 'second', mapFunc)
    const elements = arrayOf(arr, (type) => `std.filterMap third param must be array, got ${type}`)
    return each(
      elements.filter((element) => booleanOf(chooses.call(element))),
      (element) => work.call(element),
    )
  }),
  define('flatMap', 'func arr', flatMap),
  define('foldl', 'func arr init', (func, arr, init) => fold('foldl', [func, arr, init], false)),
  define('foldr', 'func arr init', (func, arr, init) => fold('foldr', [func, arr, init], true)),
  define('join', 'sep arr', join),
  define('lines', 'arr', (arr) => join('\n', plus(force(arr), new ArrayValue([''])))),
  define('deepJoin', 'arr', deepJoin),
  define('flattenArrays', 'arrs', (arrs) => flattened(arrayOf(arrs).map((element) => arrayOf(element)))),
  define('flattenDeepArray', 'value', (value) => array(flattenDeep(value))),
  define('reverse', 'arr', (arr) => array([...arrayOf(arr)].reverse())),
  define('repeat', 'what count', repeat),
  define('slice', 'indexable index end step', (value, from, to, step) =>
    sliceOf(force(value), { from: force(from), to: force(to), step: force(step) }),
  ),
  define('member', 'arr x', member),
  define('contains', 'arr elem', (arr, elem) => arrayOf(arr).some((one) => equals(force(one), force(elem)))),
  define('count', 'arr x', (arr, x) => arrayOf(arr).filter((one) => equals(force(one), force(x))).length),
  define('find', 'value arr', (value, arr) => array(find(value, arr))),
  define('all', 'arr', (arr) => isBoth('all', arr).every((holds) => holds())),
  define('any', 'arr', (arr) => isBoth('any', arr).some((holds) => holds())),
  define('remove', 'arr elem', (arr, elem) => {
    const [first] = find(elem, arr)
    return first === undefined ? force(arr) : removeAt(arr, first)
  }),
  define('removeAt', 'arr at', removeAt),
  define('sum', 'arr', sum),
  define('avg', 'arr', (arr) => {
    const { length } = arrayOf(arr)
    if (length === 0) throw new JsonnetFault('Cannot calculate average of an empty array.')
    return sum(arr) / length
  }),
  define('minArray', 'arr keyF? onEmpty?', (arr, keyF?: Lazy, onEmpty?: Lazy) => extreme(1, [arr, keyF, onEmpty])),
  define('maxArray', 'arr keyF? onEmpty?', (arr, keyF?: Lazy, onEmpty?: Lazy) => extreme(-1, [arr, keyF, onEmpty])),
]
