// Variables while a program runs: one environment for each `local`, call, object and turn of a comprehension.

import type { ObjectValue, Slots, TailCall, Value } from '../values/value.ts'

export class Environment {
  readonly slots: Slots
  readonly parent: Environment | undefined
  readonly self: ObjectValue | undefined
  /** The layer of `self` that the code stands in: `super` is what is below. */
  readonly level: number

  constructor(slots: Slots, parent: Environment | undefined, at: Standpoint = parent ?? nowhere) {
    this.slots = slots
    this.parent = parent
    this.self = at.self
    this.level = at.level
  }
}

interface Standpoint {
  readonly self: ObjectValue | undefined
  readonly level: number
}

const nowhere: Standpoint = { self: undefined, level: 0 }

/** An expression, ready to be worked out. */
export type Code = (environment: Environment) => Value
/** One that is the last of a function: it may end in a call. */
export type TailCode = (environment: Environment) => Value | TailCall
