// Operators: both sides are worked out, but for `&&` and `||`, which stop where their answer is known.

import { faultAt, through } from '../fault.ts'
import type { NodeOf } from '../syntax/nodes.ts'
import { binaryOperators, unaryOperators } from '../values/operators.ts'
import type { Code } from './environment.ts'
import { compile, compileCondition } from './expression.ts'
import { frameAt, type Site } from './scope.ts'

export function compileBinary(node: NodeOf<'binary'>, site: Site): Code {
  if (node.operator === '&&' || node.operator === '||') return compileLogic(node, site)
  const left = compile(node.left, site)
  const right = compile(node.right, site)
  const work = binaryOperators[node.operator]
  if (work === undefined) throw faultAt(`Not a binary operator: ${node.operator}`, node.place)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const a = left(environment)
    const b = right(environment)
    try {
      return work(a, b)
    } catch (error) {
      throw through(error, frame)
    }
  }
}

function compileLogic(node: NodeOf<'binary'>, site: Site): Code {
  const left = compileCondition(node.left, site)
  const right = compileCondition(node.right, site)
  if (node.operator === '&&') return (environment) => left(environment) && right(environment)
  return (environment) => left(environment) || right(environment)
}

export function compileUnary(node: NodeOf<'unary'>, site: Site): Code {
  const operand = compile(node.operand, site)
  const work = unaryOperators[node.operator]
  if (work === undefined) throw faultAt(`Not a unary operator: ${node.operator}`, node.place)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const value = operand(environment)
    try {
      return work(value)
    } catch (error) {
      throw through(error, frame)
    }
  }
}
