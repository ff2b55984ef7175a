// What an expression comes to over an environment. Bounded: an expression over an Application takes a moment, or is a fault.

import { RE2JS } from 're2js'
import { goObjectOf, TemplateFault } from '#gitops/gotemplate'
import { isEqual, isJsonMap, type Json, type JsonObject } from '#objects'
import { ExpressionFault } from './fault.ts'
import { functions, predicates } from './functions.ts'
import type { Expression } from './syntax.ts'

const maxSteps = 100_000

/** Throws ExpressionFault. */
export function evaluate(expression: Expression, environment: JsonObject): Json {
  return new Evaluation(environment).value(expression, null)
}

/** Ends a chain: `a?.b.c` where `a` is nil. */
class NilInChain extends Error {}

class Evaluation {
  readonly #environment: JsonObject
  #steps = 0

  constructor(environment: JsonObject) {
    this.#environment = environment
  }

  value(of: Expression, element: Json): Json {
    if (++this.#steps > maxSteps) throw new ExpressionFault('the expression takes too many steps')
    switch (of.type) {
      case 'literal':
        return of.value
      case 'element':
        return element
      case 'name':
        return this.#named(of.name)
      case 'list':
        return of.items.map((item) => this.value(item, element))
      case 'map':
        return Object.fromEntries(
          of.entries.map(([key, item]) => [String(this.value(key, element)), this.value(item, element)]),
        )
      case 'unary':
        return this.#unary(of.operator, this.value(of.of, element))
      case 'binary':
        return this.#binary(of, element)
      case 'choice':
        return this.value(isTrue(this.value(of.condition, element)) ? of.yes : of.no, element)
      case 'member':
        return this.#member(of, element)
      case 'chain':
        return this.#chain(of.of, element)
      case 'call':
        return this.#call(of, element)
    }
  }

  #named(name: string): Json {
    if (!Object.hasOwn(this.#environment, name)) throw new ExpressionFault(`unknown name ${name}`)
    return this.#environment[name] ?? null
  }

  #unary(operator: string, value: Json): Json {
    if (operator === 'not') return !isTrue(value)
    return operator === '-' ? -numberOf(value) : numberOf(value)
  }

  #binary({ operator, left, right }: Extract<Expression, { readonly type: 'binary' }>, element: Json): Json {
    const first = this.value(left, element)
    const second = () => this.value(right, element)
    if (operator === 'and' || operator === '&&') return isTrue(first) && isTrue(second())
    if (operator === 'or' || operator === '||') return isTrue(first) || isTrue(second())
    if (operator === '??') return first ?? second()
    return operate(operator, first, second())
  }

  #member({ of, key, optional }: Extract<Expression, { readonly type: 'member' }>, element: Json): Json {
    const value = this.value(of, element)
    if (value === null && optional) throw new NilInChain()
    const name = this.value(key, element)
    if (goObjectOf(value) !== undefined) return this.#method(value, String(name), [])
    if (isJsonMap(value)) return (Object.hasOwn(value, String(name)) ? value[String(name)] : null) ?? null
    if (Array.isArray(value) && typeof name === 'number') return value.at(name) ?? null
    throw new ExpressionFault(`cannot fetch ${String(name)} from ${value === null ? '<nil>' : typeof value}`)
  }

  #chain(of: Expression, element: Json): Json {
    try {
      return this.value(of, element)
    } catch (error) {
      if (error instanceof NilInChain) return null
      throw error
    }
  }

  #call({ of, given }: Extract<Expression, { readonly type: 'call' }>, element: Json): Json {
    if (of.type === 'name' && Object.hasOwn(predicates, of.name)) {
      const [list, predicate] = given
      const items = list === undefined ? null : this.value(list, element)
      if (!Array.isArray(items) || predicate === undefined)
        throw new ExpressionFault(`${of.name} takes a list and a predicate`)
      return predicates[of.name]?.(items as readonly Json[], (item) => this.value(predicate, item)) ?? null
    }
    const values = given.map((each) => this.value(each, element))
    if (of.type === 'name' && Object.hasOwn(functions, of.name)) return functions[of.name]?.(...values) ?? null
    if (of.type === 'member') {
      const on = this.value(of.of, element)
      if (on === null && of.optional) throw new NilInChain()
      if (goObjectOf(on) !== undefined) return this.#method(on, String(this.value(of.key, element)), values)
    }
    const work = goObjectOf(this.value(of, element))?.call
    if (work === undefined) throw new ExpressionFault('what is called is no function')
    return called(() => work(...values))
  }

  #method(value: Json, name: string, given: readonly Json[]): Json {
    const object = goObjectOf(value)
    const method = object !== undefined && Object.hasOwn(object.methods, name) ? object.methods[name] : undefined
    if (method === undefined) throw new ExpressionFault(`${object?.type ?? 'value'} has no method ${name}`)
    return called(() => method(...given))
  }
}

function called(work: () => Json | undefined): Json {
  try {
    return work() ?? null
  } catch (error) {
    if (error instanceof TemplateFault) throw new ExpressionFault(error.message)
    throw error
  }
}

function isTrue(value: Json): boolean {
  if (typeof value === 'boolean') return value
  throw new ExpressionFault(`true or false is expected, not ${value === null ? 'nil' : typeof value}`)
}

/** Durations and times compare as numbers. */
function numberOf(value: Json): number {
  const number = goObjectOf(value)?.number ?? value
  if (typeof number === 'number') return number
  throw new ExpressionFault(`a number is expected, not ${value === null ? 'nil' : typeof value}`)
}

function operate(operator: string, left: Json, right: Json): Json {
  switch (operator) {
    case '==':
      return isSame(left, right)
    case '!=':
      return !isSame(left, right)
    case 'in':
      return isIn(left, right)
    case 'contains':
      return textOf(left).includes(textOf(right))
    case 'startsWith':
      return textOf(left).startsWith(textOf(right))
    case 'endsWith':
      return textOf(left).endsWith(textOf(right))
    case 'matches':
      return matches(textOf(left), textOf(right))
    case '+':
      return typeof left === 'string' ? left + textOf(right) : numberOf(left) + numberOf(right)
    default:
      return typeof left === 'string' && typeof right === 'string'
        ? compare(operator, left < right ? -1 : left > right ? 1 : 0)
        : arithmetic(operator, numberOf(left), numberOf(right))
  }
}

const isSame = (left: Json, right: Json): boolean => {
  const [a, b] = [goObjectOf(left)?.number, goObjectOf(right)?.number]
  return a !== undefined || b !== undefined ? (a ?? left) === (b ?? right) : isEqual(left, right)
}

function isIn(value: Json, container: Json): boolean {
  if (container === null) return false
  if (Array.isArray(container)) return container.some((item: Json) => isSame(value, item))
  if (isJsonMap(container)) return Object.hasOwn(container, String(value))
  throw new ExpressionFault(`"in" needs a list or a map, not ${typeof container}`)
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value
  throw new ExpressionFault(`a text is expected, not ${value === null ? 'nil' : typeof value}`)
}

function matches(text: string, pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find()
  } catch {
    throw new ExpressionFault(`error parsing regexp: ${pattern}`)
  }
}

function compare(operator: string, order: number): boolean {
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  if (operator === '>') return order > 0
  if (operator === '>=') return order >= 0
  throw new ExpressionFault(`texts have no operator ${operator}`)
}

function arithmetic(operator: string, left: number, right: number): Json {
  switch (operator) {
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return left % right
    case '**':
      return left ** right
    default:
      return compare(operator, left - right)
  }
}
