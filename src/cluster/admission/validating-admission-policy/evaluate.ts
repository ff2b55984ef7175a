// What a policy says of a request: its expressions one after the other, with variables worked out when they are first
// used, within Kubernetes' limits of what they may cost (RuntimeCELCostBudget). Pure.

import { CelBudget, compileCel, plainToCel, type ValidatingAdmissionPolicy, type Validation } from '#kinds'
import type { AnyObject, Json } from '#objects'
import { conditionsHold, outOfBudget, type Presented, requestEnvironment, requestValues } from '../rules.ts'

export interface PolicyFault {
  readonly message: string
  readonly reason: string
  /** Which of the policy's validations. */
  readonly index: number
}

export interface PolicyInput {
  readonly policy: ValidatingAdmissionPolicy
  readonly shown: Presented
  readonly params: AnyObject | undefined
  readonly namespace: AnyObject | undefined
}

export interface PolicyVerdict {
  /** What is wrong with the request: the binding says what becomes of it. */
  readonly faults: readonly PolicyFault[]
  /** What the policy notes for the audit. */
  readonly notes: readonly (readonly [key: string, value: string])[]
  /** Why notes could not be made: refuses the request, whatever the binding says. */
  readonly failures: readonly PolicyFault[]
}

type Values = Readonly<Record<string, unknown>>

const evaluationBudget = 10_000_000
const maxMessageBytes = 5 * 1024

const nothing: PolicyVerdict = { faults: [], notes: [], failures: [] }
const fault = (message: string, index = 0): PolicyFault => ({ message, reason: 'Invalid', index })

/** Nothing when the policy is not about the request. */
export function evaluatePolicy(input: PolicyInput): PolicyVerdict {
  const { spec = {} } = input.policy
  const isLenient = spec.failurePolicy === 'Ignore'
  const failed = (faults: readonly PolicyFault[]): readonly PolicyFault[] => (isLenient ? [] : faults)
  const values = valuesOf(input)
  try {
    if (!conditionsHold(spec.matchConditions, () => values())) return nothing
  } catch (error) {
    return { ...nothing, faults: failed([fault(messageOf(error))]) }
  }
  const { faults, failures, isOver } = judge(spec.validations ?? [], values)
  if (isOver) return { ...nothing, faults: failed(failures) }
  const annotated = notesOf(input.policy, values)
  return {
    faults: [...faults, ...failed(failures)].toSorted(byIndex),
    ...annotated,
    failures: failed(annotated.failures),
  }
}

const byIndex = (a: PolicyFault, b: PolicyFault): number => a.index - b.index

interface Judgement {
  readonly faults: readonly PolicyFault[]
  /** Of expressions that cannot be evaluated. */
  readonly failures: readonly PolicyFault[]
  readonly isOver: boolean
}

/** Expressions and messages have one budget together. */
function judge(validations: readonly Validation[], values: ValuesFor): Judgement {
  const budget = new CelBudget(evaluationBudget)
  const known = values(budget)
  const faults: PolicyFault[] = []
  const failures: PolicyFault[] = []
  for (const [index, validation] of validations.entries()) {
    const { expression, reason = 'Invalid' } = validation
    const outcome = outcomeOf(expression, known, budget)
    if (budget.isSpent) return { faults: [], failures: [fault(outOfBudget)], isOver: true }
    if ('error' in outcome) failures.push(fault(outcome.error, index))
    else if (outcome.value !== true) faults.push({ message: said(validation, known, budget), reason, index })
    if (budget.isSpent)
      return { faults: [], failures: [fault(`failed messageExpression: ${outOfBudget}`)], isOver: true }
  }
  return { faults, failures, isOver: false }
}

type Outcome = { readonly value: unknown } | { readonly error: string }

function outcomeOf(expression: string, values: Values, budget: CelBudget): Outcome {
  const compiled = compileCel(expression, requestEnvironment)
  if (!compiled.ok) return { error: `compilation error: compilation failed: ${compiled.faults}` }
  try {
    return { value: compiled.program.evaluate(values, budget) }
  } catch (error) {
    return { error: `expression '${expression.trim()}' resulted in error: ${messageOf(error)}` }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function said({ message, messageExpression, expression }: Validation, values: Values, budget: CelBudget): string {
  const made = messageExpression ? outcomeOf(messageExpression, values, budget) : undefined
  const text = made !== undefined && 'value' in made && typeof made.value === 'string' ? made.value.trim() : ''
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text
  return message !== undefined && message.trim() !== '' ? message.trim() : `failed expression: ${expression.trim()}`
}

function notesOf(policy: ValidatingAdmissionPolicy, values: ValuesFor): Pick<PolicyVerdict, 'notes' | 'failures'> {
  const budget = new CelBudget(evaluationBudget)
  const notes: (readonly [string, string])[] = []
  const failures: PolicyFault[] = []
  for (const { key, valueExpression } of policy.spec?.auditAnnotations ?? []) {
    const outcome = outcomeOf(valueExpression, values(budget), budget)
    if (budget.isSpent) return { notes: [], failures: [fault(outOfBudget)] }
    if ('error' in outcome) failures.push(fault(outcome.error))
    else if (typeof outcome.value === 'string') {
      if (outcome.value.trim() !== '') notes.push([key, outcome.value.trim()])
    } else if (outcome.value !== null)
      failures.push(
        fault(
          `valueExpression '${valueExpression}' resulted in unsupported return type: ${typeName(outcome.value)}. Return type must be either string or null.`,
        ),
      )
  }
  return { notes, failures }
}

const celTypes: Readonly<Record<string, string>> = { bigint: 'int', number: 'double', boolean: 'bool' }
const typeName = (value: unknown): string => celTypes[typeof value] ?? (Array.isArray(value) ? 'list' : 'map')

/** The values of all variables; what is worked out for them is charged to the budget. */
type ValuesFor = (budget?: CelBudget) => Values

function valuesOf({ policy, shown, params, namespace }: PolicyInput): ValuesFor {
  const base = {
    ...requestValues(shown),
    params: plainToCel(params as unknown as Json | undefined),
    namespaceObject: plainToCel(exposed(namespace)),
  }
  return (budget = new CelBudget(evaluationBudget)) => {
    const values: Record<string, unknown> = { ...base }
    values['variables'] = composed(policy, values, budget)
    return values
  }
}

/** What expressions see of the namespace. */
function exposed(namespace: AnyObject | undefined): Json | undefined {
  if (namespace === undefined) return undefined
  const { ownerReferences: _owners, managedFields: _managed, ...metadata } = namespace.metadata
  return { metadata, spec: namespace['spec'] ?? {}, status: namespace['status'] ?? {} } as unknown as Json
}

/** Variables can use those before them; each is evaluated once, and only if it is used. */
function composed(policy: ValidatingAdmissionPolicy, values: Values, budget: CelBudget): object {
  const out: Record<string, unknown> = {}
  for (const { name, expression } of policy.spec?.variables ?? []) {
    let known: Outcome | undefined
    Object.defineProperty(out, name, {
      enumerable: true,
      get() {
        known ??= variableOf(name, expression, { values, budget })
        if ('error' in known) throw new Error(known.error)
        return known.value
      },
    })
  }
  return out
}

function variableOf(
  name: string,
  expression: string,
  { values, budget }: { readonly values: Values; readonly budget: CelBudget },
): Outcome {
  const compiled = compileCel(expression, requestEnvironment)
  if (!compiled.ok)
    return {
      error: `composited variable ${JSON.stringify(name)} fails to compile: compilation failed: ${compiled.faults}`,
    }
  try {
    return { value: compiled.program.evaluate(values, budget) }
  } catch (error) {
    return { error: `composited variable ${JSON.stringify(name)} fails to evaluate: ${messageOf(error)}` }
  }
}
