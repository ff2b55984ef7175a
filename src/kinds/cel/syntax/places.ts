// The places of the grammar, each with those after it, and which words are possible there.

import { type Choice, type Element, grammar, type RuleName } from './grammar.ts'

/** Where a walk through a rule stands; undefined at the rule's end. */
export type Place =
  | { readonly kind: 'token'; readonly types: readonly number[]; readonly label: string; readonly next: Next }
  | {
      readonly kind: 'rule'
      readonly rule: RuleName
      readonly precedence: number
      readonly label: string
      readonly next: Next
    }
  | { readonly kind: 'one'; readonly ways: readonly WayPlace[]; readonly choice: Choice | undefined }
  | { readonly kind: 'optional'; readonly body: Next; readonly next: Next }
  | LoopPlace

/** `loop` is where a round begins, `again` where one has ended. */
export interface LoopPlace {
  readonly kind: 'loop' | 'again'
  body: Next
  readonly next: Next
  readonly choice: Choice | undefined
}

export type Next = Place | undefined

export interface WayPlace {
  readonly name: string
  readonly body: Next
}

function placesOf(element: Element, next: Next): Next {
  switch (element.kind) {
    case 'token':
      return { kind: 'token', types: element.types, label: element.label, next }
    case 'rule':
      return { kind: 'rule', rule: element.rule, precedence: element.precedence, label: element.label, next }
    case 'sequence':
      return element.parts.reduceRight<Next>((after, part) => placesOf(part, after), next)
    case 'one':
      return {
        kind: 'one',
        ways: element.ways.map(({ name, part }) => ({ name, body: placesOf(part, next) })),
        choice: element.choice,
      }
    case 'optional':
      return { kind: 'optional', body: placesOf(element.part, next), next }
    default: {
      const again: LoopPlace = { kind: 'again', body: undefined, next, choice: element.choice }
      again.body = placesOf(element.part, again)
      if (element.kind === 'atLeastOne') return again.body
      return { kind: 'loop', body: again.body, next, choice: element.choice }
    }
  }
}

export const ruleStarts: Readonly<Record<RuleName, Next>> = Object.fromEntries(
  Object.entries(grammar).map(([rule, element]) => [rule, placesOf(element, undefined)]),
) as Record<RuleName, Next>

/** Words that can come at a place, within its rule. */
export interface Possible {
  readonly types: ReadonlySet<number>
  /** The rule can end here. */
  readonly canEnd: boolean
}

const known = new Map<Next, Possible>()

export function possibleAt(place: Next): Possible {
  const found = known.get(place)
  if (found !== undefined) return found
  const types = new Set<number>()
  const canEnd = gather(place, types, new Set())
  const made = { types, canEnd }
  known.set(place, made)
  return made
}

/** Whether the end of the rule can be reached without a word. */
function gather(place: Next, types: Set<number>, seen: Set<Next>): boolean {
  if (place === undefined) return true
  if (seen.has(place)) return false
  seen.add(place)
  switch (place.kind) {
    case 'token':
      for (const type of place.types) types.add(type)
      return false
    case 'rule': {
      // No rule of the grammar is empty.
      for (const type of possibleAt(ruleStarts[place.rule]).types) types.add(type)
      return false
    }
    case 'one': {
      const ends = place.ways.map(({ body }) => gather(body, types, seen))
      return ends.includes(true)
    }
    default: {
      const throughBody = gather(place.body, types, seen)
      return gather(place.next, types, seen) || throughBody
    }
  }
}
