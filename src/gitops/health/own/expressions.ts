// Health by CEL expressions, in kstatus' words: the first rule that holds decides, an object whose controller has not seen
// its latest spec is in progress, and so is one for which no rule holds. What an object does not have (yet) makes an
// expression that reads it not hold, as it keeps Flux waiting. Pure.

import type { ExpressionStatus, HealthExpression, HealthExpressions } from '#gitops/customizations'
import { compileCel, dynamic, environmentOf, loopDepth, plainToCel } from '#kinds'
import type { AnyObject, Json } from '#objects'
import type { HealthStatus, Verdict } from '../verdict.ts'
import { faulty, said } from './script-answer.ts'

const health: Readonly<Record<ExpressionStatus, HealthStatus>> = {
  current: 'Healthy',
  inProgress: 'Progressing',
  failed: 'Degraded',
  suspended: 'Suspended',
}

/** The fields of an object that most have, empty where one has not; `self` is the whole. */
const variables = ['apiVersion', 'kind', 'metadata', 'spec', 'data', 'status', 'self'] as const

/** Not Kubernetes' but Flux' dialect: lists may hold elements of several types. */
const environment = environmentOf(dynamic(...variables), {
  isStored: true,
  hasBindings: true,
  isMixed: true,
})

export function healthByExpressions({ key, rules }: HealthExpressions, object: AnyObject): Verdict {
  const { generation } = object.metadata
  const observed = (object['status'] as { readonly observedGeneration?: unknown } | undefined)?.observedGeneration
  if (typeof observed === 'number' && generation !== undefined && observed !== generation)
    return said(key, 'Progressing', `generation is ${generation}, but latest observed generation is ${observed}`)
  const values = valuesOf(object)
  for (const [index, rule] of rules.entries()) {
    const answer = evaluate(rule, values)
    if (answer.type === 'fault') return faulty(key, `[${index}].${answer.field}: ${answer.message}`)
    if (answer.type === 'holds') return said(key, health[rule.status], answer.message)
  }
  return said(key, 'Progressing', 'no expression holds')
}

function valuesOf(object: AnyObject): Readonly<Record<string, unknown>> {
  const self = plainToCel(object as unknown as Json) as Readonly<Record<string, unknown>>
  return { ...Object.fromEntries(variables.map((name) => [name, self[name] ?? {}])), self }
}

type Answer =
  | { readonly type: 'holds'; readonly message: string | undefined }
  | { readonly type: 'not' }
  | { readonly type: 'fault'; readonly field: 'when' | 'message'; readonly message: string }

function evaluate({ when, message }: HealthExpression, values: Readonly<Record<string, unknown>>): Answer {
  const held = evaluated(when, values)
  if (held.type === 'absent') return { type: 'not' }
  if (held.type === 'fault') return { type: 'fault', field: 'when', message: held.message }
  if (typeof held.value !== 'boolean')
    return { type: 'fault', field: 'when', message: `must be true or false, not ${nameOf(held.value)}` }
  if (!held.value) return { type: 'not' }
  if (message === undefined) return { type: 'holds', message: undefined }
  const text = evaluated(message, values)
  if (text.type === 'fault') return { type: 'fault', field: 'message', message: text.message }
  if (text.type === 'absent') return { type: 'holds', message: undefined }
  return typeof text.value === 'string'
    ? { type: 'holds', message: text.value }
    : { type: 'fault', field: 'message', message: `must be a string, not ${nameOf(text.value)}` }
}

type Value =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'absent' }
  | { readonly type: 'fault'; readonly message: string }

function evaluated(expression: string, values: Readonly<Record<string, unknown>>): Value {
  const compiled = compileCel(expression, environment)
  if (!compiled.ok) return { type: 'fault', message: `compilation failed: ${compiled.faults}` }
  const loops = loopDepth(compiled.program.tree)
  if (loops > 1 && longest(values['self']) ** loops > stepsMax)
    return { type: 'fault', message: `goes through lists inside of lists, ${loops} deep, which are too long for that` }
  try {
    return { type: 'value', value: compiled.program.evaluate(values) }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return text.startsWith('no such key: ') ? { type: 'absent' } : { type: 'fault', message: text }
  }
}

/** About 50 ms: other loops wait while an expression is worked out. */
const stepsMax = 200_000

/** Elements of the longest list or map in a value. */
function longest(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return parts.reduce<number>((most, part) => Math.max(most, longest(part)), parts.length)
}

const nameOf = (value: unknown): string =>
  typeof value === 'bigint' ? 'int' : Array.isArray(value) ? 'list' : typeof value
