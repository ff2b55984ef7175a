// The words of an expression. Numbered and named as in CEL's grammar, since faults tell them in that order. What is no word
// is noted as a fault and left out, as the scanner of cel-go does.

import type { Fault } from './fault.ts'

export const tokenNames = [
  '<EOF>',
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
] as const

export type TokenName = (typeof tokenNames)[number]

export interface Token {
  readonly type: number
  readonly text: string
  readonly at: number
}

const types: ReadonlyMap<TokenName, number> = new Map(tokenNames.map((name, type) => [name, type]))

export const tokenType = (name: TokenName): number => types.get(name) ?? 0

const identifier = tokenType('IDENTIFIER')
const words = new Map(['in', 'true', 'false', 'null'].map((word) => [word, tokenType(`'${word}'` as TokenName)]))

/** Longer ones first. */
const signs = '== != <= >= && || < > [ ] { } ( ) . , - ! ? : + * / %'
  .split(' ')
  .map((text) => ({ text, type: tokenType(`'${text}'` as TokenName) }))

const space = /[\t \r\n\f]+|\/\/[^\n]*/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const quotedWord = /`[A-Za-z0-9_.\-/ ]+`/y
const numbers: readonly (readonly [TokenName, RegExp])[] = [
  ['NUM_FLOAT', /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ['NUM_UINT', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|\d+/y],
]
const prefix = /(?:[bB][rR]?|[rR])(?=["'])/y
const escaped = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y

function matched(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** All words of the expression, with the end as the last. */
export function tokensOf(expression: string, faults: Fault[]): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < expression.length) {
    const blank = matched(space, expression, at)
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    const found = wordAt(expression, at)
    if ('failedAt' in found) {
      const letter = String.fromCodePoint(expression.codePointAt(found.failedAt) ?? 0)
      const end = found.failedAt >= expression.length ? expression.length : found.failedAt + letter.length
      faults.push({ at, text: `Syntax error: token recognition error at: '${expression.slice(at, end)}'` })
      at = end
    } else {
      tokens.push(found)
      at += found.text.length
    }
  }
  tokens.push({ type: 0, text: '<EOF>', at: expression.length })
  return tokens
}

type Found = Token | { readonly failedAt: number }

function wordAt(text: string, at: number): Found {
  const token = (name: TokenName, part: string): Token => ({ type: tokenType(name), text: part, at })
  const letter = text[at] ?? ''
  if (/[A-Za-z_"']/.test(letter)) return nameOrText(text, at)
  if (/[\d.]/.test(letter))
    for (const [kind, pattern] of numbers) {
      const digits = matched(pattern, text, at)
      if (digits !== undefined) return token(kind, digits)
    }
  const quoted = letter === '`' ? matched(quotedWord, text, at) : undefined
  if (quoted !== undefined) return token('ESC_IDENTIFIER', quoted)
  const sign = signs.find((one) => text.startsWith(one.text, at))
  return sign === undefined ? { failedAt: failureOf(text, at) } : { ...sign, at }
}

/** Letters in front of quotes say what is between them. */
function nameOrText(text: string, at: number): Found {
  const before = matched(prefix, text, at) ?? ''
  if (before !== '' || text[at] === '"' || text[at] === "'") {
    const end = stringEnd(text, at + before.length, /[rR]$/.test(before))
    const type = tokenType(/^[bB]/.test(before) ? 'BYTES' : 'STRING')
    if (end.isWhole) return { type, text: text.slice(at, end.at), at }
    if (before === '') return { failedAt: end.at }
  }
  const name = matched(word, text, at) ?? ''
  return { type: words.get(name) ?? identifier, text: name, at }
}

/** How far a word could go on before it could not any more. */
function failureOf(text: string, at: number): number {
  if (text[at] === '`') return at + 1 + (matched(/[A-Za-z0-9_.\-/ ]*/y, text, at + 1) ?? '').length
  return '=&|'.includes(text[at] ?? '') ? at + 1 : at
}

interface StringEnd {
  readonly at: number
  readonly isWhole: boolean
}

function stringEnd(text: string, start: number, isRaw: boolean): StringEnd {
  const quote = text[start] ?? ''
  const triple = quote.repeat(3)
  if (!text.startsWith(triple, start)) return closing(text, start + 1, { end: quote, isRaw, isOneLine: true })
  const long = closing(text, start + 3, { end: triple, isRaw, isOneLine: false })
  // Three quotes that are never closed are an empty string and the begin of another.
  return long.isWhole ? long : { at: start + 2, isWhole: true }
}

function closing(
  text: string,
  from: number,
  { end, isRaw, isOneLine }: { readonly end: string; readonly isRaw: boolean; readonly isOneLine: boolean },
): StringEnd {
  for (let at = from; at < text.length; ) {
    if (text.startsWith(end, at)) return { at: at + end.length, isWhole: true }
    const letter = text[at]
    if (isOneLine && (letter === '\n' || letter === '\r')) return { at, isWhole: false }
    if (letter === '\\' && !isRaw) {
      const sequence = matched(escaped, text, at)
      if (sequence === undefined) return { at: escapeFailure(text, at), isWhole: false }
      at += sequence.length
    } else at += 1
  }
  return { at: text.length, isWhole: false }
}

function escapeFailure(text: string, at: number): number {
  const begun = matched(/\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y, text, at) ?? ''
  return at + begun.length
}

/** Words that cannot be names; to the grammar they are. */
export const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
)
