// What programs work with. Numbers, texts, booleans and null are JavaScript's; arrays and objects hold what may not be worked
// out yet. All in one file, because each of them may hold any other.

import { budget } from '../budget.ts'
import type { Visibility } from '../syntax/nodes.ts'
import { type ParameterName, slotsFor } from './arguments.ts'
import { fieldsOf, levelOf, type NamedLayer, sortedNames } from './layers.ts'

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
    return slotsFor(this.parameters, positional, named)
  }
}

export interface Field {
  readonly visibility: Visibility
  /** `+:`: what becomes of the value of the layers below and its own. */
  readonly extend: ((base: Value, value: Value) => Value) | undefined
  /** Seen through `self`, on the layer that it stands in. */
  readonly evaluate: (self: ObjectValue, level: number) => Value
}

export interface Layer extends NamedLayer {
  readonly fields: ReadonlyMap<string, Field>
  readonly asserts: readonly ((self: ObjectValue, level: number) => void)[]
}

type Parts = { readonly base: ObjectValue; readonly extension: ObjectValue }

/**
 * Layers, each of which an object literal made. `self` is the whole, `super` what is below the layer that a field stands in. A
 * field is worked out once for each object that it is seen through.
 */
export class ObjectValue {
  #parts: Parts | undefined
  #layers: readonly Layer[] | undefined
  #fields: ReadonlyMap<string, boolean> | undefined
  readonly #names: { all?: readonly string[]; shown?: readonly string[] } = {}
  readonly #values: Map<string, Value>[] = []
  readonly #kept: unknown[] = []
  #asserts: 'due' | 'seen' = 'due'

  private constructor(layers: readonly Layer[] | undefined, parts: Parts | undefined) {
    this.#layers = layers
    this.#parts = parts
  }

  static of(layer: Layer): ObjectValue {
    return new ObjectValue([layer], undefined)
  }

  /** Fields that are values already, or may become them without an object around. */
  static ofValues(entries: Iterable<readonly [string, Lazy]>, visibility: Visibility = 'inherited'): ObjectValue {
    const fields = new Map<string, Field>()
    for (const [name, lazy] of entries) fields.set(name, { visibility, extend: undefined, evaluate: () => force(lazy) })
    return ObjectValue.of({ fields, asserts: [] })
  }

  /** Layers are put together when somebody looks: of a sum of a thousand objects only the last is looked at. */
  extendedBy(extension: ObjectValue): ObjectValue {
    return new ObjectValue(undefined, { base: this, extension })
  }

  without(name: string): ObjectValue {
    const layers = this.layers.map((layer) => ({ ...layer, asserts: [] }))
    const removes = { name, layers: layers.length }
    return new ObjectValue([...layers, { fields: new Map(), asserts: [], removes }], undefined)
  }

  get layers(): readonly Layer[] {
    if (this.#layers !== undefined) return this.#layers
    const layers: Layer[] = []
    const pending: ObjectValue[] = [this]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.#layers !== undefined) layers.push(...next.#layers)
      else if (next.#parts !== undefined) pending.push(next.#parts.extension, next.#parts.base)
    }
    budget.spend(layers.length)
    this.#layers = layers
    this.#parts = undefined
    return layers
  }

  /** Names, with whether they are hidden. */
  get fields(): ReadonlyMap<string, boolean> {
    if (this.#fields !== undefined) return this.#fields
    this.#fields = fieldsOf(this.layers)
    return this.#fields
  }

  /** In order. */
  names({ hidden }: { readonly hidden: boolean }): readonly string[] {
    const which = hidden ? 'all' : 'shown'
    const known = this.#names[which] ?? sortedNames(this.fields, { hidden })
    this.#names[which] = known
    return known
  }

  /** Below a level: what `super` has. */
  has(name: string, below = this.layers.length): boolean {
    return levelOf(this.layers, name, below) >= 0
  }

  /** Undefined when there is no such field. Whoever looks from outside sees to it that the object's asserts hold. */
  get(name: string): Value | undefined {
    this.check()
    return this.below(name, this.layers.length)
  }

  /** What `super` has of a name. */
  below(name: string, limit: number): Value | undefined {
    const known = this.#values[limit]?.get(name)
    if (known !== undefined) return known
    const level = levelOf(this.layers, name, limit)
    const field = this.layers[level]?.fields.get(name)
    if (field === undefined) return undefined
    budget.enter()
    let value = field.evaluate(this, level)
    if (field.extend !== undefined && this.has(name, level))
      value = field.extend(this.below(name, level) ?? null, value)
    budget.leave()
    const values = this.#values[limit] ?? new Map<string, Value>()
    this.#values[limit] = values.set(name, value)
    return value
  }

  /** What the code of a layer needs when it is seen through this object, such as its local variables: made once. */
  kept<Kept>(level: number, make: () => Kept): Kept {
    const known = (this.#kept[level] as Kept | undefined) ?? make()
    this.#kept[level] = known
    return known
  }

  /** Throws what an assert of it says. While they are worked out they count as held: they look at the object, too. */
  check(): void {
    if (this.#asserts === 'seen') return
    this.#asserts = 'seen'
    const { layers } = this
    for (let level = layers.length - 1; level >= 0; level--) {
      for (const assert of layers[level]?.asserts ?? []) assert(this, level)
    }
  }
}
