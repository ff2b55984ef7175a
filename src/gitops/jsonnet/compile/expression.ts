// Expressions inside of others: worked out at once, when they are needed, or as a condition.

import { at } from '../fault.ts'
import type { Node } from '../syntax/nodes.ts'
import { booleanOf } from '../values/types.ts'
import { type Lazy, Thunk } from '../values/value.ts'
import type { Code, Environment } from './environment.ts'
import { frameAt, type Site } from './scope.ts'

export const compile = (node: Node, site: Site): Code => site.compiler.code(node, site)

/** A value now if that costs nothing, else when it is needed. */
export function compileLazy(node: Node, site: Site): (environment: Environment) => Lazy {
  if (node.type === 'literal' || node.type === 'function') return compile(node, site)
  const code = compile(node, site)
  const variable = node.type === 'variable' ? site.scope.find(node.name) : undefined
  if (variable === undefined) return (environment) => new Thunk(() => code(environment))
  return (environment) => {
    let holder: Environment | undefined = environment
    for (let up = variable.up; up > 0; up--) holder = holder?.parent
    // A variable of the same `local` may have no value yet.
    return holder?.slots[variable.slot] ?? new Thunk(() => code(environment))
  }
}

export function compileCondition(node: Node, site: Site): (environment: Environment) => boolean {
  const code = compile(node, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const value = code(environment)
    if (typeof value === 'boolean') return value
    try {
      return booleanOf(value)
    } catch (error) {
      throw at(error, frame)
    }
  }
}
