// x-kubernetes-validations: the rules, which are CEL, and the texts around them.

import type { JsonObject } from '#objects'
import {
  asResource,
  boolType,
  type CelProgram,
  type CelType,
  compileCel,
  declaredType,
  dynType,
  environmentOf,
  isSameType,
  optionalOf,
  type Surroundings,
  stringType,
  visible,
} from '../cel/index.ts'
import { resolveFieldPath } from '../customresource/index.ts'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { JSONSchemaProps, ValidationRule } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { CostBudget } from './cost-budget.ts'
import { ruleCost } from './rule-cost.ts'
import { maxCount, maxElements } from './rule-sizes.ts'
import { itemSchema, valueSchema } from './schema-type.ts'

const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]
const hasLineBreak = (text: string): boolean => /[\r\n]/.test(text)

export function checkRuleTexts(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  schema['x-kubernetes-validations']?.forEach((rule, i) => {
    const at = `${path}[${i}]`
    checkRule(rule, at, errors)
    const { fieldPath = '' } = rule
    if (fieldPath !== '' && resolveFieldPath(schema as unknown as JsonObject, fieldPath) === undefined)
      errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path'))
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

interface Place {
  readonly path: string
  readonly errors: FieldError[]
  readonly isRoot?: boolean
  /** The part of the schema within which nobody knows what a value was before; absent where that is known. */
  readonly uncorrelated?: string
  /** How often values of this schema can be there, by the limits around it; absent where nothing limits them. */
  readonly times?: number
  readonly budget: CostBudget
  /** Schemas that have other faults: their rules could not be judged fairly. */
  readonly unsound: ReadonlySet<JSONSchemaProps>
}

/** Whether the rules of what is sound otherwise can be compiled, and speak of what there is. */
export function checkRulesCompile(schema: JSONSchemaProps, place: Place): void {
  const { path } = place
  const items = itemSchema(schema)
  const values = valueSchema(schema)
  const inside = within(schema, place)
  const lost = { ...inside, uncorrelated: inside.uncorrelated ?? path }
  if (values !== undefined) checkRulesCompile(values, { ...inside, path: `${path}.additionalProperties` })
  const fields = schema['x-kubernetes-map-type'] === 'atomic' ? lost : inside
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    checkRulesCompile(property, { ...fields, path: `${path}.properties[${name}]` })
  const elements = schema['x-kubernetes-list-type'] === 'map' ? inside : lost
  if (items !== undefined) checkRulesCompile(items, { ...elements, path: `${path}.items` })
  if (place.unsound.has(schema)) return
  schema['x-kubernetes-validations']?.forEach((rule, i) => {
    checkCompiled(rule, schema, { ...place, path: `${path}.x-kubernetes-validations[${i}]` })
  })
}

/** The place of what is inside of the schema. */
function within(schema: JSONSchemaProps, { isRoot: _isRoot, times, ...place }: Place): Place {
  const count = maxElements(schema as unknown as JsonObject)
  return times === undefined || count === undefined ? place : { ...place, times: times * count }
}

function checkCompiled(rule: ValidationRule, schema: JSONSchemaProps, place: Place): void {
  const { path, errors, uncorrelated, budget } = place
  const around = environment(rule, schema, place)
  const cost = costIn(namesOf(rule, schema, place))
  const program = compiled(rule, 'rule', { ...place, around })
  if (program !== undefined) {
    const times = place.times ?? maxCount(schema as unknown as JsonObject)
    errors.push(...budget.charge(`${path}.rule`, 'estimated rule cost', cost(program) * times))
    const message = compiled(rule, 'messageExpression', { ...place, around })
    if (message !== undefined)
      errors.push(...budget.charge(`${path}.messageExpression`, 'estimated messageExpression cost', cost(message)))
  }
  if (program?.names.has('oldSelf') === true) {
    const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
    if (uncorrelated !== undefined) errors.push(invalid(`${path}.rule`, rule.rule, text))
  } else if (rule.optionalOldSelf !== undefined)
    errors.push(
      invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    )
}

const costIn =
  (names: Names) =>
  ({ tree }: CelProgram): number =>
    ruleCost(tree, names)

type Names = ReadonlyMap<string, JsonObject | undefined>

/** What the variables of a rule are; an optional value is seen through functions alone. */
function namesOf({ optionalOldSelf }: ValidationRule, schema: JSONSchemaProps, { isRoot }: Place): Names {
  const self = seenOf(schema, isRoot)
  return new Map([
    ['self', self],
    ['oldSelf', optionalOldSelf === true ? undefined : self],
  ])
}

function seenOf(schema: JSONSchemaProps, isRoot: boolean | undefined): JsonObject | undefined {
  const own = schema as unknown as JsonObject
  return isRoot === true ? asResource(own) : visible(own)
}

function environment({ optionalOldSelf }: ValidationRule, schema: JSONSchemaProps, { isRoot }: Place): Surroundings {
  const self: CelType = declaredType(seenOf(schema, isRoot), 'selfType') ?? dynType
  return environmentOf({ self, oldSelf: optionalOldSelf === true ? optionalOf(self) : self })
}

const expected = {
  rule: { type: boolType, text: 'cel expression must evaluate to a bool', failed: 'compilation failed' },
  messageExpression: {
    type: stringType,
    text: 'messageExpression must evaluate to a string',
    failed: 'messageExpression compilation failed',
  },
} as const

function compiled(
  rule: ValidationRule,
  field: keyof typeof expected,
  { path, errors, around }: Place & { readonly around: Surroundings },
): CelProgram | undefined {
  const expression = rule[field]
  if (!expression) return undefined
  const refuse = (text: string): undefined => {
    errors.push(invalid(`${path}.${field}`, asGoStruct(internalRule, rule), text))
    return undefined
  }
  const made = compileCel(expression, around)
  const { type, text, failed } = expected[field]
  if (!made.ok) return refuse(`${failed}: ${made.faults}`)
  return isSameType(made.program.type, type) ? made.program : refuse(text)
}
