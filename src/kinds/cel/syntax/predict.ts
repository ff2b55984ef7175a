// Which way to go where the next word alone does not say it: some look further ahead, two by what binds more tightly.

import type { Choice } from './grammar.ts'
import { possibleAt, ruleStarts } from './places.ts'
import { type TokenName, tokenType } from './tokens.ts'

const of = (...names: TokenName[]): ReadonlySet<number> => new Set(names.map(tokenType))

const minus = tokenType("'-'")
const dot = tokenType("'.'")
const question = tokenType("'?'")
const identifier = tokenType('IDENTIFIER')
const escaped = tokenType('ESC_IDENTIFIER')
const numbers = of('NUM_INT', 'NUM_FLOAT')
const products = of("'*'", "'/'", "'%'")

type Ahead = (distance: number) => number

/**
 * The name of a way, `more` or `end` of a loop; a number is how far ahead the word stands with which no way goes on.
 * Undefined where the next word says it.
 */
export function ambiguous(choice: Choice | undefined, ahead: Ahead, precedence: number): string | number | undefined {
  switch (choice) {
    case 'unary':
      return ahead(0) === minus ? negation(ahead) : undefined
    case 'minus':
      return ahead(0) === minus && !canBeNegated(ahead(1)) ? 1 : 'more'
    case 'member':
      return ahead(0) === dot ? selection(ahead) : undefined
    case 'primary':
      return ahead(0) === dot || ahead(0) === identifier ? named(ahead) : undefined
    case 'literal':
      if (ahead(0) !== minus) return undefined
      return numbers.has(ahead(1)) ? (ahead(1) === tokenType('NUM_INT') ? 'int' : 'double') : 1
    case 'comma':
      return hasElement(ahead(1)) ? 'more' : 'end'
    case 'relation':
      return precedence <= 1 ? 'more' : 'end'
    case 'calc':
      return precedence <= (products.has(ahead(0)) ? 2 : 1) ? 'more' : 'end'
    default:
      return undefined
  }
}

const startsMember = (type: number): boolean => possibleAt(ruleStarts['member']).types.has(type)
const canBeNegated = (type: number): boolean => type === minus || startsMember(type)
const hasElement = (type: number): boolean => type === question || possibleAt(ruleStarts['expr']).types.has(type)

function negation(ahead: Ahead): string | number {
  if (numbers.has(ahead(1))) return 'member'
  return canBeNegated(ahead(1)) ? 'negate' : 1
}

function selection(ahead: Ahead): string | number {
  const next = ahead(1)
  if (next === identifier) return ahead(2) === tokenType("'('") ? 'call' : 'select'
  return next === question || next === escaped ? 'select' : 1
}

/** A name alone, one that is called, or that of a message. */
function named(ahead: Ahead): string | number {
  let at = ahead(0) === dot ? 1 : 0
  if (ahead(at) !== identifier) return at
  at += 1
  if (ahead(at) === tokenType("'('")) return 'call'
  while (ahead(at) === dot && ahead(at + 1) === identifier) at += 2
  return ahead(at) === tokenType("'{'") ? 'message' : 'ident'
}
