// What was read by a rule of the grammar: its words and the parts inside of it, by their labels.

import type { RuleName } from './grammar.ts'
import type { Token } from './tokens.ts'

/** What was read by a rule. */
export interface Part {
  readonly rule: RuleName
  /** Which of the rule's ways. */
  way: string
  readonly start: Token
  readonly tokens: { readonly label: string; readonly token: Token }[]
  readonly parts: { readonly label: string; readonly part: Part }[]
}

export const tokens = (part: Part, label: string): readonly Token[] =>
  part.tokens.filter((one) => one.label === label).map(({ token }) => token)
export const parts = (part: Part, label: string): readonly Part[] =>
  part.parts.filter((one) => one.label === label).map(({ part: inner }) => inner)

/** A `?` in front. */
export const isOptional = (part: Part): boolean => tokens(part, 'opt').length > 0

/** One selection, call or index of a chain. */
export interface Link {
  readonly op: Token
  isOptional: boolean
  id?: Token
  open?: Token
  /** Where the next link begins. */
  end?: number
}

export function linksOf(given: Part['tokens']): readonly Link[] {
  const links: Link[] = []
  for (const { label, token } of given) {
    const last = links.at(-1)
    if (label === 'op') {
      if (last !== undefined) last.end = token.at
      links.push({ op: token, isOptional: false })
    } else if (last === undefined) continue
    else if (label === 'opt') last.isOptional = true
    else if (label === 'id') last.id = token
    else if (label === 'open') last.open = token
  }
  return links
}
