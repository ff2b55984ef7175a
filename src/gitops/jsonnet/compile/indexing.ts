// `a.b`, `a[b]`, `a[b:c]`, and the same of `super`.

import { at, faultAt, JsonnetFault, through } from '../fault.ts'
import { sliceOf } from '../std/slice.ts'
import type { NodeOf } from '../syntax/nodes.ts'
import { characterAt, textLength } from '../values/text.ts'
import { numberOf, textOf, typeOf } from '../values/types.ts'
import { ArrayValue, force, ObjectValue, type Value } from '../values/value.ts'
import type { Code, Environment } from './environment.ts'
import { compile } from './expression.ts'
import { frameAt, type Site } from './scope.ts'

export function compileIndex(node: NodeOf<'index'>, site: Site): Code {
  const target = compile(node.target, site)
  const key = compile(node.key, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const of = target(environment)
    const by = key(environment)
    try {
      return indexed(of, by)
    } catch (error) {
      throw through(error, frame)
    }
  }
}

export function indexed(target: Value, key: Value): Value {
  if (target instanceof ObjectValue) {
    const name = textOf(key)
    const value = target.get(name)
    if (value === undefined) throw missing(name)
    return value
  }
  if (target instanceof ArrayValue) {
    const element = target.elements[numberIndex(key, target.elements.length)]
    return force(element ?? null)
  }
  if (typeof target === 'string') return characterAt(target, numberIndex(key, textLength(target))) ?? null
  throw new JsonnetFault(`Value non indexable: ${typeOf(target)}`)
}

const missing = (name: string): JsonnetFault => new JsonnetFault(`Field does not exist: ${name}`)

function numberIndex(key: Value, length: number): number {
  const index = numberOf(key)
  if (!Number.isInteger(index)) throw new JsonnetFault(`array index was not integer: ${index}`)
  if (index >= 0 && index < length) return index
  throw new JsonnetFault(`Index ${index} out of bounds, not within [0, ${length})`)
}

export function compileSlice(node: NodeOf<'slice'>, site: Site): Code {
  const target = compile(node.target, site)
  const bounds = node.bounds.map((bound) => (bound === undefined ? () => null : compile(bound, site)))
  const frame = frameAt(node.place, site)
  return (environment) => {
    try {
      const [from = null, to = null, step = null] = bounds.map((bound) => bound(environment))
      return sliceOf(target(environment), { from, to, step })
    } catch (error) {
      throw at(error, frame)
    }
  }
}

export function compileSuperIndex(node: NodeOf<'super-index'>, site: Site): Code {
  const key = superKey(node, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const { self, level } = environment
    try {
      const name = textOf(key(environment))
      if (level === 0) throw new JsonnetFault('Attempt to use super when there is no super class.')
      const value = self?.below(name, level)
      if (value === undefined) throw missing(name)
      return value
    } catch (error) {
      throw through(error, frame)
    }
  }
}

export function compileInSuper(node: NodeOf<'in-super'>, site: Site): Code {
  const key = superKey(node, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    try {
      return environment.self?.has(textOf(key(environment)), environment.level) === true
    } catch (error) {
      throw at(error, frame)
    }
  }
}

function superKey(node: NodeOf<'super-index'> | NodeOf<'in-super'>, site: Site): (environment: Environment) => Value {
  if (!site.scope.isInObject) throw faultAt("Can't use super outside of an object.", node.place)
  return compile(node.key, site)
}
