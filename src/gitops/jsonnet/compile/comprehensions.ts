// Comprehensions: which turns there are is worked out at once, what each turn gives when it is needed.

import { budget } from '../budget.ts'
import { at } from '../fault.ts'
import type { Clause, NodeOf } from '../syntax/nodes.ts'
import { arrayOf } from '../values/types.ts'
import { ArrayValue, type Field, type Lazy, ObjectValue } from '../values/value.ts'
import { type Code, Environment } from './environment.ts'
import { compile, compileCondition, compileLazy } from './expression.ts'
import { addField, compileField, compileInside } from './objects.ts'
import { frameAt, Scope, type Site, within } from './scope.ts'

export function compileArrayComprehension(node: NodeOf<'array-comprehension'>, site: Site): Code {
  const { inner, turns } = compileClauses(node.clauses, site)
  const body = compileLazy(node.body, inner)
  return (environment) => {
    const elements: Lazy[] = []
    turns(environment, (turn) => elements.push(body(turn)))
    return new ArrayValue(elements)
  }
}

export function compileObjectComprehension(node: NodeOf<'object-comprehension'>, site: Site): Code {
  const { inner, turns } = compileClauses(node.clauses, site)
  const inside = compileInside(node.locals, inner)
  const { nameOf, fieldIn } = compileField(node.field, inner, inside.site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const fields = new Map<string, Field>()
    try {
      turns(environment, (turn) =>
        addField(
          fields,
          nameOf(turn),
          fieldIn((self, level) => inside.makeIn(turn, self, level)),
        ),
      )
    } catch (error) {
      throw at(error, frame)
    }
    return ObjectValue.of({ fields, asserts: [] })
  }
}

type Visit = (turn: Environment) => void
type Turns = (environment: Environment, visit: Visit) => void

function compileClauses(clauses: readonly Clause[], site: Site): { readonly inner: Site; readonly turns: Turns } {
  const [clause, ...rest] = clauses
  if (clause === undefined) return { inner: site, turns: (environment, visit) => visit(environment) }
  if (clause.type === 'if') {
    const holds = compileCondition(clause.condition, site)
    const { inner, turns } = compileClauses(rest, site)
    return {
      inner,
      turns: (environment, visit) => {
        if (holds(environment)) turns(environment, visit)
      },
    }
  }
  const of = compile(clause.of, site)
  const frame = frameAt(clause.of.place, site)
  const { inner, turns } = compileClauses(rest, within(site, new Scope([clause.name], site.scope)))
  const elementsOf = (environment: Environment): readonly Lazy[] => {
    const value = of(environment)
    try {
      return arrayOf(value)
    } catch (error) {
      throw at(error, frame)
    }
  }
  return {
    inner,
    turns: (environment, visit) => {
      for (const element of elementsOf(environment)) {
        budget.spend(1)
        turns(new Environment([element], environment), visit)
      }
    },
  }
}
