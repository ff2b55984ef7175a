// Expressions of policies and match conditions: whether they can be compiled and give what is asked of them.

import { compileCel } from '../cel/index.ts'
import { type FieldError, invalid } from '../field-error.ts'

/** What an expression about a request may name. */
const requestVariables = ['object', 'oldObject', 'request', 'authorizer', 'namespaceObject']

export const withParams = (hasParams: boolean): readonly string[] =>
  hasParams ? [...requestVariables, 'params'] : requestVariables

export interface ExpressionPlace {
  readonly path: string
  /** Names that the expression may use. */
  readonly variables: readonly string[]
  readonly errors: FieldError[]
}

/** An expression of whatever type. */
export function checkCompiles(expression: string, { path, variables, errors }: ExpressionPlace): void {
  const compiled = compileCel(expression, variables)
  if (!compiled.ok) errors.push(invalid(path, expression, compiled.message))
}

/** `types` are those that the expression may have; of what is not known before it is evaluated, nothing is said. */
export function checkExpression(expression: string, types: readonly string[], place: ExpressionPlace): void {
  const { path, variables, errors } = place
  const compiled = compileCel(expression, variables)
  if (!compiled.ok) {
    errors.push(invalid(path, expression, compiled.message))
    return
  }
  const { type } = compiled.program
  if (type === 'dyn' || types.includes(type)) return
  errors.push(
    invalid(
      path,
      expression,
      types.length === 1
        ? `must evaluate to ${types[0]} but got ${type}`
        : `must evaluate to one of [${types.join(' ')}]`,
    ),
  )
}
