// What the checker has found out of an expression so far: types, what names and calls mean, and all that is wrong.

import type { Fault } from '../syntax/fault.ts'
import type { Node } from '../syntax/tree.ts'
import type { Overload } from './functions.ts'
import { type CelType, formatType, scalar } from './type.ts'

export interface Checked {
  readonly faults: readonly Fault[]
  readonly type: CelType
  readonly types: ReadonlyMap<Node, CelType>
  /** Of calls: which ways the function has for what it is given. */
  readonly overloads: ReadonlyMap<Node, readonly Overload[]>
  /** Nodes that are names of variables or functions, dots and all. */
  readonly names: ReadonlyMap<Node, string>
}

/** Of what is wrong. */
export const errorType = scalar('error')

export class Findings {
  readonly types = new Map<Node, CelType>()
  readonly overloads = new Map<Node, readonly Overload[]>()
  readonly names = new Map<Node, string>()
  readonly #faults: Fault[] = []

  fault({ at }: { readonly at: number }, text: string): void {
    this.#faults.push({ at, text })
  }

  undeclared(node: Node, name: string): CelType {
    this.fault(node, `undeclared reference to '${name}' (in container '')`)
    return errorType
  }

  typeOf(node: Node): CelType {
    return this.types.get(node) ?? errorType
  }

  /** With every type as it is known at the end. */
  made(tree: Node, resolve: (type: CelType) => CelType): Checked {
    for (const [node, type] of this.types) this.types.set(node, resolve(type))
    const { types, overloads, names } = this
    return { faults: this.#faults, type: this.typeOf(tree), types, overloads, names }
  }
}

export const mismatch = (wanted: CelType, found: CelType): string =>
  `expected type '${formatType(wanted)}' but found '${formatType(found)}'`
