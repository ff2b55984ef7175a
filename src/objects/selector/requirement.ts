// One requirement of a label selector, and selectors as lists of them: checking, matching, writing as text.

import { labelValue, qualifiedName } from './label-format.ts'

export type Labels = Readonly<Record<string, string>>

export type SelectorOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: SelectorOperator
  readonly values: readonly string[]
}

/** Matches labels that meet every requirement; `nothing` matches none at all. */
export interface Selector {
  readonly requirements: readonly Requirement[]
  readonly nothing?: true
}

export const everything: Selector = { requirements: [] }
export const nothing: Selector = { requirements: [], nothing: true }

/** The text is no selector; the message is what an API server answers. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

const invalid = (path: string, value: unknown, detail: string): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`

/** A checked requirement. Throws a SelectorError that lists every fault. */
export function requirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  const keyFaults = qualifiedName(key)
  const faults = [
    ...(keyFaults.length === 0 ? [] : [invalid('key', key, keyFaults.join('; '))]),
    ...countFaults(operator, values),
  ]
  values.forEach((value, index) => {
    const valueFaults = labelValue(value)
    if (valueFaults.length > 0) faults.push(invalid(`values[${index}][${key}]`, value, valueFaults.join('; ')))
  })
  if (faults.length > 0) throw new SelectorError(faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`)
  return { key, operator, values }
}

function countFaults(operator: SelectorOperator, values: readonly string[]): string[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0
        ? []
        : [invalid('values', values, "for 'in', 'notin' operators, values set can't be empty")]
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : [invalid('values', values, 'exact-match compatibility requires one single value')]
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [invalid('values', values, 'values set must be empty for exists and does not exist')]
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1
          ? []
          : [invalid('values', values, "for 'Gt', 'Lt' operators, exactly one value is required")]),
        ...values.flatMap((value, index) =>
          integerOf(value) !== undefined
            ? []
            : [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")],
        ),
      ]
  }
}

function integerOf(text: string): bigint | undefined {
  return /^[-+]?[0-9]+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
}

/** Whether labels (none, if undefined) meet every requirement. */
export function matchesSelector(selector: Selector, labels: Labels | undefined): boolean {
  if (selector.nothing === true) return false
  for (const one of selector.requirements) if (!matchesRequirement(one, labels)) return false
  return true
}

export function matchesRequirement({ key, operator, values }: Requirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value)
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      const [have, want] = [integerOf(value ?? ''), integerOf(values[0] ?? '')]
      if (have === undefined || want === undefined) return false
      return operator === 'gt' ? have > want : have < want
    }
  }
}

/** The selector as text, as in the status of a Scale: `app=a,tier in (x,y)`. */
export function formatSelector(selector: Selector): string {
  return selector.requirements.map(formatRequirement).join(',')
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'gt':
      return `${key}>${values[0] ?? ''}`
    case 'lt':
      return `${key}<${values[0] ?? ''}`
    default:
      return `${key}${operator}${values[0] ?? ''}`
  }
}

/** Requirements in the order of their keys, as Kubernetes keeps them. */
export const byKey = (requirements: readonly Requirement[]): readonly Requirement[] =>
  [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
