// The last expression of a function, which may be left for another function.

import type { Node } from '../syntax/nodes.ts'
import { compileApplyTail } from './calls.ts'
import type { TailCode } from './environment.ts'
import { compile, compileCondition } from './expression.ts'
import { compileAssert } from './faults.ts'
import { compileBinds } from './locals.ts'
import type { Site } from './scope.ts'

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
