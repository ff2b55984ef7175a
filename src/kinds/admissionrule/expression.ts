// Expressions of policies and match conditions: whether they can be compiled and give what is asked of them.

import { type CelType, compileCel, isSameType, type Surroundings, typeName } from '../cel/index.ts'
import { type FieldError, invalid } from '../field-error.ts'

export interface ExpressionPlace {
  readonly path: string
  /** What the expression may name. */
  readonly environment: Surroundings
  readonly errors: FieldError[]
}

/** An expression of whatever type: which it is; undefined when it has none. */
export function checkCompiles(expression: string, { path, environment, errors }: ExpressionPlace): CelType | undefined {
  const compiled = compileCel(expression, environment)
  if (compiled.ok) return compiled.program.type
  errors.push(invalid(path, expression, `compilation failed: ${compiled.faults}`))
  return undefined
}

/** `types` are those that the expression may have, and no others: also what is only known when it runs is refused. */
export function checkExpression(expression: string, types: readonly CelType[], place: ExpressionPlace): void {
  const type = checkCompiles(expression, place)
  if (type === undefined || types.some((wanted) => isSameType(type, wanted))) return
  const wanted = types.map(typeName)
  const one = wanted.length === 1 ? wanted.join('') : `one of [${wanted.join(' ')}]`
  place.errors.push(invalid(place.path, expression, `must evaluate to ${one} but got ${typeName(type)}`))
}
