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

/** Of one evaluation. An expression cannot catch that it has cost too much. */
export class Meter {
  #cost = 0

  get cost(): number {
    return this.#cost
  }

  get isOver(): boolean {
    return this.#cost > evaluationLimit
  }

  charge(units: number): void {
    this.#cost += units
    if (this.isOver) throw new Error(costExceeded)
  }
}

/** Evaluates within the limit, and takes what it cost from the budget. */
export function metered<T>(work: (meter: Meter) => T, budget: CelBudget | undefined): T {
  const meter = new Meter()
  try {
    return work(meter)
  } finally {
    budget?.spend(meter.cost)
  }
}
