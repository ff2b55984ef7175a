// Objects: layers, each of which an object literal made, from the base to what extends it last. `self` is the whole, `super`
// what is below the layer that a field stands in. A field is worked out once for each object that it is seen through.

import { budget } from '../budget.ts'
import type { Environment } from '../compile/environment.ts'
import { type Frame, through } from '../fault.ts'
import type { Visibility } from '../syntax/nodes.ts'
import { plus } from './operators.ts'
import { compareTexts } from './text.ts'
import { force, type Lazy, type Value } from './value.ts'

export interface Field {
  readonly visibility: Visibility
  /** `+:`. */
  readonly extends: boolean
  /** Seen through `self`, on the layer that it stands in. */
  readonly evaluate: (self: ObjectValue, level: number) => Value
  readonly frame?: Frame
}

export interface Layer {
  readonly fields: ReadonlyMap<string, Field>
  readonly asserts: readonly ((self: ObjectValue, level: number) => void)[]
  /** A field that does not show of so many layers below; they see it still, as `super`. */
  readonly removes?: { readonly name: string; readonly layers: number }
}

type Parts = { readonly base: ObjectValue; readonly extension: ObjectValue }

export class ObjectValue {
  #parts: Parts | undefined
  #layers: readonly Layer[] | undefined
  #fields: ReadonlyMap<string, boolean> | undefined
  readonly #names: { all?: readonly string[]; shown?: readonly string[] } = {}
  readonly #values: Map<string, Value>[] = []
  readonly #environments: Environment[] = []
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
    for (const [name, lazy] of entries) fields.set(name, { visibility, extends: false, evaluate: () => force(lazy) })
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
    const found = new Map<string, boolean>()
    for (const [level, { fields, removes }] of this.layers.entries()) {
      budget.spend(fields.size)
      if (removes !== undefined) {
        found.delete(removes.name)
        const isHidden = this.#isHidden(removes.name, level - removes.layers)
        if (isHidden !== undefined) found.set(removes.name, isHidden)
      }
      for (const [name, field] of fields) found.set(name, hides(field, found.get(name)))
    }
    this.#fields = found
    return found
  }

  /** Of a field below a level; undefined when there is none. */
  #isHidden(name: string, below: number): boolean | undefined {
    const level = this.#levelOf(name, below)
    const field = this.layers[level]?.fields.get(name)
    if (field === undefined) return undefined
    return field.visibility === 'inherited' ? hides(field, this.#isHidden(name, level)) : hides(field, undefined)
  }

  /** In order. */
  names({ hidden }: { readonly hidden: boolean }): readonly string[] {
    const which = hidden ? 'all' : 'shown'
    const known = this.#names[which] ?? this.#sorted(hidden)
    this.#names[which] = known
    return known
  }

  #sorted(hidden: boolean): readonly string[] {
    const names: string[] = []
    for (const [name, isHidden] of this.fields) if (hidden || !isHidden) names.push(name)
    budget.spend(names.length)
    return names.sort(compareTexts)
  }

  /** Below a level: what `super` has. */
  has(name: string, below = this.layers.length): boolean {
    return this.#levelOf(name, below) >= 0
  }

  #levelOf(name: string, below: number): number {
    const { layers } = this
    for (let level = below - 1; level >= 0; level--) {
      const layer = layers[level]
      budget.spend(1)
      if (layer?.fields.has(name) === true) return level
      if (layer?.removes?.name === name) level -= layer.removes.layers
    }
    return -1
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
    const level = this.#levelOf(name, limit)
    const field = this.layers[level]?.fields.get(name)
    if (field === undefined) return undefined
    budget.enter()
    let value = field.evaluate(this, level)
    if (field.extends && this.has(name, level)) value = this.#extended(field, this.below(name, level) ?? null, value)
    budget.leave()
    const values = this.#values[limit] ?? new Map<string, Value>()
    this.#values[limit] = values.set(name, value)
    return value
  }

  #extended({ frame }: Field, base: Value, value: Value): Value {
    try {
      return plus(base, value)
    } catch (error) {
      throw frame === undefined ? error : through(error, frame)
    }
  }

  /** What the code of a layer sees when it is seen through this object: its local variables, worked out once. */
  environment(level: number, make: () => Environment): Environment {
    const known = this.#environments[level] ?? make()
    this.#environments[level] = known
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

const hides = ({ visibility }: Field, before: boolean | undefined): boolean =>
  visibility === 'inherited' ? before === true : visibility === 'hidden'
