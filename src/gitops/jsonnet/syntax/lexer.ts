// A program's text as words. Spaces and comments are left out. Every word is found in time linear in its length.

import { faultAt, type JsonnetFault } from '../fault.ts'
import type { SourceText } from './source-text.ts'
import { readText } from './text-literals.ts'
import { keywords, type Token } from './tokens.ts'

/** Throws JsonnetFault. The last token is the end. */
export function tokensOf(source: SourceText): readonly Token[] {
  const tokens: Token[] = []
  const { text } = source
  for (let at = afterSpace(source, 0); ; ) {
    if (at >= text.length) {
      tokens.push({ type: 'end', text: '', begin: text.length, end: text.length })
      return tokens
    }
    const token = tokenAt(source, at)
    tokens.push(token)
    at = afterSpace(source, token.end)
  }
}

const space = /[ \t\r\n]/y
const lineComment = /(?:\/\/|#)[^\n]*/y

function afterSpace(source: SourceText, from: number): number {
  const { text } = source
  for (let at = from; ; ) {
    if (matchEnd(space, text, at) !== undefined) at++
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end < 0) throw faultAt('Multi-line comment has no terminating */', { source, begin: at, end: at })
      at = end + 2
    } else {
      const end = matchEnd(lineComment, text, at)
      if (end === undefined) return at
      at = end
    }
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

const name = /[A-Za-z_][A-Za-z0-9_]*/y
const symbol = /[{}[\](),.;]/y

function tokenAt(source: SourceText, begin: number): Token {
  const { text } = source
  const endOfName = matchEnd(name, text, begin)
  if (endOfName !== undefined) {
    const word = text.slice(begin, endOfName)
    return { type: keywords.has(word) ? 'keyword' : 'name', text: word, begin, end: endOfName }
  }
  const first = text[begin] ?? ''
  if (first >= '0' && first <= '9') return numberAt(source, begin)
  const literal = readText(source, begin)
  if (literal !== undefined) return literal
  if (matchEnd(symbol, text, begin) !== undefined) return { type: 'symbol', text: first, begin, end: begin + 1 }
  return operatorAt(source, begin)
}

const digits = '[0-9]+(?:_[0-9]+)*'
const number = new RegExp(`(?:0|[1-9][0-9]*(?:_[0-9]+)*)(?:\\.${digits})?(?:[eE][+-]?${digits})?`, 'y')

function numberAt(source: SourceText, begin: number): Token {
  const { text } = source
  const end = matchEnd(number, text, begin) ?? begin + 1
  const next = text[end] ?? ''
  const junk = (where: string, offset: number): JsonnetFault =>
    faultAt(`Couldn't lex number, junk after ${where}: ${quoted(text, offset)}`, { source, begin: offset, end: offset })
  if (next === '_') throw junk("'_'", end + 1)
  if (next === '.' && !text.slice(begin, end).includes('.')) throw junk('decimal point', end + 1)
  if (next === 'e' || next === 'E') {
    const sign = /[+-]/.test(text[end + 1] ?? '')
    throw junk(sign ? 'exponent sign' : "'E'", end + (sign ? 2 : 1))
  }
  return { type: 'number', text: text.slice(begin, end).replaceAll('_', ''), begin, end }
}

function quoted(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  return code === undefined ? "'\\uffff'" : `'${String.fromCodePoint(code)}'`
}

/** No operator is longer: what is, is none. */
const longestOperator = 8
const operatorSigns = /[!$:~+\-&|^=<>*/%]/y

/** As many signs as there are, but for what begins a comment or a text block, and none of `+-~!$` at the end of several. */
function operatorAt(source: SourceText, begin: number): Token {
  const { text } = source
  let end = begin
  while (end < begin + longestOperator && matchEnd(operatorSigns, text, end) !== undefined) {
    const begins = (other: string): boolean => text.startsWith(other, end)
    if (end > begin && (begins('//') || begins('/*') || begins('|||'))) break
    end++
  }
  if (end === begin) throw faultAt(`Could not lex the character ${quoted(text, begin)}`, { source, begin, end: begin })
  while (end > begin + 1 && '+-~!$'.includes(text[end - 1] ?? '')) end--
  const word = text.slice(begin, end)
  return { type: word === '$' ? 'symbol' : 'operator', text: word, begin, end }
}
