// What programs work with. Numbers, texts, booleans and null are JavaScript's; arrays hold what may not be worked out yet.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import type { ObjectValue } from './object.ts'

export type Value = null | boolean | number | string | ArrayValue | ObjectValue | FunctionValue
export type Lazy = Value | Thunk

/** A value that is worked out when it is needed first, and then kept. */
export class Thunk {
  #work: (() => Value) | undefined
  #value: Value = null

  constructor(work: () => Value) {
    this.#work = work
  }

  get isReady(): boolean {
    return this.#work === undefined
  }

  force(): Value {
    if (this.#work === undefined) return this.#value
    budget.enter()
    this.#value = this.#work()
    this.#work = undefined
    budget.leave()
    return this.#value
  }
}

export const force = (lazy: Lazy): Value => (lazy instanceof Thunk ? lazy.force() : lazy)

export class ArrayValue {
  readonly elements: readonly Lazy[]
  constructor(elements: readonly Lazy[]) {
    this.elements = elements
  }
}

export interface ParameterName {
  readonly name: string
  readonly isOptional: boolean
}

export type NamedArguments = readonly (readonly [name: string, value: Lazy])[]

/** Values for the parameters, in their order; one that is undefined takes the default. */
export type Slots = (Lazy | undefined)[]

/** What a function ends in that calls another with `tailstrict`: that one takes its place. */
export class TailCall {
  readonly target: FunctionValue
  readonly slots: Slots
  constructor(target: FunctionValue, slots: Slots) {
    this.target = target
    this.slots = slots
  }
}

/** With `tailstrict` defaults are worked out at once, too. */
export type Body = (slots: Slots, isStrict: boolean) => Value | TailCall

export class FunctionValue {
  readonly name: string
  readonly parameters: readonly ParameterName[]
  readonly #body: Body

  constructor(name: string, parameters: readonly ParameterName[], body: Body) {
    this.name = name
    this.parameters = parameters
    this.#body = body
  }

  call(...positional: Slots): Value {
    return this.run(this.slots(positional, []))
  }

  run(slots: Slots, isStrict = false): Value {
    budget.enter()
    let result = this.#body(slots, isStrict)
    while (result instanceof TailCall) {
      budget.spend(1)
      result = result.target.#body(result.slots, true)
    }
    budget.leave()
    return result
  }

  /** Arguments by the order of parameters, which are all given or optional. */
  slots(positional: Slots, named: NamedArguments): Slots {
    const { parameters } = this
    if (positional.length > parameters.length)
      throw new JsonnetFault(
        `function expected ${parameters.length} positional argument(s), but got ${positional.length}`,
      )
    if (named.length === 0 && positional.length === parameters.length) return positional
    const slots = parameters.map((_parameter, index) => positional[index])
    for (const [name, value] of named) {
      const index = parameters.findIndex((parameter) => parameter.name === name)
      if (index < 0) throw new JsonnetFault(`function has no parameter ${name}`)
      if (slots[index] !== undefined) throw new JsonnetFault(`Argument ${name} already provided`)
      slots[index] = value
    }
    for (const [index, { name, isOptional }] of parameters.entries()) {
      if (slots[index] === undefined && !isOptional) throw new JsonnetFault(`Missing argument: ${name}`)
    }
    return slots
  }
}
