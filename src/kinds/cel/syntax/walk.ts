// Reads an expression by the grammar, and goes on behind a wrong word: it leaves one out, thinks of one that is missing, or
// skips to where something known begins (the strategy of ANTLR's parsers, which cel-go's is). The tree that comes out has
// gaps where the expression is wrong.

import type { Fault } from './fault.ts'
import { expected, type Frame, following } from './follow.ts'
import type { RuleName } from './grammar.ts'
import type { Part } from './part.ts'
import { type LoopPlace, type Next, type Place, possibleAt, ruleStarts, type WayPlace } from './places.ts'
import { ambiguous } from './predict.ts'
import { GivenUp, noViable, ReadFaults, setText, shown } from './read-faults.ts'
import type { Token } from './tokens.ts'

/** A rule cannot go on; it is told and recovered from where the rule was begun. */
class Stuck {
  readonly place: Next
  readonly offending: Token
  readonly text: string | undefined
  constructor(place: Next, offending: Token, text?: string) {
    this.place = place
    this.offending = offending
    this.text = text
  }
}

const maxDepth = 250
const maxSkipped = 256

export function readExpression(tokens: readonly Token[], expression: string, faults: Fault[]): Part | undefined {
  const walker = new Walker(tokens, expression, faults)
  try {
    return walker.read('start', { parent: undefined, follow: undefined }, 0)
  } catch (error) {
    if (error instanceof GivenUp) return undefined
    throw error
  }
}

class Walker {
  readonly #tokens: readonly Token[]
  readonly #expression: string
  readonly #faults: ReadFaults
  #at = 0
  #lastAt = -1
  readonly #lastPlaces = new Set<Next>()
  readonly #depths = new Map<RuleName, number>()

  constructor(tokens: readonly Token[], expression: string, faults: Fault[]) {
    this.#tokens = tokens
    this.#expression = expression
    this.#faults = new ReadFaults(faults)
  }

  #ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)] as Token
  }

  read(rule: RuleName, frame: Frame, precedence: number): Part {
    const depth = (this.#depths.get(rule) ?? 0) + 1
    if (depth > maxDepth) this.#faults.giveUp(`expression recursion limit exceeded: ${maxDepth}`)
    this.#depths.set(rule, depth)
    const part: Part = { rule, way: '', start: this.#ahead(0), tokens: [], parts: [] }
    try {
      this.#follow(ruleStarts[rule], { part, frame, precedence })
    } catch (error) {
      if (!(error instanceof Stuck)) throw error
      this.#tellStuck(error, frame)
      this.#recover(error, frame)
    }
    this.#depths.set(rule, depth - 1)
    return part
  }

  #follow(start: Next, walk: Walk): void {
    let place = start
    while (place !== undefined) place = this.#step(place, walk)
  }

  #step(place: Place, walk: Walk): Next {
    const { part, frame } = walk
    switch (place.kind) {
      case 'token': {
        const token = this.#match(place, frame)
        part.tokens.push({ label: place.label, token })
        return place.next
      }
      case 'rule': {
        const inner = this.read(place.rule, { parent: frame, follow: place.next }, place.precedence)
        part.parts.push({ label: place.label, part: inner })
        return place.next
      }
      case 'one': {
        this.#sync(place, frame)
        const way = this.#choose(place.ways, place, walk)
        part.way = way.name
        return way.body
      }
      case 'optional':
        this.#sync(place, frame)
        return isInBody(place, this.#ahead(0).type) ? place.body : place.next
      default:
        this.#sync(place, frame)
        return this.#goesOn(place, walk) ? place.body : place.next
    }
  }

  #choose(ways: readonly WayPlace[], place: Place & { readonly kind: 'one' }, walk: Walk): WayPlace {
    const first = this.#ahead(0)
    const possible = ways.filter(({ body }) => possibleAt(body).types.has(first.type))
    const [only] = possible
    if (only === undefined) throw this.#noWay(place, 0)
    if (possible.length === 1 && place.choice === undefined) return only
    const answer = ambiguous(place.choice, (distance) => this.#ahead(distance).type, walk.precedence)
    if (answer === undefined) return only
    if (typeof answer === 'number') throw this.#noWay(place, answer)
    return ways.find(({ name }) => name === answer) ?? only
  }

  #goesOn(place: LoopPlace, walk: Walk): boolean {
    if (!isInBody(place, this.#ahead(0).type)) return false
    const answer = ambiguous(place.choice, (distance) => this.#ahead(distance).type, walk.precedence)
    if (typeof answer === 'number') throw this.#noWay(place, answer)
    return answer === undefined || answer === 'more'
  }

  /** None of the ways fits: at the word so far ahead. */
  #noWay(place: Place, distance: number): Stuck {
    const [first, offending] = [this.#ahead(0), this.#ahead(distance)]
    const end = offending.type === 0 ? this.#expression.length : offending.at + offending.text.length
    const input = first.type === 0 ? '<EOF>' : this.#expression.slice(first.at, end)
    return new Stuck(place, offending, noViable(input))
  }

  #match(place: Place & { readonly kind: 'token' }, frame: Frame): Token {
    const token = this.#ahead(0)
    if (place.types.includes(token.type)) {
      this.#fits()
      this.#consume()
      return token
    }
    this.#faults.countRecovery(this.#ahead(0))
    const kept = this.#leaveOneOut(place, frame)
    if (kept !== undefined) {
      this.#consume()
      return kept
    }
    if (expected(place.next, frame).has(token.type)) {
      const wanted = setText(expected(place, frame))
      this.#faults.tell(token, `missing ${wanted} at ${shown(token)}`)
      return { type: place.types[0] ?? 0, text: `<missing ${wanted}>`, at: token.at }
    }
    throw new Stuck(place, token)
  }

  /** The word after next, if it fits: the next is left out. */
  #leaveOneOut(place: Next, frame: Frame): Token | undefined {
    if (!expected(place, frame).has(this.#ahead(1).type)) return undefined
    this.#tellExtraneous(place, frame)
    this.#consume()
    this.#fits()
    return this.#ahead(0)
  }

  /** Looks before a choice whether any way fits. */
  #sync(place: Place, frame: Frame): void {
    if (this.#faults.isRecovering) return
    const { types, canEnd } = possibleAt(place)
    if (canEnd || types.has(this.#ahead(0).type)) return
    if (place.kind === 'again') {
      this.#tellExtraneous(place, frame)
      this.#skipTo(new Set([...expected(place, frame), ...following(frame)]))
      return
    }
    if (this.#leaveOneOut(place, frame) === undefined) throw new Stuck(place, this.#ahead(0))
  }

  #recover({ place }: Stuck, frame: Frame): void {
    this.#faults.countRecovery(this.#ahead(0))
    if (this.#lastAt === this.#at && this.#lastPlaces.has(place)) this.#consume()
    this.#lastAt = this.#at
    this.#lastPlaces.add(place)
    this.#skipTo(following(frame))
  }

  #skipTo(types: ReadonlySet<number>): void {
    for (let skipped = 0; this.#ahead(0).type !== 0 && !types.has(this.#ahead(0).type); skipped += 1) {
      if (skipped >= maxSkipped) this.#faults.giveUp(`error recovery token lookahead limit exceeded: ${maxSkipped}`)
      this.#consume()
    }
  }

  #consume(): void {
    if (this.#at < this.#tokens.length - 1) this.#at += 1
  }

  #fits(): void {
    this.#faults.fits()
    this.#lastAt = -1
    this.#lastPlaces.clear()
  }

  #tellStuck({ place, offending, text }: Stuck, frame: Frame): void {
    if (this.#faults.isRecovering) return
    const wanted = (): string => `mismatched input ${shown(offending)} expecting ${setText(expected(place, frame))}`
    this.#faults.tell(offending, text ?? wanted())
  }

  #tellExtraneous(place: Next, frame: Frame): void {
    if (this.#faults.isRecovering) return
    const token = this.#ahead(0)
    this.#faults.tell(token, `extraneous input ${shown(token)} expecting ${setText(expected(place, frame))}`)
  }
}

interface Walk {
  readonly part: Part
  readonly frame: Frame
  readonly precedence: number
}

const isInBody = ({ body }: { readonly body: Next }, type: number): boolean => possibleAt(body).types.has(type)
