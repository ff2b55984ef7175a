// A Go template as text between actions, and each action as tokens. `{{-` and `-}}` take the space beside them away.

import { TemplateFault } from './fault.ts'

export type Token =
  /** `.a.b` after a space or at the start of a term: the fields in order; `.` alone has none. */
  | { readonly type: 'field'; readonly names: readonly string[]; readonly joined: boolean }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly value: number; readonly isInteger: boolean }
  | { readonly type: 'mark'; readonly text: '(' | ')' | '|' | ',' | ':=' | '=' }

export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly tokens: readonly Token[]; readonly source: string }

const maxLength = 1_000_000

export function lex(template: string): readonly Piece[] {
  if (template.length > maxLength) throw new TemplateFault('the template is too long')
  const pieces: Piece[] = []
  let rest = template
  let trimNext = false
  for (;;) {
    const open = rest.indexOf('{{')
    let text = open < 0 ? rest : rest.slice(0, open)
    if (trimNext) text = text.trimStart()
    const trimsBefore = open >= 0 && /^\{\{-\s/.test(rest.slice(open, open + 4))
    if (trimsBefore) text = text.trimEnd()
    if (text !== '') pieces.push({ type: 'text', text })
    if (open < 0) return pieces
    const start = open + (trimsBefore ? 3 : 2)
    const close = findClose(rest, start)
    const trimsAfter = /\s-$/.test(rest.slice(start, close))
    const source = rest.slice(start, trimsAfter ? close - 1 : close).trim()
    trimNext = trimsAfter
    rest = rest.slice(close + 2)
    if (!source.startsWith('/*')) pieces.push({ type: 'action', tokens: lexAction(source), source })
  }
}

/** Index of the `}}` that ends an action: those in quotes do not. */
function findClose(text: string, from: number): number {
  const comment = /^\s*\/\*/.test(text.slice(from))
  if (comment) {
    const end = text.indexOf('*/', from)
    const close = end < 0 ? -1 : text.indexOf('}}', end)
    if (close < 0) throw new TemplateFault('unclosed comment')
    return close
  }
  for (let index = from; index < text.length; index++) {
    const character = text[index]
    if (character === '"' || character === '`' || character === "'") {
      index = endOfQuote(text, index)
    } else if (character === '}' && text[index + 1] === '}') return index
  }
  throw new TemplateFault('unclosed action')
}

function endOfQuote(text: string, from: number): number {
  const quote = text[from]
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\' && quote !== '`') index++
    else if (text[index] === quote) return index
  }
  throw new TemplateFault('unterminated quoted string')
}

const number = /^[+-]?(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)/
const word = /^[A-Za-z_]\w*/
const field = /^(?:\.[A-Za-z_]\w*)+/
const variable = /^\$\w*/
const mark = /^(?::=|[()|,=])/

function lexAction(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  let afterSpace = true
  while (at < source.length) {
    const rest = source.slice(at)
    const space = /^\s+/.exec(rest)
    if (space !== null) {
      at += space[0].length
      afterSpace = true
      continue
    }
    const { token, length } = nextToken(rest, afterSpace)
    tokens.push(token)
    at += length
    afterSpace = false
  }
  return tokens
}

function nextToken(rest: string, afterSpace: boolean): { readonly token: Token; readonly length: number } {
  const fields = field.exec(rest)?.[0]
  if (fields !== undefined)
    return { token: { type: 'field', names: fields.slice(1).split('.'), joined: !afterSpace }, length: fields.length }
  const numeral = number.exec(rest)?.[0]
  if (numeral !== undefined) {
    const value = Number(numeral)
    return {
      token: { type: 'number', value, isInteger: !/[.eE]/.test(numeral) || /x/i.test(numeral) },
      length: numeral.length,
    }
  }
  if (rest[0] === '.') return { token: { type: 'field', names: [], joined: false }, length: 1 }
  const named = variable.exec(rest)?.[0]
  if (named !== undefined) return { token: { type: 'variable', name: named }, length: named.length }
  const text = word.exec(rest)?.[0]
  if (text !== undefined) return { token: { type: 'word', text }, length: text.length }
  const sign = mark.exec(rest)?.[0]
  if (sign !== undefined) return { token: { type: 'mark', text: sign as '(' }, length: sign.length }
  if (rest[0] === '"' || rest[0] === '`' || rest[0] === "'") return quoted(rest)
  throw new TemplateFault(`unexpected ${JSON.stringify(rest[0])} in action`)
}

function quoted(rest: string): { readonly token: Token; readonly length: number } {
  const end = endOfQuote(rest, 0)
  const inside = rest.slice(1, end)
  const length = end + 1
  if (rest[0] === '`') return { token: { type: 'string', value: inside }, length }
  const value = unescaped(inside)
  // A character in single quotes is its number.
  if (rest[0] === "'") return { token: { type: 'number', value: value.codePointAt(0) ?? 0, isInteger: true }, length }
  return { token: { type: 'string', value }, length }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|(.))/g,
    (whole, hex?: string, unicode?: string, other?: string) => {
      const code = hex ?? unicode
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      const known = escapes[other ?? '']
      if (known === undefined) throw new TemplateFault(`unknown escape sequence ${whole}`)
      return known
    },
  )
