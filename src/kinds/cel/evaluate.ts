// Makes a function of a checked tree that works it out. Names of loops are found by their place, everything else by what
// the check found. Errors are thrown; `&&`, `||` and quantifiers put those aside that the rest decides without.

import { callCost, operatorCost } from './call-cost.ts'
import { comprehension } from './folds.ts'
import { binaryOperators, elementAt, elementOrError, inverted, negated } from './operators.ts'
import { attempt, conditional, Failed, listCost, mapCost, type Plans, type Run } from './run.ts'
import type { Call, List, Literal, MapNode, Node, Select } from './syntax/tree.ts'
import type { Checked } from './types/findings.ts'
import type { Overload } from './types/functions.ts'
import { typeName } from './types/type.ts'
import { CelOptional } from './values/optional.ts'
import { isOfType, keyOf, typeOfValue } from './values/typed.ts'

export class Planner implements Plans {
  readonly checked: Checked
  /** Types, which expressions name like variables. */
  readonly constants: ReadonlyMap<string, unknown>
  readonly locals: string[] = []

  constructor(checked: Checked, constants: ReadonlyMap<string, unknown>) {
    this.checked = checked
    this.constants = constants
  }

  plan(node: Node): Run {
    switch (node.kind) {
      case 'literal':
        return literal(node)
      case 'ident':
        return this.#name(node.name)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'message':
        throw new Error(`${node.name} cannot be made`)
      case 'comprehension':
        return comprehension(node, this)
    }
  }

  #name(name: string): Run {
    const depth = this.locals.lastIndexOf(name)
    if (depth >= 0)
      return ({ locals, meter }) => {
        meter.charge(1)
        const value = locals[depth]
        if (value instanceof Failed) throw value.error
        return value
      }
    const constant = this.constants.get(name)
    return ({ values, meter }) => {
      meter.charge(1)
      if (Object.hasOwn(values, name)) return values[name] ?? null
      if (constant !== undefined) return constant
      throw new Error(`no such attribute(s): ${name}`)
    }
  }

  #select(node: Select): Run {
    const name = this.checked.names.get(node)
    if (name !== undefined) return this.#name(name)
    const operand = this.plan(node.operand)
    const { field } = node
    if (node.isTest) return (frame) => hasField(operand(frame), field)
    return (frame) => {
      const value = operand(frame)
      frame.meter.charge(1)
      if (value instanceof CelOptional) return optionalAt(value, field)
      return elementOrError(value, field)
    }
  }

  #call(node: Call): Run {
    const { name, args, target } = node
    const [first, second, third] = args
    switch (name) {
      case '_&&_':
      case '_||_':
        return this.#logical(node, name === '_||_')
      case '_?_:_':
        return conditional(this.plan(first as Node), this.plan(second as Node), this.plan(third as Node))
      case '@not_strictly_false':
        return notStrictlyFalse(this.plan(first as Node))
      case '_[_]':
        return index(this.plan(first as Node), this.plan(second as Node), elementOrError)
      case '_[?_]':
      case '_?._':
        return index(this.plan(first as Node), this.plan(second as Node), optionalAt)
      case 'or':
      case 'orValue':
        if (target !== undefined) return alternative(this.plan(target), this.plan(first as Node), name)
        break
      case '!_':
      case '-_':
        return unary(this.plan(first as Node), name === '!_' ? inverted : negated)
      default:
    }
    const operator = Object.hasOwn(binaryOperators, name) ? binaryOperators[name] : undefined
    if (operator !== undefined)
      return binary(name, this.plan(first as Node), { right: this.plan(second as Node), operator })
    return this.#function(node)
  }

  #function(node: Call): Run {
    const whole = this.checked.names.get(node)
    const name = whole ?? node.name
    const given = node.target === undefined || whole !== undefined ? node.args : [node.target, ...node.args]
    const args = given.map((arg) => this.plan(arg))
    const overloads = this.checked.overloads.get(node) ?? []
    return (frame) => {
      const values = args.map((arg) => arg(frame))
      const result = called(overloads, values, name)
      frame.meter.charge(callCost(name, values, result))
      return result
    }
  }

  #logical({ args: [first, second] }: Call, decisive: boolean): Run {
    const [left, right] = [this.plan(first as Node), this.plan(second as Node)]
    return (frame) => {
      const one = attempt(left, frame)
      if (one === decisive) return decisive
      const other = attempt(right, frame)
      if (other === decisive) return decisive
      for (const value of [one, other]) {
        if (value instanceof Failed) throw value.error
        if (typeof value !== 'boolean') throw new Error('no such overload')
      }
      return !decisive
    }
  }

  #list({ elements }: List): Run {
    const plans = elements.map(({ value, isOptional }) => ({ run: this.plan(value), isOptional }))
    return (frame) => {
      const made: unknown[] = []
      for (const { run, isOptional } of plans) {
        const value = run(frame)
        if (!isOptional) made.push(value)
        else if (!(value instanceof CelOptional))
          throw new Error(`cannot initialize optional list element from non-optional value ${String(value)}`)
        else if (value.hasValue) made.push(value.held)
      }
      frame.meter.charge(listCost)
      return made
    }
  }

  #map({ entries }: MapNode): Run {
    const plans = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }))
    return (frame) => {
      const made = new Map<unknown, unknown>()
      for (const { key, value, isOptional } of plans) {
        const name = key(frame)
        const held = value(frame)
        if (!isOptional) made.set(keyOf(name), held)
        else if (!(held instanceof CelOptional))
          throw new Error(`cannot initialize optional entry '${String(name)}' from non-optional value ${String(held)}`)
        else if (held.hasValue) made.set(keyOf(name), held.held)
        else made.delete(keyOf(name))
      }
      frame.meter.charge(mapCost)
      return made
    }
  }
}

const literal =
  ({ value }: Literal): Run =>
  () =>
    value

/** What cannot have fields, as null, has none of them; only of lists it is an error to ask. */
function hasField(value: unknown, field: string): boolean {
  return elementAt(value instanceof CelOptional ? value.held : value, field) !== undefined
}

/** What there is at the place, or nothing. */
function optionalAt(container: unknown, at: unknown): unknown {
  const inner = container instanceof CelOptional ? container.held : container
  const found = inner === undefined ? undefined : elementAt(inner, at)
  return found === undefined ? CelOptional.none : new CelOptional(found)
}

function index(container: Run, at: Run, find: (container: unknown, at: unknown) => unknown): Run {
  return (frame) => {
    const value = container(frame)
    const place = at(frame)
    frame.meter.charge(1)
    return value instanceof CelOptional ? optionalAt(value, place) : find(value, place)
  }
}

function notStrictlyFalse(operand: Run): Run {
  return (frame) => {
    const value = attempt(operand, frame)
    frame.meter.charge(1)
    return value !== false
  }
}

function alternative(optional: Run, other: Run, name: 'or' | 'orValue'): Run {
  return (frame) => {
    const value = optional(frame)
    if (!(value instanceof CelOptional)) throw new Error('no such overload')
    if (value.hasValue) return name === 'or' ? value : value.held
    return other(frame)
  }
}

function unary(operand: Run, operator: (value: unknown) => unknown): Run {
  return (frame) => {
    const value = operand(frame)
    frame.meter.charge(1)
    return operator(value)
  }
}

function binary(
  name: string,
  left: Run,
  { right, operator }: { readonly right: Run; readonly operator: (a: unknown, b: unknown) => unknown },
): Run {
  return (frame) => {
    const [a, b] = [left(frame), right(frame)]
    frame.meter.charge(operatorCost(name, a, b))
    return operator(a, b)
  }
}

function called(overloads: readonly Overload[], values: readonly unknown[], name: string): unknown {
  for (const { args, call } of overloads)
    if (call !== undefined && args.every((type, i) => isOfType(values[i], type)))
      return (call as (...given: readonly unknown[]) => unknown)(...values)
  throw new Error(`no such overload: ${name}(${values.map((value) => typeName(typeOfValue(value))).join(', ')})`)
}
