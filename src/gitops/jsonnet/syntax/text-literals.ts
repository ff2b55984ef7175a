// Text literals: in quotes with escapes, verbatim behind `@`, and as blocks between `|||`.

import { faultAt } from '../fault.ts'
import type { SourceText } from './source-text.ts'
import type { Token } from './tokens.ts'

/** The literal that begins at an offset; undefined when none does. Throws JsonnetFault. */
export function readText(source: SourceText, begin: number): Token | undefined {
  const { text } = source
  const first = text[begin]
  if (first === '"' || first === "'") return quotedText(source, begin)
  if (first === '@') return verbatimText(source, begin)
  return text.startsWith('|||', begin) ? blockText(source, begin) : undefined
}

function quotedText(source: SourceText, begin: number): Token {
  const { text } = source
  const quote = text[begin]
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) {
      const written = text.slice(begin + 1, at)
      const said = written.includes('\\') ? unescaped(source, { written, begin, end: at + 1 }) : written
      return { type: 'text', text: said, begin, end: at + 1 }
    }
  }
  throw faultAt('Unterminated String', { source, begin, end: begin })
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

interface Escaped {
  readonly written: string
  readonly begin: number
  readonly end: number
}

function unescaped(source: SourceText, { written, begin, end }: Escaped): string {
  const parts: string[] = []
  const refuse = (what: string): never => {
    throw faultAt(`${what} in string literal.`, { source, begin, end })
  }
  let from = 0
  for (let at = written.indexOf('\\'); at >= 0; at = written.indexOf('\\', from)) {
    parts.push(written.slice(from, at))
    const letter = String.fromCodePoint(written.codePointAt(at + 1) ?? 0)
    const meant = escapes[letter]
    if (meant !== undefined) {
      parts.push(meant)
      from = at + 2
    } else if (letter === 'u') {
      const digits = written.slice(at + 2, at + 6)
      if (digits.length < 4) refuse('Truncated unicode escape sequence')
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) refuse(`Unicode escape sequence was malformed: ${digits}`)
      parts.push(String.fromCharCode(Number.parseInt(digits, 16)))
      from = at + 6
    } else refuse(`Unknown escape sequence: \\${letter}`)
  }
  parts.push(written.slice(from))
  const said = parts.join('')
  if (!said.isWellFormed()) refuse('Unicode surrogate pair escape sequence missing its other half')
  return said
}

function verbatimText(source: SourceText, begin: number): Token {
  const { text } = source
  const quote = text[begin + 1]
  if (quote !== '"' && quote !== "'") {
    throw faultAt(`Couldn't lex verbatim string, junk after '@': ${quote ?? ''}`, { source, begin, end: begin })
  }
  for (let at = text.indexOf(quote, begin + 2); at >= 0; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] === quote) continue
    const said = text.slice(begin + 2, at).replaceAll(quote + quote, quote)
    return { type: 'text', text: said, begin, end: at + 1 }
  }
  throw faultAt('Unterminated String', { source, begin, end: begin })
}

const blockBegin = /\|\|\|(-?)[ \t\r]*\n/y
const indentation = /[ \t]*/y

function blockText(source: SourceText, begin: number): Token {
  const { text } = source
  const refuse = (message: string) => faultAt(message, { source, begin, end: begin })
  blockBegin.lastIndex = begin
  const opened = blockBegin.exec(text)
  if (opened === null) throw refuse('Text block requires new line after |||.')
  let at = blockBegin.lastIndex
  const lines: string[] = []
  const skipBlank = (): void => {
    for (; text[at] === '\n'; at++) lines.push('')
  }
  skipBlank()
  const indent = spaceAt(text, at)
  if (indent === '') throw refuse("Text block's first line must start with whitespace")
  while (text.startsWith(indent, at)) {
    const end = text.indexOf('\n', at)
    if (end < 0) throw refuse('Unexpected EOF')
    lines.push(text.slice(at + indent.length, end))
    at = end + 1
    skipBlank()
  }
  at += spaceAt(text, at).length
  if (!text.startsWith('|||', at)) throw refuse('Text block not terminated with |||')
  const said = lines.map((line) => `${line}\n`).join('')
  return { type: 'text', text: opened[1] === '-' ? said.slice(0, -1) : said, begin, end: at + 3, isBlock: true }
}

function spaceAt(text: string, at: number): string {
  indentation.lastIndex = at
  return indentation.exec(text)?.[0] ?? ''
}
