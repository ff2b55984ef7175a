// Expressions as functions of their environment. Names are looked up here, so that an unknown one is told even in code that
// never runs.

import { at, faultAt } from '../fault.ts'
import type { Expression, Node, NodeOf } from '../syntax/nodes.ts'
import { booleanOf } from '../values/types.ts'
import { ArrayValue, type Lazy, Thunk } from '../values/value.ts'
import { compileApply, compileApplyTail, compileFunction } from './calls.ts'
import { compileArrayComprehension, compileObjectComprehension } from './comprehensions.ts'
import { type Code, Environment, type TailCode } from './environment.ts'
import { compileError, compileImport, failing } from './faults.ts'
import { compileIndex, compileInSuper, compileSlice, compileSuperIndex } from './indexing.ts'
import { compileObject } from './objects.ts'
import { compileBinary, compileUnary } from './operations.ts'
import { frameAt, Scope, type Site, within } from './scope.ts'
import { compileVariable, variableNamed } from './variables.ts'

export function compile(node: Node, site: Site): Code {
  const work = forms[node.type] as (node: Node, site: Site) => Code
  return work(node, site)
}

type Forms = { readonly [Type in Expression['type']]: (node: NodeOf<Type>, site: Site) => Code }

const forms: Forms = {
  literal: ({ value, place }, site) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return () => value
    return failing('overflow', frameAt(place, site))
  },
  array: ({ elements }, site) => {
    const lazies = elements.map((element) => compileLazy(element, site))
    return (environment) => new ArrayValue(lazies.map((lazy) => lazy(environment)))
  },
  'array-comprehension': compileArrayComprehension,
  object: compileObject,
  'object-comprehension': compileObjectComprehension,
  binary: compileBinary,
  unary: compileUnary,
  conditional: (node, site) => {
    const condition = compileCondition(node.condition, site)
    const then = compile(node.then, site)
    const otherwise = node.otherwise === undefined ? () => null : compile(node.otherwise, site)
    return (environment) => (condition(environment) ? then(environment) : otherwise(environment))
  },
  local: (node, site) => {
    const { inner, bind } = compileBinds(node, site)
    const body = compile(node.body, inner)
    return (environment) => body(bind(environment))
  },
  function: (node, site) => compileFunction(node, site),
  apply: compileApply,
  index: compileIndex,
  slice: compileSlice,
  variable: (node, site) => compileVariable(node.name, node.place, site),
  self: ({ place }, site) => {
    if (!site.scope.isInObject) throw faultAt("Can't use self outside of an object.", place)
    return ({ self }) => self ?? null
  },
  dollar: ({ place }, site) => {
    if (site.scope.find('$') === undefined) throw faultAt('No top-level object found.', place)
    return variableNamed('$', place, site)
  },
  'super-index': compileSuperIndex,
  'in-super': compileInSuper,
  error: compileError,
  assert: (node, site) => {
    const check = compileAssert(node, site)
    const rest = compile(node.rest, site)
    return (environment) => {
      check(environment)
      return rest(environment)
    }
  },
  import: compileImport,
}

/** The last expression of a function, which may be left for another function. */
export function compileTail(node: Node, site: Site): TailCode {
  switch (node.type) {
    case 'conditional': {
      const condition = compileCondition(node.condition, site)
      const then = compileTail(node.then, site)
      const otherwise = node.otherwise === undefined ? () => null : compileTail(node.otherwise, site)
      return (environment) => (condition(environment) ? then(environment) : otherwise(environment))
    }
    case 'local': {
      const { inner, bind } = compileBinds(node, site)
      const body = compileTail(node.body, inner)
      return (environment) => body(bind(environment))
    }
    case 'assert': {
      const check = compileAssert(node, site)
      const rest = compileTail(node.rest, site)
      return (environment) => {
        check(environment)
        return rest(environment)
      }
    }
    case 'apply':
      return node.tailstrict ? compileApplyTail(node, site) : compile(node, site)
    default:
      return compile(node, site)
  }
}

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

/** Variables that see one another. */
function compileBinds(node: NodeOf<'local'>, site: Site) {
  const inner = within(
    site,
    new Scope(
      node.binds.map(({ name }) => name),
      site.scope,
    ),
  )
  const lazies = node.binds.map(({ name, body }) => compileNamed(name, body, inner))
  const bind = (environment: Environment): Environment => {
    const made = new Environment([], environment)
    for (const lazy of lazies) made.slots.push(lazy(made))
    return made
  }
  return { inner, bind }
}

/** The value of a variable, called by its name in messages. */
export function compileNamed(name: string, node: Node, site: Site): (environment: Environment) => Lazy {
  if (node.type === 'function') return compileFunction(node, site, name)
  return compileLazy(node, { ...site, context: `thunk <${name}> from <${site.context}>` })
}

export function compileAssert(
  { condition, message, place }: Pick<NodeOf<'assert'>, 'condition' | 'message' | 'place'>,
  site: Site,
  usual = 'Assertion failed',
): (environment: Environment) => void {
  const holds = compileCondition(condition, site)
  const fail: Code =
    message === undefined ? failing(usual, frameAt(place, site)) : compileError({ type: 'error', message, place }, site)
  return (environment) => {
    if (!holds(environment)) fail(environment)
  }
}
