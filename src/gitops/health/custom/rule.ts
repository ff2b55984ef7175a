// The language in which the health of custom resources is written down: steps in order, the first that answers wins.
//
//   { when: [['spec.paused', 'is', true]], answer: ['Suspended', 'Paused'] }          all tests must hold; none: always
//   { conditions: { 'Ready=False': ['Degraded'], 'Ready=True': ['Healthy'] } }        the first listed condition that matches
//   { field: 'status.phase', values: { Running: ['Healthy', 'Phase {.}'] } }          by what a field says
//   { when: [...], steps: [...] }                                                     steps under a guard
//   { decide: function }                                                              what no step can say
//
// An answer is a health and messages, of which the first is taken whose {places} are all set. `{a.b}` is a place in the
// object, `{.message}` one in the condition at hand, `{.}` the value at hand, `{a.b!}` one that must not be empty; without
// messages the condition's own is taken.

import type { AnyObject } from '#objects'
import type { HealthRule, HealthStatus, Verdict } from '../verdict.ts'
import { verdict } from '../verdict.ts'
import { matches, selectorOf } from './condition-selector.ts'
import { valueAt } from './path.ts'

export type Answer = readonly [health: HealthStatus, ...messages: readonly string[]]

type Scalar = string | number | boolean

export type Test =
  | readonly [path: string, verb: 'set' | 'unset' | 'empty']
  | readonly [path: string, verb: 'is' | 'not', ...values: readonly Scalar[]]
  /** With another field. */
  | readonly [path: string, verb: 'same' | 'differs', other: string]
  /** Numbers, with another field or a number; what is not set is 0. */
  | readonly [path: string, verb: 'below' | 'atLeast', other: string | number]
  /** One of a list's conditions is any of these. */
  | readonly [path: string, verb: 'has', ...selectors: readonly string[]]

interface Guarded {
  readonly when?: readonly Test[]
}

export type Step = Guarded &
  (
    | { readonly answer: Answer }
    | { readonly conditions: Readonly<Record<string, Answer>>; readonly at?: string }
    | { readonly field: string; readonly values: Readonly<Record<string, Answer>>; readonly otherwise?: Answer }
    | { readonly steps: Rule }
    | { readonly decide: (object: AnyObject) => Verdict | undefined }
  )

/** Ends with a step that always answers. */
export type Rule = readonly Step[]

/** By `group/Kind`: a rule, or a function where a rule cannot say it. */
export type RuleTable = Readonly<Record<string, Rule | HealthRule>>

/** The controller has not seen the latest spec; holds only where it says what it has seen. */
export const isBehind: readonly Test[] = [
  ['status.observedGeneration', 'set'],
  ['status.observedGeneration', 'differs', 'metadata.generation'],
]

export const evaluate = (rule: Rule, object: AnyObject): Verdict =>
  run(rule, object) ?? verdict('Unknown', undefined, ['status', undefined, 'says nothing that is known'])

function run(rule: Rule, object: AnyObject): Verdict | undefined {
  for (const step of rule) {
    if (step.when?.every((test) => holds(test, object)) === false) continue
    const answer = take(step, object)
    if (answer !== undefined) return answer
  }
  return undefined
}

function take(step: Step, object: AnyObject): Verdict | undefined {
  if ('steps' in step) return run(step.steps, object)
  if ('decide' in step) return step.decide(object)
  if ('conditions' in step) return byConditions(step, object)
  if ('field' in step) {
    const value = valueAt(object, step.field)
    if (value === undefined) return undefined
    const key = String(value)
    const answer = Object.hasOwn(step.values, key) ? step.values[key] : step.otherwise
    return answer && verdict(answer[0], textOf(answer, object, value), [step.field, value, 'the word that it says'])
  }
  const [health] = step.answer
  const decisive = step.when?.at(-1)
  const proof =
    decisive === undefined
      ? (['status', undefined, 'nothing more is said'] as const)
      : ([decisive[0], valueAt(object, decisive[0]), inWords(decisive)] as const)
  return verdict(health, textOf(step.answer, object, undefined), proof)
}

function byConditions(
  { conditions, at = 'status.conditions' }: Extract<Step, { conditions: unknown }>,
  object: AnyObject,
): Verdict | undefined {
  const listed = valueAt(object, at)
  if (!Array.isArray(listed)) return undefined
  for (const condition of listed) {
    for (const [text, answer] of Object.entries(conditions)) {
      if (!matches(selectorOf(text), condition)) continue
      const [health, ...messages] = answer
      const { type, status, reason } = condition
      const message = textOf(messages.length === 0 ? [health, '{.message}'] : answer, object, condition)
      const value = reason === undefined ? status : `${status} (${reason})`
      return verdict(health, message, [`${at}[type=${type}]`, value, `condition ${text}`])
    }
  }
  return undefined
}

export function holds(test: Test, object: AnyObject): boolean {
  const [path, verb, ...operands] = test
  const value = valueAt(object, path)
  if (verb === 'set') return value !== undefined
  if (verb === 'unset') return value === undefined
  if (verb === 'empty') return typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (verb === 'is') return operands.includes(value as Scalar)
  if (verb === 'not') return !operands.includes(value as Scalar)
  if (verb === 'has')
    return (
      Array.isArray(value) && value.some((each) => operands.some((text) => matches(selectorOf(String(text)), each)))
    )
  const [operand] = operands
  const other = typeof operand === 'string' ? valueAt(object, operand) : operand
  if (verb === 'same') return value === other
  if (verb === 'differs') return value !== other
  const [left, right] = [Number(value ?? 0), Number(other ?? 0)]
  return verb === 'below' ? left < right : left >= right
}

function inWords([, verb, ...operands]: Test): string {
  if (verb === 'set') return 'is set'
  if (verb === 'unset') return 'is not set'
  if (verb === 'empty') return 'is empty'
  if (verb === 'is') return `is ${operands.join(' or ')}`
  if (verb === 'not') return `is not ${operands.join(' or ')}`
  if (verb === 'has') return `has ${operands.join(' or ')}`
  return `${relations[verb]} ${operands[0]}`
}

const relations = { same: 'equals', differs: 'differs from', below: 'is below', atLeast: 'is not below' } as const

function textOf([, ...messages]: Answer, object: AnyObject, atHand: unknown): string | undefined {
  for (const message of messages) {
    let whole = true
    const text = message.replace(/\{([^{}!]+)(!?)\}/g, (_, place: string, mustSay: string) => {
      const value = place.startsWith('.') ? valueAt(atHand, place.slice(1)) : valueAt(object, place)
      if (value === undefined || (mustSay !== '' && value === '')) whole = false
      return Array.isArray(value) ? value.join(', ') : String(value)
    })
    if (whole) return text
  }
  return undefined
}
