// What a policy says of a request: its expressions one after the other, with variables worked out when they are first
// used. Pure.

import { compileCel, toCel, type ValidatingAdmissionPolicy, type Validation } from '#kinds'
import type { AnyObject, Json } from '#objects'
import type { AdmissionRequest } from '../plugin.ts'
import { conditionsHold, requestValues, requestVariables } from '../rules.ts'

export interface PolicyFault {
  readonly message: string
  readonly reason: string
}

export interface PolicyInput {
  readonly policy: ValidatingAdmissionPolicy
  readonly request: AdmissionRequest
  readonly params: AnyObject | undefined
  readonly namespace: AnyObject | undefined
}

const names = [...requestVariables, 'params', 'namespaceObject', 'variables']

/** What is wrong with the request; nothing when the policy is not about it. */
export function evaluatePolicy(input: PolicyInput): readonly PolicyFault[] {
  const { spec = {} } = input.policy
  const values = valuesOf(input)
  const failed = (why: string): readonly PolicyFault[] =>
    spec.failurePolicy === 'Ignore' ? [] : [{ message: why, reason: 'Invalid' }]
  try {
    if (!conditionsHold(spec.matchConditions, names, () => values)) return []
  } catch (error) {
    return failed(messageOf(error))
  }
  return (spec.validations ?? []).flatMap((validation) => {
    try {
      const compiled = compileCel(validation.expression, names)
      if (!compiled.ok) throw new Error(compiled.message)
      if (compiled.program.evaluate(values) === true) return []
      return [{ message: said(validation, values), reason: validation.reason ?? 'Invalid' }]
    } catch (error) {
      return failed(`expression '${validation.expression.trim()}' resulted in error: ${messageOf(error)}`)
    }
  })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function valuesOf({ policy, request, params, namespace }: PolicyInput): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {
    ...requestValues(request, request.object),
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
        const compiled = compileCel(expression, names)
        if (!compiled.ok) throw new Error(compiled.message)
        known = { value: compiled.program.evaluate(values) }
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
