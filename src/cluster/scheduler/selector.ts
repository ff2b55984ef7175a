// A label selector compiled to a predicate, with a text that tells equal selectors apart from others.

import type { LabelSelector } from '#objects'

type Labels = Readonly<Record<string, string>>

export interface CompiledSelector {
  readonly text: string
  readonly matches: (labels: Labels) => boolean
  /** One label (`key=value`) that all must have whom it matches, if it asks for one: who has it is found by index. */
  readonly anchor: string | undefined
}

export const labelText = (key: string, value: string): string => `${key}=${value}`

const everything: CompiledSelector = { text: '{}', matches: () => true, anchor: undefined }
const nothing: CompiledSelector = { text: '!', matches: () => false, anchor: undefined }

type Requirement = readonly [key: string, operator: string, values: readonly string[]]

function requirementsOf(selector: LabelSelector): readonly Requirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]): Requirement => [key, 'In', [value]])
  const rest = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }): Requirement => [key, operator, [...values].sort()],
  )
  return [...equal, ...rest].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
}

function holds([key, operator, values]: Requirement, labels: Labels): boolean {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

const compiled = new WeakMap<LabelSelector, CompiledSelector>()

/** No selector matches nothing, an empty one everything. */
export function compileSelector(selector: LabelSelector | undefined): CompiledSelector {
  if (selector === undefined) return nothing
  const known = compiled.get(selector)
  if (known !== undefined) return known
  const requirements = requirementsOf(selector)
  const result = requirements.length === 0 ? everything : all(requirements)
  compiled.set(selector, result)
  return result
}

function all(requirements: readonly Requirement[]): CompiledSelector {
  const [key, , [value = ''] = []] =
    requirements.find(([, operator, { length }]) => operator === 'In' && length === 1) ?? []
  return {
    text: JSON.stringify(requirements),
    anchor: key === undefined ? undefined : labelText(key, value),
    matches: (labels) => requirements.every((requirement) => holds(requirement, labels)),
  }
}

const pairs = new WeakMap<CompiledSelector, WeakMap<CompiledSelector, CompiledSelector>>()

/** Both must match. */
export function bothSelectors(a: CompiledSelector, b: CompiledSelector): CompiledSelector {
  if (a === everything) return b
  if (b === everything) return a
  const known = pairs.get(a) ?? new WeakMap<CompiledSelector, CompiledSelector>()
  pairs.set(a, known)
  const found = known.get(b)
  if (found !== undefined) return found
  const both = {
    text: `${a.text}&${b.text}`,
    anchor: a.anchor ?? b.anchor,
    matches: (labels: Labels) => a.matches(labels) && b.matches(labels),
  }
  known.set(b, both)
  return both
}
