// The rules of a custom resource's schema (x-kubernetes-validations): CEL expressions over a value and, for transition
// rules, over what it was before (apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go).

import { isEqual, type Json, type JsonObject } from '#objects'
import { CelBudget, CelOptional, compileCel, costExceeded, dynamic, environmentOf, toCel } from '../cel/index.ts'
import { type FieldError, type FieldErrorType, forbidden, invalid, required } from '../field-error.ts'
import { byteLength } from '../metadata/formats.ts'
import { child, elementBefore, fieldBefore, fieldSchema, holding, isObject } from './correlate.ts'
import { resolveFieldPath } from './field-path.ts'

interface Rule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: FieldErrorType
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

interface Place {
  readonly path: string
  readonly verdict: Findings
  /** Nothing changed here, or around it: what is wrong was so before. */
  readonly unchanged: boolean
}

interface Verdict {
  readonly faults: FieldError[]
  /** What was wrong before, and stays so: only told to the client. */
  readonly warnings: string[]
}

/** What is found out on the way through one object. */
interface Findings extends Verdict {
  readonly budget: CelBudget
  /** The rules have cost too much: none is asked any more. */
  isOver: boolean
}

/** As Kubernetes' RuntimeCELCostBudget. */
const validationBudget = 10_000_000

/** Rules were checked when they were written. */
const environment = environmentOf(dynamic('self', 'oldSelf'), { isStored: true })

const rulesOf = (schema: JsonObject): readonly Rule[] => {
  const rules = schema['x-kubernetes-validations']
  return Array.isArray(rules) ? (rules as unknown as readonly Rule[]) : []
}

function usesOld({ rule }: Rule): boolean {
  const compiled = compileCel(rule, environment)
  return compiled.ok && compiled.program.names.has('oldSelf')
}

/** Whether there is any rule in the schema; most have none. */
export const hasRules = holding((schema) => rulesOf(schema).length > 0)
const hasTransitions = holding((schema) => rulesOf(schema).some(usesOld))

/** What the rules say. `old` is undefined for a new object. */
export function judgeByRules(value: Json, old: Json | undefined, schema: JsonObject): Verdict {
  const verdict: Verdict = { faults: [], warnings: [] }
  if (!hasRules(schema)) return verdict
  const findings = { ...verdict, budget: new CelBudget(validationBudget), isOver: false }
  visit({ value, old, schema }, { path: '', verdict: findings, unchanged: false })
  return verdict
}

/** Values that no rule but transitions had anything against, by their schemas: versions of an object share them. */
const soundBySchema = new WeakMap<JsonObject, WeakSet<object>>()

function soundOf(schema: JsonObject): WeakSet<object> {
  const sound = soundBySchema.get(schema) ?? new WeakSet<object>()
  soundBySchema.set(schema, sound)
  return sound
}

interface Judged {
  readonly value: Json
  readonly old: Json | undefined
  readonly schema: JsonObject
}

function visit(judged: Judged, { path, verdict, unchanged: around }: Place): void {
  const { value, old, schema } = judged
  if (!hasRules(schema) || value === null || verdict.isOver) return
  const isWhole = typeof value === 'object'
  if (isWhole && soundOf(schema).has(value) && !hasTransitions(schema)) return
  const told = verdict.faults.length + verdict.warnings.length
  const unchanged = old === undefined ? around : isEqual(value, old)
  judge(judged, { path, verdict, unchanged })
  visitElements(judged, { path, verdict, unchanged })
  visitFields(judged, { path, verdict, unchanged })
  if (isWhole && verdict.faults.length + verdict.warnings.length === told) soundOf(schema).add(value)
}

function visitElements({ value, old, schema }: Judged, { path, verdict, unchanged }: Place): void {
  const { items } = schema
  if (!Array.isArray(value) || !isObject(items) || !hasRules(items)) return
  ;(value as readonly Json[]).forEach((element, i) => {
    const before = elementBefore(element, old, schema)
    visit({ value: element, old: before, schema: items }, { path: `${path}[${i}]`, verdict, unchanged })
  })
}

function visitFields({ value, old, schema }: Judged, { path, verdict, unchanged }: Place): void {
  if (!isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    const inner = fieldSchema(schema, name)
    if (inner === undefined || field === undefined) continue
    visit({ value: field, old: fieldBefore(old, name), schema: inner }, { path: child(path, name), verdict, unchanged })
  }
}

function judge({ value, old, schema }: Judged, { path, verdict, unchanged }: Place): void {
  const rules = rulesOf(schema)
  if (rules.length === 0) return
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'object'
  const self = toCel(value, schema)
  const oldSelf = old === undefined ? null : toCel(old, schema)
  for (const rule of rules) {
    const isTransition = usesOld(rule)
    if (isTransition && old === undefined && rule.optionalOldSelf !== true) continue
    const values = { self, oldSelf: rule.optionalOldSelf === true ? asOptional(oldSelf) : oldSelf }
    const broken = outcome(rule, values, { path, type, schema, budget: verdict.budget })
    if (verdict.budget.isSpent || broken?.isOver === true) {
      const spent = invalid(path, type, `validation failed due to ${outOfBudget}`)
      verdict.faults.push(broken?.isOver === true ? broken.fault : spent)
      verdict.isOver = true
      return
    }
    if (broken === undefined) continue
    const { fault, isFailure } = broken
    if (isFailure || isTransition || !unchanged) verdict.faults.push(fault)
    else verdict.warnings.push(`${fault.field}: ${fault.message}`)
  }
}

const outOfBudget = 'running out of cost budget, no further validation rules will be run'

interface Broken {
  readonly fault: FieldError
  /** The rule could not be evaluated. */
  readonly isFailure: boolean
  /** It has cost more than any rule may. */
  readonly isOver?: boolean
}

interface RulePlace {
  readonly path: string
  readonly type: string
  readonly schema: JsonObject
  readonly budget: CelBudget
}

function outcome(
  rule: Rule,
  values: Readonly<Record<string, unknown>>,
  { path, type, schema, budget }: RulePlace,
): Broken | undefined {
  const failure = (text: string): Broken => ({ fault: invalid(path, type, text), isFailure: true })
  const compiled = compileCel(rule.rule, environment)
  if (!compiled.ok) return failure(`rule compile error: ${compiled.faults}`)
  try {
    if (compiled.program.evaluate(values, budget) === true) return undefined
    return {
      fault: faultOf(
        { ...rule, fieldPath: resolveFieldPath(schema, rule.fieldPath ?? '') ?? rule.fieldPath ?? '' },
        messageOf(rule, values, budget),
        path,
        type,
      ),
      isFailure: false,
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const about = (rule.message || rule.rule).trim()
    if (why === costExceeded) {
      const text = `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${about}`
      return { ...failure(text), isOver: true }
    }
    if (!why.startsWith('no such overload')) return failure(`${why} evaluating rule: ${about}`)
    const what = 'call arguments did not match a supported operator, function or macro signature'
    return failure(`'${why}': ${what} for rule: ${about}`)
  }
}

const asOptional = (value: unknown): CelOptional => (value === null ? CelOptional.none : new CelOptional(value))

/** Longer messages are not told. */
const maxMessageBytes = 5 * 1024

function messageOf(
  { rule, message, messageExpression }: Rule,
  values: Readonly<Record<string, unknown>>,
  budget: CelBudget,
): string {
  const compiled = messageExpression === undefined ? undefined : compileCel(messageExpression, environment)
  if (compiled?.ok === true) {
    try {
      const text = compiled.program.evaluate(values, budget)
      const said = typeof text === 'string' ? text.trim() : ''
      if (said !== '' && !/[\r\n]/.test(said) && byteLength(said) <= maxMessageBytes) return said
    } catch {
      // A message that cannot be made is no reason to accept: the fixed one is told.
    }
  }
  return message !== undefined && message !== '' ? message.trim() : `failed rule: ${rule.trim()}`
}

function faultOf({ reason, fieldPath = '' }: Rule, message: string, path: string, type: string): FieldError {
  const field = path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath}`
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, message)
    case 'FieldValueRequired':
      return required(field, message)
    case 'FieldValueDuplicate':
      return { type: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(type)}` }
    default:
      return invalid(field, type, message)
  }
}
