// What an evaluation may use: steps, frames inside of one another, and sizes. A thread evaluates one program at a time and
// never waits in between, so there is one budget, made full before each.

import { LimitFault } from './fault.ts'

export interface Limits {
  readonly steps: number
}

/** Calls and values inside of one another. go-jsonnet ends at 500, so that whatever runs there runs here. */
const maxDepth = 1500
/** Of one text, in UTF-16 units; above it a single operation could take all memory. */
const maxTextLength = 32 * 1024 * 1024
/** Elements of one array. */
const maxArrayLength = 4_000_000

class Budget {
  #stepsLeft = 0
  #steps = 0
  #depth = 0

  refill({ steps }: Limits): void {
    this.#stepsLeft = steps
    this.#steps = steps
    this.#depth = 0
  }

  get used(): number {
    return this.#steps - this.#stepsLeft
  }

  /** Counts work that grows with the size of something. */
  spend(steps: number): void {
    this.#stepsLeft -= steps
    if (this.#stepsLeft < 0) throw new LimitFault(`the evaluation takes more than ${this.#steps / 1e6} million steps`)
  }

  /** One frame deeper. A fault ends the whole evaluation, so that only those who return count back. */
  enter(): void {
    if (--this.#stepsLeft < 0) this.spend(0)
    if (++this.#depth > maxDepth) throw new LimitFault('max stack frames exceeded.')
  }

  leave(): void {
    this.#depth--
  }
}

export const budget = new Budget()

export function checkLength(length: number): number {
  if (length > maxArrayLength) throw new LimitFault(`an array of ${length} elements is too long`)
  budget.spend(length)
  return length
}

/** A text of such a length, of which so much is new work. */
export function checkTextLength(length: number, added = length): void {
  if (length > maxTextLength) throw new LimitFault(`a text of ${length} characters is too long`)
  budget.spend(added >> 6)
}
