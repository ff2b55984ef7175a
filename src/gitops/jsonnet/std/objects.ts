// std: objects, types and equality.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { quoted } from '../manifest/escapes.ts'
import { toText } from '../manifest/json.ts'
import { equals, order } from '../values/comparison.ts'
import { textLength } from '../values/text.ts'
import { booleanOf, functionOf, objectOf, textOf, typeOf, unexpected } from '../values/types.ts'
import { ArrayValue, FunctionValue, force, type Lazy, ObjectValue, Thunk, type Value } from '../values/value.ts'
import { array } from './arrays.ts'
import { define, type Library } from './define.ts'

const shown = { hidden: false }
const everything = { hidden: true }

function has(o: Lazy, f: Lazy, hidden: boolean): boolean {
  const isHidden = objectOf(o).fields.get(textOf(f))
  return isHidden !== undefined && (hidden || !isHidden)
}

/** A field, when somebody needs it. */
const fieldOf = (object: ObjectValue, name: string): Lazy => new Thunk(() => object.get(name) ?? null)

const names = (o: Lazy, hidden: boolean): ArrayValue => array(objectOf(o).names({ hidden }))

const values = (o: Lazy, which: { readonly hidden: boolean }): ArrayValue => {
  const object = objectOf(o)
  return array(object.names(which).map((name) => fieldOf(object, name)))
}

const keysValues = (o: Lazy, which: { readonly hidden: boolean }): ArrayValue => {
  const object = objectOf(o)
  const pairs = object.names(which).map((name) =>
    ObjectValue.ofValues([
      ['key', name],
      ['value', fieldOf(object, name)],
    ]),
  )
  return array(pairs)
}

function lengthOf(lazy: Lazy): number {
  const value = force(lazy)
  if (typeof value === 'string') return textLength(value)
  if (value instanceof ArrayValue) return value.elements.length
  if (value instanceof ObjectValue) return value.names(shown).length
  if (value instanceof FunctionValue) return value.parameters.filter(({ isOptional }) => !isOptional).length
  throw unexpected(value)
}

/** RFC 7386. */
function mergePatch(target: Lazy, patch: Lazy): Value {
  const change = force(patch)
  if (!(change instanceof ObjectValue)) return change
  const before = force(target)
  const base = before instanceof ObjectValue ? before : ObjectValue.ofValues([])
  const fields = new Map<string, Lazy>()
  budget.spend(base.names(shown).length)
  for (const name of base.names(shown)) fields.set(name, fieldOf(base, name))
  for (const name of change.names(shown)) {
    const to = change.get(name) ?? null
    budget.spend(1)
    if (to === null) fields.delete(name)
    else {
      const from = fields.get(name) ?? null
      fields.set(name, new Thunk(() => mergePatch(from, to)))
    }
  }
  return ObjectValue.ofValues(fields)
}

const isContent = (value: Value): boolean =>
  value !== null && !((value instanceof ArrayValue || value instanceof ObjectValue) && lengthOf(value) === 0)

/** Without null and what holds nothing. */
function prune(lazy: Lazy): Value {
  const value = force(lazy)
  if (!(value instanceof ArrayValue || value instanceof ObjectValue)) return value
  budget.enter()
  const pruned =
    value instanceof ArrayValue
      ? array(value.elements.map(prune).filter(isContent))
      : ObjectValue.ofValues(
          value
            .names(shown)
            .map((name) => [name, prune(value.get(name) ?? null)] as const)
            .filter(([, each]) => isContent(each)),
        )
  budget.leave()
  return pruned
}

const isType = (name: string, type: string) => define(name, 'v', (v) => typeOf(force(v)) === type)

function primitiveEquals(x: Lazy, y: Lazy): boolean {
  const [left, right] = [force(x), force(y)]
  if (typeOf(left) !== typeOf(right)) return false
  if (left instanceof ArrayValue || left instanceof ObjectValue)
    throw new JsonnetFault(`primitiveEquals operates on primitive types, got ${typeOf(left)}`)
  return equals(left, right)
}

/** In messages texts stand in quotes. */
const told = (value: Value): string => (typeof value === 'string' ? quoted(value) : toText(value))

export const objects: Library = [
  define('type', 'x', (x) => typeOf(force(x))),
  isType('isString', 'string'),
  isType('isNumber', 'number'),
  isType('isBoolean', 'boolean'),
  isType('isObject', 'object'),
  isType('isArray', 'array'),
  isType('isFunction', 'function'),
  isType('isNull', 'null'),
  define('length', 'x', lengthOf),
  define('id', 'x', (x) => force(x)),
  define('equals', 'x y', (x, y) => equals(force(x), force(y))),
  define('primitiveEquals', 'x y', primitiveEquals),
  define('__compare', 'v1 v2', (a, b) => order(force(a), force(b))),
  define('__compare_array', 'arr1 arr2', (a, b) => order(force(a), force(b))),
  define('__array_less', 'arr1 arr2', (a, b) => order(force(a), force(b)) < 0),
  define('__array_greater', 'arr1 arr2', (a, b) => order(force(a), force(b)) > 0),
  define('__array_less_or_equal', 'arr1 arr2', (a, b) => order(force(a), force(b)) <= 0),
  define('__array_greater_or_equal', 'arr1 arr2', (a, b) => order(force(a), force(b)) >= 0),
  define('assertEqual', 'a b', (a, b) => {
    const [left, right] = [force(a), force(b)]
    if (equals(left, right)) return true
    throw new JsonnetFault(`Assertion failed. ${told(left)} != ${told(right)}`)
  }),
  define('get', 'o f default? inc_hidden?', (o, f, usual: Lazy = null, hidden: Lazy = true) =>
    has(o, f, booleanOf(hidden)) ? (objectOf(o).get(textOf(f)) ?? null) : force(usual),
  ),
  define('objectHas', 'o f', (o, f) => has(o, f, false)),
  define('objectHasAll', 'o f', (o, f) => has(o, f, true)),
  define('objectHasEx', 'obj fname hidden', (o, f, hidden) => has(o, f, booleanOf(hidden))),
  define('objectFields', 'o', (o) => names(o, false)),
  define('objectFieldsAll', 'o', (o) => names(o, true)),
  define('objectFieldsEx', 'obj hidden', (o, hidden) => names(o, booleanOf(hidden))),
  define('objectValues', 'o', (o) => values(o, shown)),
  define('objectValuesAll', 'o', (o) => values(o, everything)),
  define('objectKeysValues', 'o', (o) => keysValues(o, shown)),
  define('objectKeysValuesAll', 'o', (o) => keysValues(o, everything)),
  define('objectRemoveKey', 'obj key', (obj, key) => objectOf(obj).without(textOf(key))),
  define('mapWithKey', 'func obj', (func, obj) => {
    const work = functionOf(func, (type) => `std.mapWithKey first param must be function, got ${type}`)
    const object = objectOf(obj, (type) => `std.mapWithKey second param must be object, got ${type}`)
    const entries = object
      .names(shown)
      .map((name) => [name, new Thunk(() => work.call(name, fieldOf(object, name)))] as const)
    return ObjectValue.ofValues(entries)
  }),
  define('mergePatch', 'target patch', mergePatch),
  define('prune', 'a', prune),
]
