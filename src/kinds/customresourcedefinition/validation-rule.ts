// x-kubernetes-validations: the texts around the rules. The rules themselves are CEL.

import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { ValidationRule } from '../generated/types.ts'

const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]
const hasLineBreak = (text: string): boolean => /[\r\n]/.test(text)

export function checkRuleTexts(rules: readonly ValidationRule[], path: string, errors: FieldError[]): void {
  rules.forEach((rule, i) => {
    checkRule(rule, `${path}[${i}]`, errors)
  })
}

function checkRule(given: ValidationRule, path: string, errors: FieldError[]): void {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = given
  const rule = given.rule.trim()
  const said = message.trim()
  if (rule === '') errors.push(required(`${path}.rule`, 'rule is not specified'))
  else if (message !== '' && said === '')
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  else if (hasLineBreak(said)) errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  else if (hasLineBreak(rule) && said === '')
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'))
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons))
  if (fieldPath !== '' && fieldPath.trim() === '')
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'))
  if (hasLineBreak(fieldPath)) errors.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'))
}
