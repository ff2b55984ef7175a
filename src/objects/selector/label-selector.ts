// The selectors that stand in objects (`matchLabels`, `matchExpressions`): turned into requirements once, then matched.

import type { LabelSelector } from '../object.ts'
import {
  byKey,
  everything,
  type Labels,
  matchesSelector,
  nothing,
  type Requirement,
  requirement,
  type Selector,
  SelectorError,
  type SelectorOperator,
} from './requirement.ts'

const operatorOf: Readonly<Record<string, SelectorOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

const known = new WeakMap<LabelSelector, Selector>()

/** No selector selects nothing, an empty one everything. Throws a SelectorError. */
export function selectorOf(selector: LabelSelector | undefined | null): Selector {
  if (selector === undefined || selector === null) return nothing
  const made = known.get(selector)
  if (made !== undefined) return made
  const result = build(selector)
  known.set(selector, result)
  return result
}

/** Whether labels match a selector of an object; a selector that is not valid matches nothing. */
export function matchesLabels(selector: LabelSelector | undefined | null, labels: Labels | undefined): boolean {
  try {
    return matchesSelector(selectorOf(selector), labels)
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}

const knownSets = new WeakMap<Labels, Selector>()

/** A selector for exactly these labels (`spec.selector` of a Service); no labels select everything. */
export function selectorOfLabels(labels: Labels | undefined | null): Selector {
  if (labels === undefined || labels === null) return everything
  const made = knownSets.get(labels)
  if (made !== undefined) return made
  const selector = { requirements: byKey(exactly(labels)) }
  knownSets.set(labels, selector)
  return selector
}

const exactly = (labels: Labels): readonly Requirement[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] }))

function build({ matchLabels, matchExpressions }: LabelSelector): Selector {
  const requirements: Requirement[] = Object.entries(matchLabels ?? {}).map(([key, value]) =>
    requirement(key, '=', [value]),
  )
  for (const { key, operator, values } of matchExpressions ?? []) {
    const meaning = operatorOf[operator]
    if (meaning === undefined)
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`)
    requirements.push(requirement(key, meaning, values ?? []))
  }
  return requirements.length === 0 ? everything : { requirements: byKey(requirements) }
}
