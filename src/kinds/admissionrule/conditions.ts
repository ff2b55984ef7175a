// Conditions in CEL that a request must meet before a webhook or a policy is asked.

import { boolType } from '../cel/index.ts'
import { duplicate, invalid, required, tooMany } from '../field-error.ts'
import type { MatchCondition } from '../generated/types.ts'
import { qualifiedName } from '../metadata/formats.ts'
import { checkExpression, type ExpressionPlace } from './expression.ts'

const maxConditions = 64

export function checkConditions(conditions: readonly MatchCondition[], place: ExpressionPlace): void {
  const { path, errors } = place
  const names = new Set<string>()
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions))
  conditions.forEach(({ name = '', expression = '' }, i) => {
    const at = `${path}[${i}]`
    if (expression.trim() === '') errors.push(required(`${at}.expression`))
    else checkExpression(expression.trim(), [boolType], { ...place, path: `${at}.expression` })
    if (name === '') errors.push(required(`${at}.name`))
    else for (const fault of qualifiedName(name)) errors.push(invalid(`${at}.name`, name, fault))
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
}
