// The value of a literal, or what is wrong with it.

import { bytesOf, doubleOf, intOf, stringOf, uintOf } from './literals.ts'
import { type Part, tokens } from './part.ts'
import type { LiteralValue } from './tree.ts'

export type ReadLiteral = { readonly value: LiteralValue } | { readonly fault: string }

export function literalIn(part: Part): ReadLiteral {
  const [token] = tokens(part, 'tok')
  if (token === undefined) return { value: null }
  const text = (tokens(part, 'sign')[0]?.text ?? '') + token.text
  const made = (value: LiteralValue | undefined, what: string): ReadLiteral =>
    value === undefined ? { fault: `invalid ${what} literal` } : { value }
  switch (part.way) {
    case 'int':
      return made(intOf(text), 'int')
    case 'uint':
      return made(uintOf(text), 'uint')
    case 'double':
      return made(doubleOf(text), 'double')
    case 'string':
    case 'bytes':
      try {
        return { value: part.way === 'string' ? stringOf(text) : bytesOf(text) }
      } catch (error) {
        return { fault: (error as Error).message }
      }
    default:
      return { value: part.way === 'null' ? null : text === 'true' }
  }
}
