// What a policy says of a request: its expressions one after the other, with variables worked out when they are first
// used. Pure.

import { compileCel, toCel, type ValidatingAdmissionPolicy, type Validation } from '#kinds'
import type { AnyObject, Json } from '#objects'
import { conditionsHold, type Presented, requestValues, requestVariables } from '../rules.ts'

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

const names = [...requestVariables, 'params', 'namespaceObject', 'variables']

/** What is wrong with the request; nothing when the policy is not about it. */
export function evaluatePolicy(input: PolicyInput): readonly PolicyFault[] {
  const { spec = {} } = input.policy
  const values = valuesOf(input)
  const failed = (message: string, index: number): readonly PolicyFault[] =>
    spec.failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid', index }]
  try {
    if (!conditionsHold(spec.matchConditions, names, () => values)) return []
  } catch (error) {
    return failed(messageOf(error), 0)
  }
  return (spec.validations ?? []).flatMap((validation, index) => {
    try {
      if (resultOf(validation.expression, values) === true) return []
      return [{ message: said(validation, values), reason: validation.reason ?? 'Invalid', index }]
    } catch (error) {
      return failed(`expression '${validation.expression.trim()}' resulted in error: ${messageOf(error)}`, index)
    }
  })
}

/** What the policy notes for the audit of a request that it is about. */
export function auditNotes(input: PolicyInput): readonly (readonly [key: string, value: string])[] {
  const { auditAnnotations = [], matchConditions } = input.policy.spec ?? {}
  if (auditAnnotations.length === 0) return []
  const values = valuesOf(input)
  try {
    if (!conditionsHold(matchConditions, names, () => values)) return []
    return auditAnnotations.flatMap(({ key, valueExpression }) => {
      const value = resultOf(valueExpression, values)
      return typeof value === 'string' && value.trim() !== '' ? [[key, value.trim()] as const] : []
    })
  } catch {
    // What fails here fails in the validations too, or is not worth a refusal.
    return []
  }
}

function resultOf(expression: string, values: Readonly<Record<string, unknown>>): unknown {
  const compiled = compileCel(expression, names)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.program.evaluate(values)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function valuesOf({ policy, shown, params, namespace }: PolicyInput): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {
    ...requestValues(shown),
    params: toCel(params as unknown as Json | undefined),
    namespaceObject: toCel(namespace as unknown as Json | undefined),
  }
  values['variables'] = composed(policy, values)
  return values
}

/** Variables can use those before them; each is evaluated once, and only if it is used. */
function composed(policy: ValidatingAdmissionPolicy, values: Readonly<Record<string, unknown>>): object {
  const out: Record<string, unknown> = {}
  for (const { name, expression } of policy.spec?.variables ?? []) {
    let known: { readonly value: unknown } | undefined
    Object.defineProperty(out, name, {
      enumerable: true,
      get() {
        if (known !== undefined) return known.value
        known = { value: resultOf(expression, values) }
        return known.value
      },
    })
  }
  return out
}

function said(
  { message, messageExpression, expression }: Validation,
  values: Readonly<Record<string, unknown>>,
): string {
  const compiled = messageExpression === undefined ? undefined : compileCel(messageExpression, names)
  if (compiled?.ok === true) {
    try {
      const text = compiled.program.evaluate(values)
      if (typeof text === 'string' && text.trim() !== '') return text.trim()
    } catch {
      // The fixed message is told in its place.
    }
  }
  return message !== undefined && message.trim() !== '' ? message.trim() : `failed expression: ${expression.trim()}`
}
