// Parses the language of trigger conditions: Argo CD's is expr-lang, of which this is the part that conditions use.

import { ExpressionFault } from './fault.ts'
import { type Token, tokensOf } from './lexer.ts'
import type { Expression } from './syntax.ts'

/** How tightly operators bind; more is tighter. */
const precedence: Readonly<Record<string, number>> = {
  '??': 1,
  or: 2,
  '||': 2,
  and: 3,
  '&&': 3,
  '==': 4,
  '!=': 4,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  in: 4,
  contains: 4,
  startsWith: 4,
  endsWith: 4,
  matches: 4,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
  '**': 8,
}
const notBinds = 5
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, nil: null, null: null }
const maxDepth = 100

/** Throws ExpressionFault. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokensOf(text))
  const expression = parser.choice()
  parser.expectEnd()
  return expression
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', value: '' }
  }

  #is(value: string): boolean {
    return this.#next.value === value && this.#next.type !== 'text' && this.#next.type !== 'end'
  }

  #take(value: string): boolean {
    if (!this.#is(value)) return false
    this.#at++
    return true
  }

  #expect(value: string): void {
    if (!this.#take(value)) throw this.#unexpected(`${JSON.stringify(value)} is expected`)
  }

  #unexpected(what: string): ExpressionFault {
    return new ExpressionFault(
      `${what}, not ${this.#next.type === 'end' ? 'the end' : JSON.stringify(this.#next.value)}`,
    )
  }

  expectEnd(): void {
    if (this.#next.type !== 'end') throw this.#unexpected('the end is expected')
  }

  choice(): Expression {
    if (++this.#depth > maxDepth) throw new ExpressionFault('the expression is nested too deeply')
    const condition = this.#binary(0)
    let result = condition
    if (this.#take('?')) {
      const yes = this.choice()
      this.#expect(':')
      result = { type: 'choice', condition, yes, no: this.choice() }
    }
    this.#depth--
    return result
  }

  #binary(least: number): Expression {
    let left = this.#unary()
    for (;;) {
      const negated = this.#is('not') && this.#tokens[this.#at + 1]?.value === 'in'
      const operator = negated ? 'in' : this.#next.type === 'text' ? '' : this.#next.value
      const binds = Object.hasOwn(precedence, operator) ? precedence[operator] : undefined
      if (binds === undefined || binds < least) return left
      this.#at += negated ? 2 : 1
      const right = this.#binary(operator === '**' ? binds : binds + 1)
      const made: Expression = { type: 'binary', operator, left, right }
      left = negated ? { type: 'unary', operator: 'not', of: made } : made
    }
  }

  #unary(): Expression {
    for (const operator of ['not', '!'])
      if (this.#take(operator)) return { type: 'unary', operator: 'not', of: this.#binary(notBinds) }
    for (const operator of ['-', '+'])
      if (this.#take(operator)) return { type: 'unary', operator, of: this.#binary(precedence['**'] ?? 0) }
    return this.#chain(this.#primary())
  }

  #chain(start: Expression): Expression {
    let of = start
    let isOptional = false
    for (;;) {
      const optional = this.#is('?.')
      if (optional || this.#is('.')) {
        this.#at++
        isOptional ||= optional
        of = { type: 'member', of, optional, key: this.#is('[') ? this.#bracket() : this.#memberName() }
      } else if (this.#is('[')) of = { type: 'member', of, optional: false, key: this.#bracket() }
      else if (this.#take('(')) of = { type: 'call', of, given: this.#list(')') }
      else return isOptional ? { type: 'chain', of } : of
    }
  }

  #bracket(): Expression {
    this.#expect('[')
    const key = this.choice()
    this.#expect(']')
    return key
  }

  #memberName(): Expression {
    const { type, value } = this.#next
    if (type !== 'name') throw this.#unexpected('a name is expected')
    this.#at++
    return { type: 'literal', value }
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = []
    while (!this.#take(end)) {
      if (items.length > 0) this.#expect(',')
      if (items.length > 0 && this.#take(end)) break
      items.push(this.#is('{') ? this.#predicateOrMap() : this.choice())
    }
    return items
  }

  #primary(): Expression {
    const { type, value } = this.#next
    if (this.#is('{')) return this.#map()
    this.#at++
    if (type === 'number') return { type: 'literal', value: Number(value) }
    if (type === 'text') return { type: 'literal', value }
    if (type === 'name')
      return Object.hasOwn(literals, value)
        ? { type: 'literal', value: literals[value] ?? null }
        : { type: 'name', name: value }
    if (value === '(') {
      const inner = this.choice()
      this.#expect(')')
      return inner
    }
    if (value === '[') return { type: 'list', items: this.#list(']') }
    if (value === '#') return { type: 'element' }
    this.#at--
    // `.name` of the element that a predicate looks at.
    if (value === '.') return { type: 'element' }
    throw this.#unexpected('a value is expected')
  }

  /** `{.x == 1}`, or a map. */
  #predicateOrMap(): Expression {
    const [first, second] = [this.#tokens[this.#at + 1], this.#tokens[this.#at + 2]]
    const isMap = first?.value === '}' || (second?.value === ':' && (first?.type === 'name' || first?.type === 'text'))
    if (isMap) return this.choice()
    this.#expect('{')
    const inner = this.choice()
    this.#expect('}')
    return inner
  }

  #map(): Expression {
    this.#expect('{')
    const entries: [Expression, Expression][] = []
    while (!this.#take('}')) {
      if (entries.length > 0) this.#expect(',')
      const { type, value } = this.#next
      if (type !== 'name' && type !== 'text') throw this.#unexpected('a key is expected')
      this.#at++
      this.#expect(':')
      entries.push([{ type: 'literal', value }, this.choice()])
    }
    return { type: 'map', entries }
  }
}
