// Reads the text of a label selector (`app=a,tier in (x,y),!old`), with the error texts of k8s.io/apimachinery/pkg/labels.

import { qualifiedName } from './label-format.ts'
import {
  byKey,
  everything,
  type Requirement,
  requirement,
  type Selector,
  SelectorError,
  type SelectorOperator,
} from './requirement.ts'

type TokenKind = 'identifier' | 'operator' | ',' | '(' | ')' | '!' | 'end' | 'error'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const operators: Readonly<Record<string, SelectorOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}
const tokenAt = /[ \t\r\n]*(?:([=!<>(),]+)|([^=!<>(), \t\r\n]+))/y
const symbols = ['==', '!=', '=', '>', '<', ',', '(', ')', '!']
const cacheLimit = 1000
const parsed = new Map<string, Selector>()

/** Throws a SelectorError. The same text gives the same selector. */
export function parseLabelSelector(text: string): Selector {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const requirements = new Parser(tokensOf(text)).requirements()
  const selector = requirements.length === 0 ? everything : { requirements: byKey(requirements) }
  if (parsed.size >= cacheLimit) parsed.clear()
  parsed.set(text, selector)
  return selector
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    tokenAt.lastIndex = at
    const match = tokenAt.exec(text)
    if (match === null) break
    const [all, special, word] = match
    if (word !== undefined) {
      tokens.push({ kind: word === 'in' || word === 'notin' ? 'operator' : 'identifier', text: word })
      at += all.length
      continue
    }
    const run = special ?? ''
    const symbol = symbols.find((candidate) => run.startsWith(candidate)) ?? run
    const kind = symbol in operators ? 'operator' : (symbol as TokenKind)
    tokens.push({ kind, text: symbol })
    at += all.length - run.length + symbol.length
  }
  return [...tokens, { kind: 'end', text: '' }]
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  requirements(): readonly Requirement[] {
    const found: Requirement[] = []
    for (;;) {
      const token = this.#peek()
      if (token.kind === 'end') return found
      if (token.kind !== 'identifier' && token.kind !== '!')
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`)
      found.push(this.#wrapped(() => this.#requirement()))
      const next = this.#take()
      if (next.kind === 'end') return found
      if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`)
      const after = this.#peek()
      if (after.kind !== 'identifier' && after.kind !== '!')
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`)
    }
  }

  #wrapped(read: () => Requirement): Requirement {
    try {
      return read()
    } catch (error) {
      throw error instanceof SelectorError ? new SelectorError(`unable to parse requirement: ${error.message}`) : error
    }
  }

  /** Where a value may stand, `in` and `notin` are names like any other. */
  #peek(): Token {
    const token = this.#tokens[this.#at] ?? { kind: 'end', text: '' }
    return token.kind === 'operator' && /^[a-z]/.test(token.text) ? { kind: 'identifier', text: token.text } : token
  }

  #take(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #requirement(): Requirement {
    let token = this.#take()
    const absent = token.kind === '!'
    if (absent) token = this.#take()
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`)
    const key = token.text
    const faults = qualifiedName(key)
    if (faults.length > 0) throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(key)}: ${faults.join('; ')}`)
    if (absent) return requirement(key, '!', [])
    const { kind } = this.#peek()
    if (kind === 'end' || kind === ',') return requirement(key, 'exists', [])
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#valueList() : [this.#exactValue()]
    return requirement(key, operator, values)
  }

  #operator(): SelectorOperator {
    const token = this.#tokens[this.#at++] ?? { kind: 'end', text: '' }
    const operator = token.kind === 'operator' ? operators[token.text] : undefined
    if (operator === undefined) throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
    return operator
  }

  #exactValue(): string {
    const { kind } = this.#peek()
    if (kind === 'end' || kind === ',') return ''
    const token = this.#take()
    if (token.kind !== 'identifier') throw new SelectorError(`found '${token.text}', expected: identifier`)
    return token.text
  }

  #valueList(): readonly string[] {
    const open = this.#take()
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`)
    const first = this.#peek()
    if (first.kind === ')') {
      this.#take()
      return ['']
    }
    if (first.kind !== 'identifier' && first.kind !== ',')
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`)
    const values = this.#identifiers()
    if (this.#take().kind !== ')') throw new SelectorError(`found '${first.text}', expected: ')'`)
    return [...values].sort()
  }

  /** Names between commas; nothing between two commas is the empty value. */
  #identifiers(): ReadonlySet<string> {
    const values = new Set<string>()
    for (;;) {
      const token = this.#take()
      const next = this.#peek()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (next.kind === ')') return values
        if (next.kind !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or ')'`)
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('')
        if (next.kind === ')') return values.add('')
        if (next.kind === ',') {
          this.#take()
          values.add('')
        }
      } else throw new SelectorError(`found '${token.text}', expected: ',', or identifier`)
    }
  }
}
