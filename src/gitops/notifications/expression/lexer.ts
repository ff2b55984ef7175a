// Texts of expressions as tokens.

import { ExpressionFault } from './fault.ts'

export interface Token {
  readonly type: 'number' | 'text' | 'name' | 'mark' | 'end'
  readonly value: string
}

const pattern =
  /\s+|(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_$][\w$]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(\?\.|\?\?|\*\*|\.\.|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}#|])/y

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) throw new ExpressionFault(`unrecognized character ${JSON.stringify(text[at])} at ${at + 1}`)
    const [whole, number, name, quoted, mark] = match
    at += whole.length
    if (number !== undefined) tokens.push({ type: 'number', value: number.replaceAll('_', '') })
    else if (name !== undefined) tokens.push({ type: 'name', value: name })
    else if (quoted !== undefined) tokens.push({ type: 'text', value: unquoted(quoted) })
    else if (mark !== undefined) tokens.push({ type: 'mark', value: mark })
  }
  return [...tokens, { type: 'end', value: '' }]
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquoted = (quoted: string): string =>
  quoted.startsWith('`')
    ? quoted.slice(1, -1)
    : quoted.slice(1, -1).replace(/\\(.)/g, (_whole, mark: string) => escapes[mark] ?? mark)
