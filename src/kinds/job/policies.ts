// Faults of a Job's pod failure policy and success policy.

import {
  duplicate,
  type FieldError,
  invalid,
  invalidWhole,
  notSupported,
  quote,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts'
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { nonNegativeText, qualifiedName } from '../metadata/formats.ts'
import { countIndexes, readIndexes } from './indexes.ts'

const maxRules = 20
const maxValues = 255
const maxPatterns = 20
const actions: readonly string[] = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators: readonly string[] = ['In', 'NotIn']
const statuses: readonly string[] = ['False', 'True', 'Unknown']

/** As Go prints a list of strings. */
const listed = (values: readonly string[]): string => `[${values.map(quote).join(' ')}]`

export const internalFailurePolicy = goStruct('Rules', {
  Rules: goStruct('Action="" OnExitCodes OnPodConditions', {
    OnExitCodes: goStruct('ContainerName Operator="" Values'),
    OnPodConditions: goStruct('Type="" Status=""'),
  }),
})
export const internalSuccessPolicy = goStruct('Rules', { Rules: goStruct('SucceededIndexes SucceededCount') })

export function checkFailurePolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? []
  if (rules.length > maxRules) errors.push(tooMany(`${path}.rules`, rules.length, maxRules))
  const containers = new Set(
    [...(spec.template?.spec?.containers ?? []), ...(spec.template?.spec?.initContainers ?? [])].map(
      ({ name }) => name,
    ),
  )
  rules.forEach((rule, i) => {
    const at = `${path}.rules[${i}]`
    checkAction(rule, spec, { path: `${at}.action`, errors })
    if (rule.onExitCodes !== undefined)
      checkExitCodes(rule.onExitCodes, containers, { path: `${at}.onExitCodes`, errors })
    checkConditions(rule, `${at}.onPodConditions`, errors)
    const hasConditions = (rule.onPodConditions ?? []).length > 0
    if (rule.onExitCodes !== undefined && hasConditions)
      errors.push(invalidWhole(at, 'specifying both OnExitCodes and OnPodConditions is not supported'))
    if (rule.onExitCodes === undefined && !hasConditions)
      errors.push(invalidWhole(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
  })
}

interface Target {
  readonly path: string
  readonly errors: FieldError[]
}

function checkAction(rule: PodFailurePolicyRule, spec: JobSpec, { path, errors }: Target): void {
  const action: string = rule.action ?? ''
  if (action === '') errors.push(required(path, `valid values: ${listed(actions)}`))
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.push(invalid(path, action, 'requires the backoffLimitPerIndex to be set'))
  else if (!actions.includes(action)) errors.push(notSupported(path, action, actions))
}

function checkExitCodes(
  codes: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
  { path, errors }: Target,
): void {
  const { operator = '', containerName } = codes
  const values = codes.values ?? []
  if (operator === '') errors.push(required(`${path}.operator`, `valid values: ${listed(operators)}`))
  else if (!operators.includes(operator)) errors.push(notSupported(`${path}.operator`, operator, operators))
  if (containerName !== undefined && !containers.has(containerName))
    errors.push(
      invalid(
        `${path}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    )
  if (values.length === 0)
    errors.push(invalid(`${path}.values`, codes.values ?? null, 'at least one value is required'))
  else if (values.length > maxValues) errors.push(tooMany(`${path}.values`, values.length, maxValues))
  let isOrdered = true
  const seen = new Set<number>()
  values.forEach((value, i) => {
    const at = `${path}.values[${i}]`
    if (operator === 'In' && value === 0) errors.push(invalid(at, value, 'must not be 0 for the In operator'))
    if (seen.has(value)) errors.push(duplicate(at, value))
    seen.add(value)
    if (i > 0 && (values[i - 1] ?? 0) > value) isOrdered = false
  })
  if (!isOrdered) errors.push(invalid(`${path}.values`, values, 'must be ordered'))
}

function checkConditions(rule: PodFailurePolicyRule, path: string, errors: FieldError[]): void {
  const patterns = rule.onPodConditions ?? []
  if (patterns.length > maxPatterns) errors.push(tooMany(path, patterns.length, maxPatterns))
  patterns.forEach(({ type = '', status = '' }, i) => {
    const at = `${path}[${i}]`
    for (const text of qualifiedName(type)) errors.push(invalid(`${at}.type`, type, text))
    if (status === '') errors.push(required(`${at}.status`, `valid values: ${listed(statuses)}`))
    else if (!statuses.includes(status)) errors.push(notSupported(`${at}.status`, status, statuses))
  })
}

export function checkSuccessPolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const policy = spec.successPolicy
  if (policy === undefined) return
  if (spec.completionMode !== 'Indexed') {
    errors.push(invalid(path, asGoStruct(internalSuccessPolicy, policy), 'requires indexed completion mode'))
    return
  }
  const rules = policy.rules ?? []
  if (rules.length === 0)
    errors.push(required(`${path}.rules`, 'at least one rules must be specified when the successPolicy is specified'))
  if (rules.length > maxRules) errors.push(tooMany(`${path}.rules`, rules.length, maxRules))
  rules.forEach((rule, i) => {
    checkSuccessRule(rule, spec.completions ?? 0, { path: `${path}.rules[${i}]`, errors })
  })
}

const maxIndexesLength = 64 * 1024

function checkSuccessRule(rule: SuccessPolicyRule, completions: number, { path, errors }: Target): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule
  if (count === undefined && indexes === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'))
  let total = 0
  if (indexes !== undefined) {
    const at = `${path}.succeededIndexes`
    if (indexes.length > maxIndexesLength) errors.push(tooLong(at, maxIndexesLength))
    const read = readIndexes(indexes, completions)
    if ('fault' in read) errors.push(invalid(at, indexes, `error parsing succeededIndexes: ${read.fault}`))
    else total = countIndexes(read.intervals)
  }
  if (count === undefined) return
  const at = `${path}.succeededCount`
  const atMost = (limit: number, what: string): void => {
    if (count > limit) errors.push(invalid(at, count, `must be less than or equal to ${limit} (the number of ${what})`))
  }
  if (count < 0) errors.push(invalid(at, count, nonNegativeText))
  atMost(completions, 'specified completions')
  if (indexes !== undefined) atMost(total, 'indexes in the specified succeededIndexes field')
}
