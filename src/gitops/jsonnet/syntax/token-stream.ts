// The words of one file, taken one after the other, and what is said of those that do not fit. Whoever reads a part of an
// expression reads whole ones inside of it: it has the stream to do so.

import { faultAt, type JsonnetFault } from '../fault.ts'
import { tokensOf } from './lexer.ts'
import type { Node, NodeOf } from './nodes.ts'
import type { Place, SourceText } from './source-text.ts'
import { type Token, tokenText } from './tokens.ts'

/** Expressions inside of one another; a guard for the stack, as hand-written programs nest by dozens. */
const maxDepth = 3000

export class TokenStream {
  readonly source: SourceText
  readonly #tokens: readonly Token[]
  #at = 0
  readonly #parse: (stream: TokenStream) => Node
  #depth = 0

  constructor(source: SourceText, parse: (stream: TokenStream) => Node) {
    this.source = source
    this.#parse = parse
    this.#tokens = tokensOf(source)
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]
    if (token === undefined) throw new RangeError('a file without an end')
    return token
  }

  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Whether the next word is this keyword, symbol or operator. */
  sees(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.text === text && isFixed(token)
  }

  /** Takes the next word if it is this one. */
  takes(text: string): boolean {
    const found = this.sees(text)
    if (found) this.#at++
    return found
  }

  expect(text: string): Token {
    const token = this.next()
    if (token.text === text && isFixed(token)) return token
    if (/^[=:]$/.test(text)) throw this.fault(`Expected operator ${text} but got ${tokenText(token)}`, token)
    throw this.fault(`Expected token ${JSON.stringify(text)} but got ${tokenText(token)}`, token)
  }

  expectName(): Token {
    const token = this.next()
    if (token.type === 'name') return token
    throw this.fault(`Expected token IDENTIFIER but got ${tokenText(token)}`, token)
  }

  fault(message: string, { begin, end }: { readonly begin: number; readonly end: number }): JsonnetFault {
    return faultAt(message, { source: this.source, begin, end })
  }

  place(begin: number, end: number): Place {
    return { source: this.source, begin, end }
  }

  literal({ begin, end }: Token, value: NodeOf<'literal'>['value']): NodeOf<'literal'> {
    return { type: 'literal', value, place: this.place(begin, end) }
  }

  /** A whole expression, as deep as it goes. */
  expression(): Node {
    return this.within(this.#parse)
  }

  /** One level deeper. */
  within(work: (stream: TokenStream) => Node): Node {
    if (++this.#depth > maxDepth) throw this.fault('Exceeded maximum nesting of expressions', this.peek())
    const result = work(this)
    this.#depth--
    return result
  }
}

const isFixed = ({ type }: Token): boolean => type === 'keyword' || type === 'symbol' || type === 'operator'
