// Expressions as functions of their environment. Names are looked up here, so that an unknown one is told even in code that
// never runs.

import { faultAt } from '../fault.ts'
import type { Expression, Node, NodeOf } from '../syntax/nodes.ts'
import { ArrayValue } from '../values/value.ts'
import { compileApply, compileFunction } from './calls.ts'
import { compileArrayComprehension, compileObjectComprehension } from './comprehensions.ts'
import type { Code } from './environment.ts'
import { compile, compileCondition, compileLazy } from './expression.ts'
import { compileAssert, compileError, compileImport, failing } from './faults.ts'
import { compileIndex, compileInSuper, compileSlice, compileSuperIndex } from './indexing.ts'
import { compileBinds } from './locals.ts'
import { compileObject } from './objects.ts'
import { compileBinary, compileUnary } from './operations.ts'
import { type Compiler, frameAt, type Site } from './scope.ts'
import { compileTail } from './tail.ts'
import { compileVariable, variableNamed } from './variables.ts'

function compileAny(node: Node, site: Site): Code {
  const work = forms[node.type] as (node: Node, site: Site) => Code
  return work(node, site)
}

export const compiler: Compiler = { code: compileAny, tail: compileTail }

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
