// What the rules of one schema may cost, each and together (apiextensions-apiserver/pkg/apis/apiextensions/validation).

import { type FieldError, forbidden } from '../field-error.ts'

const ruleLimit = 10_000_000
const totalLimit = 100_000_000
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'

interface Charge {
  readonly path: string
  readonly cost: number
}

export class CostBudget {
  #total = 0
  #largest: readonly Charge[] = []

  /** What is too much of one expression; `what` names its cost. */
  charge(path: string, what: string, cost: number): readonly FieldError[] {
    this.#total += cost
    if (cost >= totalLimit / 100)
      this.#largest = [...this.#largest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, 4)
    return cost > ruleLimit ? [forbidden(path, exceeded(what, cost, ruleLimit))] : []
  }

  /** What is too much of the whole schema at `path`. */
  faults(path: string): readonly FieldError[] {
    if (this.#total <= totalLimit) return []
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#largest.map((charge) => forbidden(charge.path, contributed)),
      forbidden(path, exceeded(whole, this.#total, totalLimit)),
    ]
  }
}

function exceeded(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const text = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`
  return `${what} exceeds budget by factor of ${text} ${advice}`
}
