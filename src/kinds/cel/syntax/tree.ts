// What an expression says, as a tree: macros are written out, operators are calls of functions with names such as `_+_`.

import type { CelUint } from '../values/numbers.ts'

export type LiteralValue = bigint | number | CelUint | string | Uint8Array | boolean | null

interface Placed {
  /** Where in the expression faults of it are told. */
  readonly at: number
}

export interface Literal extends Placed {
  readonly kind: 'literal'
  readonly value: LiteralValue
}

export interface Ident extends Placed {
  readonly kind: 'ident'
  readonly name: string
}

export interface Select extends Placed {
  readonly kind: 'select'
  readonly operand: Node
  readonly field: string
  /** `has(operand.field)`. */
  readonly isTest: boolean
}

export interface Call extends Placed {
  readonly kind: 'call'
  readonly name: string
  readonly target?: Node
  readonly args: readonly Node[]
}

export interface Element {
  readonly value: Node
  /** `?` in front: left out where it has no value. */
  readonly isOptional: boolean
}

export interface List extends Placed {
  readonly kind: 'list'
  readonly elements: readonly Element[]
}

export interface Entry extends Element {
  readonly key: Node
}

export interface MapNode extends Placed {
  readonly kind: 'map'
  readonly entries: readonly Entry[]
}

export interface Field extends Element, Placed {
  readonly name: string
}

export interface Message extends Placed {
  readonly kind: 'message'
  readonly name: string
  readonly fields: readonly Field[]
}

/** Goes through a list or map and gathers something on the way. */
export interface Comprehension extends Placed {
  readonly kind: 'comprehension'
  readonly range: Node
  /** One name for elements or keys; two for places or keys and values. */
  readonly variables: readonly [string] | readonly [string, string]
  readonly gathered: string
  readonly begin: Node
  /** Whether it goes on. */
  readonly condition: Node
  readonly step: Node
  readonly result: Node
}

export type Node = Literal | Ident | Select | Call | List | MapNode | Message | Comprehension

/** The parts of a node, in the order in which they are written. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [node.operand]
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args]
    case 'list':
      return node.elements.map(({ value }) => value)
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'message':
      return node.fields.map(({ value }) => value)
    case 'comprehension':
      return [node.range, node.begin, node.condition, node.step, node.result]
  }
}

/** `a.b.c` as one name; undefined where it is something else. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name
  if (node.kind !== 'select' || node.isTest) return undefined
  const prefix = qualifiedName(node.operand)
  return prefix === undefined ? undefined : `${prefix}.${node.field}`
}
