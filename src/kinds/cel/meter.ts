// What evaluating an expression costs, counted while it runs, in the units of cel-go's tracker and of Kubernetes' library.
// Every evaluation has a limit of its own; several can share a budget.

/** As Kubernetes' PerCallLimit. */
const evaluationLimit = 1_000_000

export const costExceeded = 'operation cancelled: actual cost limit exceeded'

/** What several evaluations may cost together. */
export class CelBudget {
  #left: number
  constructor(units: number) {
    this.#left = units
  }

  get isSpent(): boolean {
    return this.#left < 0
  }

  spend(units: number): void {
    this.#left -= units
  }
}

/** Of going through values, which cel-go does not count. */
const maxSteps = 2_000_000

/** Of one evaluation. An expression cannot catch that it has cost too much. */
export class Meter {
  #cost = 0
  #steps = 0

  get cost(): number {
    return this.#cost
  }

  get isOver(): boolean {
    return this.#cost > evaluationLimit || this.#steps > maxSteps
  }

  charge(units: number): void {
    this.#cost += units
    if (this.isOver) throw new Error(costExceeded)
  }

  step(count: number): void {
    this.#steps += count
    if (this.isOver) throw new Error(costExceeded)
  }
}

/** Of the evaluation that runs now; expressions can evaluate others, which they then wait for. */
let current: Meter | undefined

/**
 * What goes through values of which nobody knows how large they are tells each step. It costs nothing, but has a limit of
 * its own: small expressions can make values that are huge, or seem so.
 */
export const countSteps = (count = 1): void => current?.step(count)

/** Evaluates within the limit, and takes what it cost from the budget. */
export function metered<T>(work: (meter: Meter) => T, budget: CelBudget | undefined): T {
  const around = current
  const meter = new Meter()
  current = meter
  try {
    return work(meter)
  } finally {
    current = around
    budget?.spend(meter.cost)
  }
}
