// Makes the tree of what was read. Of what was read wrongly there are gaps; faults that the grammar does not know (reserved
// words, numbers that are too large, macros with wrong arguments) are told here.

import { literalIn } from './build-literal.ts'
import type { Fault } from './fault.ts'
import { expandMacro, MacroFault, type MacroName } from './macros.ts'
import { isOptional, type Link, linksOf, type Part, parts, tokens } from './part.ts'
import { reservedWords } from './tokens.ts'
import type { Element, Entry, Field, Node } from './tree.ts'

const maxDepth = 250

/** Too deep: nothing more is looked at. */
class TooDeep {}

export interface Building {
  readonly faults: Fault[]
  readonly macros: ReadonlySet<MacroName>
}

export function buildTree(part: Part, { faults, macros }: Building): Node | undefined {
  try {
    return new Builder({ faults, macros }).visit(part)
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    faults.push({ at: undefined, text: 'max recursion depth exceeded' })
    return undefined
  }
}

class Builder {
  readonly #faults: Fault[]
  readonly #macros: ReadonlySet<MacroName>
  #depth = 0

  constructor({ faults, macros }: Building) {
    this.#faults = faults
    this.#macros = macros
  }

  #fault(at: number, text: string): Node {
    this.#faults.push({ at, text })
    return { kind: 'literal', at, value: null }
  }

  #deeper<T>(work: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new TooDeep()
    const made = work()
    this.#depth -= 1
    return made
  }

  /** A part with only one inside of it is that one. */
  visit(part: Part | undefined): Node {
    if (part === undefined) return { kind: 'literal', at: 0, value: null }
    const [only] = part.parts
    const isPlain = part.tokens.length === 0 && part.parts.length === 1
    switch (part.rule) {
      case 'start':
        return this.visit(only?.part)
      case 'expr':
        return isPlain ? this.visit(only?.part) : this.#deeper(() => this.#conditional(part))
      case 'conditionalOr':
      case 'conditionalAnd':
        return this.#logical(part, part.rule === 'conditionalOr' ? '_||_' : '_&&_')
      case 'relation':
      case 'calc':
        return this.#operators(part)
      case 'unary':
        return this.#unary(part)
      case 'member':
        return this.#member(part)
      case 'primary':
        return this.#primary(part)
      case 'optExpr':
        return this.visit(parts(part, 'expr')[0])
      case 'literal':
        return this.#literal(part)
      default:
        return this.visit(only?.part)
    }
  }

  #call(at: number, name: string, args: readonly Node[], target?: Node): Node {
    try {
      const written = target === undefined ? { at, name, args } : { at, name, args, target }
      return expandMacro(written, this.#macros) ?? { kind: 'call', ...written }
    } catch (error) {
      if (error instanceof MacroFault) return this.#fault(error.at, error.message)
      throw error
    }
  }

  #conditional(part: Part): Node {
    const condition = this.visit(parts(part, 'condition')[0])
    const yes = this.visit(parts(part, 'yes')[0])
    const no = this.visit(parts(part, 'no')[0])
    return this.#call(tokens(part, 'op')[0]?.at ?? 0, '_?_:_', [condition, yes, no])
  }

  /** Many terms make a balanced tree, so that it is not deep. */
  #logical(part: Part, name: string): Node {
    const terms = parts(part, 'term').map((term) => this.visit(term))
    const operators = tokens(part, 'op')
    const balanced = (low: number, high: number): Node => {
      const middle = Math.floor((low + high + 1) / 2)
      const left = middle === low ? terms[middle] : balanced(low, middle - 1)
      const right = middle === high ? terms[middle + 1] : balanced(middle + 1, high)
      const at = operators[middle]?.at ?? 0
      return left === undefined || right === undefined
        ? { kind: 'literal', at, value: null }
        : { kind: 'call', at, name, args: [left, right] }
    }
    return operators.length === 0 ? (terms[0] ?? this.visit(undefined)) : balanced(0, operators.length - 1)
  }

  #operators(part: Part): Node {
    const [first, ...rest] = parts(part, 'term')
    const operators = tokens(part, 'op')
    // The deepest is the leftmost: as deep as there are operators.
    const from = this.#depth
    this.#depth += rest.length
    if (this.#depth > maxDepth) throw new TooDeep()
    let left = this.visit(first)
    rest.forEach((term, i) => {
      this.#depth -= 1
      const { at, text } = operators[i] ?? { at: 0, text: '' }
      left = this.#call(at, text === 'in' ? '@in' : `_${text}_`, [left, this.#deeper(() => this.visit(term))])
    })
    this.#depth = from
    return left
  }

  #unary(part: Part): Node {
    const operators = tokens(part, 'op')
    const operand = this.visit(parts(part, 'member')[0])
    if (operators.length % 2 === 0) return operand
    return this.#call(operators[0]?.at ?? 0, part.way === 'not' ? '!_' : '-_', [operand])
  }

  /** A chain of selections, calls and indexes, from left to right. */
  #member(part: Part): Node {
    const [first, ...rest] = part.parts
    let node = this.visit(first?.part)
    const inner = [...rest]
    const links = linksOf(part.tokens)
    if (links.length + this.#depth > maxDepth) throw new TooDeep()
    for (const link of links) {
      const take = (label: string): Part | undefined => {
        const isNext = inner[0]?.label === label && inner[0].part.start.at >= link.op.at
        return isNext && (link.end === undefined || (inner[0] !== undefined && inner[0].part.start.at < link.end))
          ? inner.shift()?.part
          : undefined
      }
      node = this.#linked(node, link, take)
    }
    return node
  }

  #linked(operand: Node, { op, isOptional, id, open }: Link, take: (label: string) => Part | undefined): Node {
    if (open !== undefined && id !== undefined) return this.#call(open.at, id.text, this.#list(take('args')), operand)
    if (op.text === '[') {
      const index = this.visit(take('index'))
      return { kind: 'call', at: op.at, name: isOptional ? '_[?_]' : '_[_]', args: [operand, index] }
    }
    const name = take('escapeIdent')
    const field = this.#identifier(name)
    if (field === undefined) return operand
    if (!isOptional) return { kind: 'select', at: op.at, operand, field, isTest: false }
    const literal: Node = { kind: 'literal', at: name?.start.at ?? op.at, value: field }
    return { kind: 'call', at: op.at, name: '_?._', args: [operand, literal] }
  }

  #identifier(part: Part | undefined): string | undefined {
    const [id] = part === undefined ? [] : tokens(part, 'id')
    if (id === undefined) return undefined
    if (id.text.startsWith('`')) this.#fault(id.at, "unsupported syntax: '`'")
    return id.text
  }

  #list(part: Part | undefined): readonly Node[] {
    return part === undefined ? [] : parts(part, 'element').map((element) => this.visit(element))
  }

  #primary(part: Part): Node {
    const [op] = tokens(part, 'op')
    const [entries] = parts(part, 'entries')
    switch (part.way) {
      case 'nested':
        return this.visit(parts(part, 'expr')[0])
      case 'list':
        return { kind: 'list', at: op?.at ?? part.start.at, elements: this.#elements(parts(part, 'elements')[0]) }
      case 'map':
        return { kind: 'map', at: op?.at ?? part.start.at, entries: this.#entries(entries) }
      case 'message': {
        const name = tokens(part, 'id').map(({ text }) => text)
        return { kind: 'message', at: op?.at ?? part.start.at, name: name.join('.'), fields: this.#fields(entries) }
      }
      case 'literal':
        return this.visit(parts(part, 'literal')[0])
      default:
        return this.#named(part)
    }
  }

  #named(part: Part): Node {
    const [id] = tokens(part, 'id')
    if (id === undefined) return { kind: 'literal', at: part.start.at, value: null }
    if (reservedWords.has(id.text)) return this.#fault(part.start.at, `reserved identifier: ${id.text}`)
    const [open] = tokens(part, 'open')
    return open === undefined
      ? { kind: 'ident', at: id.at, name: id.text }
      : this.#call(open.at, id.text, this.#list(parts(part, 'args')[0]))
  }

  #elements(part: Part | undefined): readonly Element[] {
    if (part === undefined) return []
    return parts(part, 'element').map((element) => ({ value: this.visit(element), isOptional: isOptional(element) }))
  }

  #entries(part: Part | undefined): readonly Entry[] {
    if (part === undefined) return []
    const values = parts(part, 'value')
    return parts(part, 'key').flatMap((key, i) =>
      values[i] === undefined
        ? []
        : [{ key: this.visit(key), value: this.visit(values[i]), isOptional: isOptional(key) }],
    )
  }

  #fields(part: Part | undefined): readonly Field[] {
    if (part === undefined) return []
    const values = parts(part, 'value')
    const colons = tokens(part, 'colon')
    return parts(part, 'key').flatMap((key, i) => {
      const name = this.#identifier(parts(key, 'escapeIdent')[0])
      return values[i] === undefined || name === undefined
        ? []
        : [{ at: colons[i]?.at ?? key.start.at, name, value: this.visit(values[i]), isOptional: isOptional(key) }]
    })
  }

  #literal(part: Part): Node {
    const { at } = part.start
    const read = literalIn(part)
    return 'fault' in read ? this.#fault(at, read.fault) : { kind: 'literal', at, value: read.value }
  }
}
