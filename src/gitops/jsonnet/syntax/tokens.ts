// The words of a program.

export type TokenType = 'name' | 'keyword' | 'number' | 'text' | 'operator' | 'symbol' | 'end'

export interface Token {
  readonly type: TokenType
  /** As it is written; what a text literal says. */
  readonly text: string
  readonly begin: number
  readonly end: number
  /** Only of text literals that are written as `|||`. */
  readonly isBlock?: boolean
}

export const keywords: ReadonlySet<string> = new Set([
  'assert',
  'else',
  'error',
  'false',
  'for',
  'function',
  'if',
  'import',
  'importbin',
  'importstr',
  'in',
  'local',
  'null',
  'self',
  'super',
  'tailstrict',
  'then',
  'true',
])

/** As messages name it. */
export function tokenText({ type, text, isBlock }: Token): string {
  if (type === 'end') return 'end of file'
  if (type === 'name') return `(IDENTIFIER, ${JSON.stringify(text)})`
  if (type === 'number') return `(NUMBER, ${JSON.stringify(text)})`
  if (type === 'operator') return `(OPERATOR, ${JSON.stringify(text)})`
  if (type === 'text') return `(${isBlock === true ? 'STRING_BLOCK' : 'STRING'}, ${JSON.stringify(text)})`
  return JSON.stringify(text)
}
