// x-kubernetes-validations: the rules, which are CEL, and the texts around them.

import { compileCel } from '../cel/index.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { JSONSchemaProps, ValidationRule } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { itemSchema, valueSchema } from './schema-type.ts'

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

const internalRule = goStruct('Rule="" Message="" MessageExpression="" Reason FieldPath="" OptionalOldSelf')
const variables = ['self', 'oldSelf']

/** Whether the rules of a schema that is sound otherwise can be compiled. */
export function checkRulesCompile(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const items = itemSchema(schema)
  const values = valueSchema(schema)
  if (values !== undefined) checkRulesCompile(values, `${path}.additionalProperties`, errors)
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkRulesCompile(property, `${path}.properties[${name}]`, errors)
  if (items !== undefined) checkRulesCompile(items, `${path}.items`, errors)
  schema['x-kubernetes-validations']?.forEach((rule, i) => {
    const at = `${path}.x-kubernetes-validations[${i}]`
    const expect = (field: 'rule' | 'messageExpression', type: string, text: string): void => {
      const expression = rule[field]
      if (!expression) return
      const compiled = compileCel(expression, variables)
      if (!compiled.ok) errors.push(invalid(`${at}.${field}`, asGoStruct(internalRule, rule), compiled.message))
      else if (compiled.program.type !== 'dyn' && compiled.program.type !== type)
        errors.push(invalid(`${at}.${field}`, asGoStruct(internalRule, rule), text))
    }
    expect('rule', 'bool', 'cel expression must evaluate to a bool')
    expect('messageExpression', 'string', 'messageExpression must evaluate to a string')
  })
}
