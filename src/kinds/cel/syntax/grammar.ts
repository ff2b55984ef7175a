// CEL's grammar, as data: what can follow what. Each place of a rule knows the places after it, so that one walker can read
// expressions and say, of a wrong word, which ones would have been right.

import { type TokenName, tokenType } from './tokens.ts'

export type RuleName =
  | 'start'
  | 'expr'
  | 'conditionalOr'
  | 'conditionalAnd'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'exprList'
  | 'listInit'
  | 'fieldInitializerList'
  | 'optField'
  | 'mapInitializerList'
  | 'escapeIdent'
  | 'optExpr'
  | 'literal'

/** How one of several ways is chosen where the next word alone does not say it. */
export type Choice = 'unary' | 'minus' | 'member' | 'primary' | 'literal' | 'comma' | 'relation' | 'calc'

export type Element =
  | { readonly kind: 'token'; readonly types: readonly number[]; readonly label: string }
  | { readonly kind: 'rule'; readonly rule: RuleName; readonly precedence: number; readonly label: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Element[] }
  | { readonly kind: 'one'; readonly ways: readonly Way[]; readonly choice?: Choice }
  | { readonly kind: 'optional'; readonly part: Element }
  | { readonly kind: 'many' | 'atLeastOne'; readonly part: Element; readonly choice?: Choice }

export interface Way {
  readonly name: string
  readonly part: Element
}

const token = (label: string, ...names: TokenName[]): Element => ({ kind: 'token', types: names.map(tokenType), label })
const rule = (name: RuleName, label: string = name, precedence = 0): Element => ({
  kind: 'rule',
  rule: name,
  precedence,
  label,
})
const sequence = (...parts: Element[]): Element => ({ kind: 'sequence', parts })
const optional = (...parts: Element[]): Element => ({ kind: 'optional', part: sequence(...parts) })
const many = (part: Element, choice?: Choice): Element => ({ kind: 'many', part, ...(choice && { choice }) })
const atLeastOne = (part: Element, choice?: Choice): Element => ({
  kind: 'atLeastOne',
  part,
  ...(choice && { choice }),
})
const one = (ways: Readonly<Record<string, Element>>, choice?: Choice): Element => ({
  kind: 'one',
  ways: Object.entries(ways).map(([name, part]) => ({ name, part })),
  ...(choice && { choice }),
})
const listOf = (part: Element): Element => sequence(part, many(sequence(token('comma', "','"), part), 'comma'))

const dot = optional(token('leadingDot', "'.'"))
const name = token('id', 'IDENTIFIER')
const colon = token('colon', "':'")
const trailing = optional(token('comma', "','"))
const question = optional(token('opt', "'?'"))

export const relations: readonly TokenName[] = ["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"]

export const grammar: Readonly<Record<RuleName, Element>> = {
  start: sequence(rule('expr'), token('end', '<EOF>')),
  expr: sequence(
    rule('conditionalOr', 'condition'),
    optional(token('op', "'?'"), rule('conditionalOr', 'yes'), colon, rule('expr', 'no')),
  ),
  conditionalOr: sequence(
    rule('conditionalAnd', 'term'),
    many(sequence(token('op', "'||'"), rule('conditionalAnd', 'term'))),
  ),
  conditionalAnd: sequence(rule('relation', 'term'), many(sequence(token('op', "'&&'"), rule('relation', 'term')))),
  relation: sequence(
    rule('calc', 'term'),
    many(sequence(token('op', ...relations), rule('relation', 'term', 2)), 'relation'),
  ),
  calc: sequence(
    rule('unary', 'term'),
    many(
      one({
        product: sequence(token('op', "'*'", "'/'", "'%'"), rule('calc', 'term', 3)),
        sum: sequence(token('op', "'+'", "'-'"), rule('calc', 'term', 2)),
      }),
      'calc',
    ),
  ),
  unary: one(
    {
      member: rule('member'),
      not: sequence(atLeastOne(token('op', "'!'")), rule('member')),
      negate: sequence(atLeastOne(token('op', "'-'"), 'minus'), rule('member')),
    },
    'unary',
  ),
  member: sequence(
    rule('primary'),
    many(
      one(
        {
          select: sequence(token('op', "'.'"), question, rule('escapeIdent')),
          call: sequence(
            token('op', "'.'"),
            name,
            token('open', "'('"),
            optional(rule('exprList', 'args')),
            token('close', "')'"),
          ),
          index: sequence(token('op', "'['"), question, rule('expr', 'index'), token('close', "']'")),
        },
        'member',
      ),
    ),
  ),
  primary: one(
    {
      ident: sequence(dot, name),
      call: sequence(dot, name, token('open', "'('"), optional(rule('exprList', 'args')), token('close', "')'")),
      nested: sequence(token('open', "'('"), rule('expr'), token('close', "')'")),
      list: sequence(token('op', "'['"), optional(rule('listInit', 'elements')), trailing, token('close', "']'")),
      map: sequence(
        token('op', "'{'"),
        optional(rule('mapInitializerList', 'entries')),
        trailing,
        token('close', "'}'"),
      ),
      message: sequence(
        dot,
        name,
        many(sequence(token('dot', "'.'"), name)),
        token('op', "'{'"),
        optional(rule('fieldInitializerList', 'entries')),
        trailing,
        token('close', "'}'"),
      ),
      literal: rule('literal'),
    },
    'primary',
  ),
  exprList: sequence(rule('expr', 'element'), many(sequence(token('comma', "','"), rule('expr', 'element')))),
  listInit: listOf(rule('optExpr', 'element')),
  fieldInitializerList: listOf(sequence(rule('optField', 'key'), colon, rule('expr', 'value'))),
  optField: sequence(question, rule('escapeIdent')),
  mapInitializerList: listOf(sequence(rule('optExpr', 'key'), colon, rule('expr', 'value'))),
  escapeIdent: one({ simple: name, escaped: token('id', 'ESC_IDENTIFIER') }),
  optExpr: sequence(question, rule('expr')),
  literal: one(
    {
      int: sequence(optional(token('sign', "'-'")), token('tok', 'NUM_INT')),
      uint: token('tok', 'NUM_UINT'),
      double: sequence(optional(token('sign', "'-'")), token('tok', 'NUM_FLOAT')),
      string: token('tok', 'STRING'),
      bytes: token('tok', 'BYTES'),
      bool: token('tok', "'true'", "'false'"),
      null: token('tok', "'null'"),
    },
    'literal',
  ),
}
