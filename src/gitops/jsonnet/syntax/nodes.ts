// The grammar of Jsonnet as values. Written variants that mean the same are one node already: `a { … }` is `a + { … }`, `a.b`
// is `a['b']`, a method is a field that holds a function.

import type { Place } from './source-text.ts'

export interface Parameter {
  readonly name: string
  readonly fallback: Node | undefined
}

export interface Bind {
  readonly name: string
  readonly body: Node
}

/** `:`, `::` and `:::`. */
export type Visibility = 'inherited' | 'hidden' | 'visible'

export interface FieldNode {
  readonly name: Node
  /** `+:`. */
  readonly extends: boolean
  readonly visibility: Visibility
  readonly body: Node
  readonly place: Place
}

export interface AssertNode {
  readonly condition: Node
  readonly message: Node | undefined
  readonly place: Place
}

export type Clause =
  | { readonly type: 'for'; readonly name: string; readonly of: Node }
  | { readonly type: 'if'; readonly condition: Node }

export type ImportWay = 'import' | 'importstr' | 'importbin'

export type Expression =
  | { readonly type: 'literal'; readonly value: null | boolean | number | string }
  | { readonly type: 'array'; readonly elements: readonly Node[] }
  | { readonly type: 'array-comprehension'; readonly body: Node; readonly clauses: readonly Clause[] }
  | {
      readonly type: 'object'
      readonly fields: readonly FieldNode[]
      readonly locals: readonly Bind[]
      readonly asserts: readonly AssertNode[]
    }
  | {
      readonly type: 'object-comprehension'
      readonly field: FieldNode
      readonly locals: readonly Bind[]
      readonly clauses: readonly Clause[]
    }
  | { readonly type: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly type: 'unary'; readonly operator: string; readonly operand: Node }
  | {
      readonly type: 'conditional'
      readonly condition: Node
      readonly then: Node
      readonly otherwise: Node | undefined
    }
  | { readonly type: 'local'; readonly binds: readonly Bind[]; readonly body: Node }
  | { readonly type: 'function'; readonly parameters: readonly Parameter[]; readonly body: Node }
  | {
      readonly type: 'apply'
      readonly target: Node
      readonly positional: readonly Node[]
      readonly named: readonly Bind[]
      readonly tailstrict: boolean
    }
  | { readonly type: 'index'; readonly target: Node; readonly key: Node }
  | { readonly type: 'slice'; readonly target: Node; readonly bounds: readonly (Node | undefined)[] }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'self' }
  | { readonly type: 'dollar' }
  | { readonly type: 'super-index'; readonly key: Node }
  | { readonly type: 'in-super'; readonly key: Node }
  | { readonly type: 'error'; readonly message: Node }
  | { readonly type: 'assert'; readonly condition: Node; readonly message: Node | undefined; readonly rest: Node }
  | { readonly type: 'import'; readonly way: ImportWay; readonly path: string }

export type Node = Expression & { readonly place: Place }
export type NodeOf<Type extends Expression['type']> = Extract<Node, { readonly type: Type }>

/** A node from where `begin` is to the end of another. */
export const spanning = <Part extends Expression>(
  begin: { readonly begin: number },
  end: Node,
  part: Part,
): Part & { readonly place: Node['place'] } => ({
  ...part,
  place: { source: end.place.source, begin: begin.begin, end: end.place.end },
})
