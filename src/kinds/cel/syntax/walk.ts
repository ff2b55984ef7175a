// Reads an expression by the grammar, and goes on behind a wrong word: it leaves one out, thinks of one that is missing, or
// skips to where something known begins (the strategy of ANTLR's parsers, which cel-go's is). The tree that comes out has
// gaps where the expression is wrong.

import type { Fault } from './fault.ts'
import type { RuleName } from './grammar.ts'
import { type LoopPlace, type Next, type Place, possibleAt, ruleStarts, type WayPlace } from './places.ts'
import { ambiguous } from './predict.ts'
import { type Token, tokenNames } from './tokens.ts'

/** What was read by a rule. */
export interface Part {
  readonly rule: RuleName
  /** Which of the rule's ways. */
  way: string
  readonly start: Token
  readonly tokens: { readonly label: string; readonly token: Token }[]
  readonly parts: { readonly label: string; readonly part: Part }[]
}

interface Frame {
  readonly parent: Frame | undefined
  /** Where the rule goes on that asked for this one. */
  readonly follow: Next
}

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

/** Nothing more is read. */
class GivenUp {}

const maxDepth = 250
const maxRecoveries = 30
const maxSkipped = 256
const maxFaults = 100

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
  readonly #faults: Fault[]
  #at = 0
  #told = 0
  #recoveries = 0
  /** Faults are told once until something fits again. */
  #isRecovering = false
  #lastAt = -1
  readonly #lastPlaces = new Set<Next>()
  readonly #depths = new Map<RuleName, number>()

  constructor(tokens: readonly Token[], expression: string, faults: Fault[]) {
    this.#tokens = tokens
    this.#expression = expression
    this.#faults = faults
  }

  #ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)] as Token
  }

  read(rule: RuleName, frame: Frame, precedence: number): Part {
    const depth = (this.#depths.get(rule) ?? 0) + 1
    if (depth > maxDepth) this.#giveUp(`expression recursion limit exceeded: ${maxDepth}`)
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
    this.#countRecovery()
    const kept = this.#leaveOneOut(place, frame)
    if (kept !== undefined) {
      this.#consume()
      return kept
    }
    if (this.#expected(place.next, frame).has(token.type)) {
      const wanted = setText(this.#expected(place, frame))
      this.#tell(token, `missing ${wanted} at ${shown(token)}`)
      return { type: place.types[0] ?? 0, text: `<missing ${wanted}>`, at: token.at }
    }
    throw new Stuck(place, token)
  }

  /** The word after next, if it fits: the next is left out. */
  #leaveOneOut(place: Next, frame: Frame): Token | undefined {
    if (!this.#expected(place, frame).has(this.#ahead(1).type)) return undefined
    this.#tellExtraneous(place, frame)
    this.#consume()
    this.#fits()
    return this.#ahead(0)
  }

  /** Looks before a choice whether any way fits. */
  #sync(place: Place, frame: Frame): void {
    if (this.#isRecovering) return
    const { types, canEnd } = possibleAt(place)
    if (canEnd || types.has(this.#ahead(0).type)) return
    if (place.kind === 'again') {
      this.#tellExtraneous(place, frame)
      this.#skipTo(new Set([...this.#expected(place, frame), ...this.#following(frame)]))
      return
    }
    if (this.#leaveOneOut(place, frame) === undefined) throw new Stuck(place, this.#ahead(0))
  }

  #recover({ place }: Stuck, frame: Frame): void {
    this.#countRecovery()
    if (this.#lastAt === this.#at && this.#lastPlaces.has(place)) this.#consume()
    this.#lastAt = this.#at
    this.#lastPlaces.add(place)
    this.#skipTo(this.#following(frame))
  }

  #skipTo(types: ReadonlySet<number>): void {
    for (let skipped = 0; this.#ahead(0).type !== 0 && !types.has(this.#ahead(0).type); skipped += 1) {
      if (skipped >= maxSkipped) this.#giveUp(`error recovery token lookahead limit exceeded: ${maxSkipped}`)
      this.#consume()
    }
  }

  #consume(): void {
    if (this.#at < this.#tokens.length - 1) this.#at += 1
  }

  #fits(): void {
    this.#isRecovering = false
    this.#lastAt = -1
    this.#lastPlaces.clear()
  }

  /** Words that can come at a place, also behind the rules around it. */
  #expected(place: Next, frame: Frame): ReadonlySet<number> {
    const types = new Set<number>()
    let [at, around]: [Next, Frame | undefined] = [place, frame]
    for (;;) {
      const possible = possibleAt(at)
      for (const type of possible.types) types.add(type)
      if (!possible.canEnd) return types
      if (around.parent === undefined) return types.add(0)
      at = around.follow
      around = around.parent
    }
  }

  /** Words with which any of the rules around could go on. */
  #following(frame: Frame): ReadonlySet<number> {
    const types = new Set<number>()
    for (let around: Frame | undefined = frame; around?.parent !== undefined; around = around.parent)
      for (const type of possibleAt(around.follow).types) types.add(type)
    return types
  }

  #tellStuck({ place, offending, text }: Stuck, frame: Frame): void {
    const expected = (): string =>
      `mismatched input ${shown(offending)} expecting ${setText(this.#expected(place, frame))}`
    if (!this.#isRecovering) this.#tell(offending, text ?? expected())
  }

  #tellExtraneous(place: Next, frame: Frame): void {
    if (this.#isRecovering) return
    const token = this.#ahead(0)
    this.#tell(token, `extraneous input ${shown(token)} expecting ${setText(this.#expected(place, frame))}`)
  }

  #tell({ at }: Token, text: string): void {
    if (this.#isRecovering) return
    this.#isRecovering = true
    this.#told += 1
    const isTooMany = this.#told > maxFaults
    this.#faults.push({ at, text: `Syntax error: ${isTooMany ? `More than ${maxFaults} syntax errors` : text}` })
    if (isTooMany) throw new GivenUp()
  }

  #countRecovery(): void {
    this.#recoveries += 1
    if (this.#recoveries <= maxRecoveries) return
    const text = `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`
    this.#faults.push({ at: this.#ahead(0).at, text })
    throw new GivenUp()
  }

  #giveUp(text: string): never {
    this.#faults.push({ at: undefined, text })
    throw new GivenUp()
  }
}

interface Walk {
  readonly part: Part
  readonly frame: Frame
  readonly precedence: number
}

const isInBody = ({ body }: { readonly body: Next }, type: number): boolean => possibleAt(body).types.has(type)

const shown = ({ text }: Token): string =>
  `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`

function noViable(input: string): string {
  const word = /^\.(true|false|null)$/.exec(input)?.[1]
  const text = input.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return word === undefined
    ? `no viable alternative at input '${text}'`
    : `mismatched input '${word}' expecting IDENTIFIER`
}

function setText(types: ReadonlySet<number>): string {
  const names = [...types].sort((a, b) => a - b).map((type) => tokenNames[type])
  return names.length === 1 ? String(names[0]) : `{${names.join(', ')}}`
}
