// From the text of an expression to its tree, or to all that is wrong with the text.

import { buildTree } from './build.ts'
import type { Fault } from './fault.ts'
import type { MacroName } from './macros.ts'
import { tokensOf } from './tokens.ts'
import type { Node } from './tree.ts'
import { readExpression } from './walk.ts'

const none: ReadonlySet<MacroName> = new Set()
const maxLetters = 100_000

export type Parsed =
  | { readonly ok: true; readonly tree: Node }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** `macros` are those that not every expression has. */
export function parseCel(expression: string, macros: ReadonlySet<MacroName> = none): Parsed {
  const faults: Fault[] = []
  if (expression.length > maxLetters) {
    const text = `expression code point size exceeds limit: size: ${expression.length}, limit ${maxLetters}`
    return { ok: false, faults: [{ at: undefined, text }] }
  }
  const read = readExpression(tokensOf(expression, faults), expression, faults)
  const tree = read && buildTree(read, { faults, macros })
  return tree === undefined || faults.length > 0 ? { ok: false, faults } : { ok: true, tree }
}
