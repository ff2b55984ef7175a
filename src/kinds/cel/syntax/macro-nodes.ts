// The nodes that macros are made of.

import type { Comprehension, Node } from './tree.ts'

/** No name of an expression can be this one. */
export const gathered = '@result'

/** Makes nodes where the macro is called. */
export class Writer {
  readonly at: number
  constructor(at: number) {
    this.at = at
  }

  literal(value: boolean | bigint): Node {
    return { kind: 'literal', at: this.at, value }
  }

  ident(name: string): Node {
    return { kind: 'ident', at: this.at, name }
  }

  call(name: string, ...args: Node[]): Node {
    return { kind: 'call', at: this.at, name, args }
  }

  on(target: Node, name: string): Node {
    return { kind: 'call', at: this.at, name, target, args: [] }
  }

  list(...elements: Node[]): Node {
    return { kind: 'list', at: this.at, elements: elements.map((value) => ({ value, isOptional: false })) }
  }

  map(): Node {
    return { kind: 'map', at: this.at, entries: [] }
  }

  fold(parts: Omit<Comprehension, 'kind' | 'at' | 'gathered'>): Node {
    return { kind: 'comprehension', at: this.at, gathered, ...parts }
  }
}
