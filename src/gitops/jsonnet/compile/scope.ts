// Variables while a program is compiled: each name is found once, as so many environments up and a slot in that one.

import type { Frame } from '../fault.ts'
import type { Node } from '../syntax/nodes.ts'
import type { Place, SourceText } from '../syntax/source-text.ts'
import type { Value } from '../values/value.ts'
import type { Code, TailCode } from './environment.ts'

export interface Variable {
  readonly up: number
  readonly slot: number
}

export class Scope {
  readonly #parent: Scope | undefined
  readonly #slots: ReadonlyMap<string, number>
  readonly isInObject: boolean

  constructor(names: readonly string[], parent?: Scope, isObject = false) {
    this.#parent = parent
    this.#slots = new Map(names.map((name, slot) => [name, slot]))
    this.isInObject = isObject || parent?.isInObject === true
  }

  find(name: string): Variable | undefined {
    let up = 0
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const slot = scope.#slots.get(name)
      if (slot !== undefined) return { up, slot }
      up++
    }
    return undefined
  }
}

/** How whole expressions are compiled, for the parts that have some inside of them. */
export interface Compiler {
  readonly code: (node: Node, site: Site) => Code
  /** The last expression of a function, which may be left for another function. */
  readonly tail: (node: Node, site: Site) => TailCode
}

/** Where an expression stands. */
export interface Site {
  readonly compiler: Compiler
  readonly scope: Scope
  readonly source: SourceText
  /** What is worked out here, for messages. */
  readonly context: string
  /** The value of an import. Throws JsonnetFault. */
  readonly load: (node: Extract<Node, { readonly type: 'import' }>, from: SourceText) => Value
}

export const within = (site: Site, scope: Scope, context = site.context): Site => ({ ...site, scope, context })

export const frameAt = (place: Place, { context }: Site): Frame => ({ place, context })
