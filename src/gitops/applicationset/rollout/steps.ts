// The steps of a RollingSync: which Applications each of them selects by labels, and what is wrong with how it is
// configured, in Argo CD's words. Pure.

import type { Application, ApplicationSet, RolloutStep } from '#kinds'

export interface Steps {
  readonly steps: readonly RolloutStep[]
  /** Names by step. */
  readonly selected: readonly (readonly string[])[]
  /** The step of an Application; undefined for one that none selects. */
  readonly stepOf: (name: string) => number | undefined
  /** Why the configuration is not what it should be; undefined when it is. */
  readonly fault: string | undefined
}

export const isRolling = ({ spec }: ApplicationSet): boolean => spec.strategy?.type === 'RollingSync'

export const stepsIn = ({ spec }: ApplicationSet): readonly RolloutStep[] => spec.strategy?.rollingSync?.steps ?? []

export const deletesInReverse = (set: ApplicationSet): boolean =>
  isRolling(set) && stepsIn(set).length > 0 && set.spec.strategy?.deletionOrder?.toLowerCase() === 'reverse'

export function stepsOf(set: ApplicationSet, applications: readonly Application[]): Steps {
  const steps = stepsIn(set)
  const first = new Map<string, number>()
  const twice = new Map<string, number[]>()
  const selected = steps.map((step, index) => {
    const names: string[] = []
    for (const application of applications) {
      if (!selects(step, application)) continue
      const name = application.metadata.name ?? ''
      names.push(name)
      const before = first.get(name)
      if (before === undefined) first.set(name, index)
      else twice.set(name, [...(twice.get(name) ?? [before]), index])
    }
    return names
  })
  return { steps, selected, stepOf: (name) => first.get(name), fault: faultOf({ steps, selected, twice }) }
}

/** All expressions have to hold. An operator that there is not selects nothing. */
function selects({ matchExpressions = [] }: RolloutStep, { metadata }: Application): boolean {
  return matchExpressions.every(({ key = '', operator, values = [] }) => {
    const value = metadata.labels?.[key]
    if (operator === 'In') return value !== undefined && values.includes(value)
    return operator === 'NotIn' && (value === undefined || !values.includes(value))
  })
}

interface Found {
  readonly steps: readonly RolloutStep[]
  readonly selected: readonly (readonly string[])[]
  readonly twice: ReadonlyMap<string, readonly number[]>
}

function faultOf({ steps, selected, twice }: Found): string | undefined {
  return operatorFault(steps) ?? selectionFault(twice) ?? updateFault(steps) ?? emptyFault(selected)
}

function operatorFault(steps: readonly RolloutStep[]): string | undefined {
  const wrong = steps.flatMap(({ matchExpressions = [] }, index) =>
    [...new Set(matchExpressions.map(({ operator = '' }) => operator))]
      .filter((operator) => operator !== 'In' && operator !== 'NotIn')
      .map((operator) => ({ index, operator })),
  )
  if (wrong.length === 0) return undefined
  const [where, what] = [numbers(wrong.map(({ index }) => index)), wrong.map(({ operator }) => operator).join(', ')]
  const head = wrong.length === 1 ? `Step ${where} has` : `Steps ${where} have`
  return `${head} invalid matchExpression operators: ${what}. Supported Operators are 'In' and 'NotIn'`
}

function selectionFault(twice: ReadonlyMap<string, readonly number[]>): string | undefined {
  const names = [...twice.keys()].sort()
  if (names.length === 0) return undefined
  const places = names.map((name) => (twice.get(name) ?? []).map((index) => index + 1).join('-'))
  return names.length === 1
    ? `Application '${names[0]}' is selected by multiple steps: (${places[0]})`
    : `Applications '${names.join("', '")}' are selected by multiple steps: [(${places.join('), (')})]`
}

function updateFault(steps: readonly RolloutStep[]): string | undefined {
  const wrong = steps.flatMap(({ maxUpdate }, index) => (isUpdateLimit(maxUpdate) ? [] : [{ index, maxUpdate }]))
  if (wrong.length === 0) return undefined
  const [where, what] = [numbers(wrong.map(({ index }) => index)), wrong.map((each) => each.maxUpdate).join(', ')]
  return wrong.length === 1
    ? `Step ${where} has an invalid maxUpdate value: ${what}`
    : `Steps ${where} have invalid maxUpdate values: [${what}]`
}

function emptyFault(selected: readonly (readonly string[])[]): string | undefined {
  const empty = selected.flatMap((names, index) => (names.length === 0 ? [index + 1] : []))
  return empty.length === 0 ? undefined : `Steps [${empty.join(' ')}] have no applications matching their criteria`
}

const numbers = (indexes: readonly number[]): string => indexes.map((index) => index + 1).join(', ')

const isUpdateLimit = (maxUpdate: RolloutStep['maxUpdate'] | null): boolean =>
  maxUpdate === undefined || maxUpdate === null || Number.isInteger(maxUpdate) || /^\d+%$/.test(String(maxUpdate))

/** How many of `total` may be updated at the same time. A share is rounded down, but is at least one where it is not 0 %. */
export function updateLimit({ maxUpdate }: RolloutStep, total: number): number {
  if (maxUpdate === undefined || maxUpdate === null) return total
  if (typeof maxUpdate === 'number') return maxUpdate
  if (maxUpdate === '0%') return 0
  const share = /^(\d+)%$/.exec(maxUpdate)
  return Math.max(1, share === null ? 0 : Math.floor((total * Number(share[1])) / 100))
}
