// Where the language library differs from cel-go and offers no way in, the tree of an expression is mended before it is
// checked: `has(a.b)` takes any value, such as `has(self.list[0].field)`, not only chains of names that begin with a
// variable; `matches` takes RE2's expressions.

import type { ASTNode } from '@marcbachmann/cel-js'

interface Macro {
  readonly args: readonly ASTNode[]
  typeCheck: (checker: Checker, macro: Macro, context: unknown) => unknown
  evaluate: (evaluator: Evaluator, macro: Macro, context: unknown) => unknown
}

interface Checker {
  check(node: unknown, context: unknown): unknown
  getType(name: string): unknown
}

interface Evaluator {
  run(node: unknown, context: unknown): unknown
  debugType(value: unknown): {
    fieldLazy(value: unknown, field: unknown, node: unknown, evaluator: unknown): unknown
  }
}

interface Node {
  readonly op: string
  readonly args: unknown
  readonly meta?: { readonly macro?: Macro }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value

/** The name under which the library has `matches` of RE2. */
export const re2Matches = 'matchesRe2'

/** Gathers the names that the expression uses. */
export function mend(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) mend(element, names)
    return
  }
  if (!isNode(value)) return
  const { op, args, meta } = value
  if (op === 'call' && Array.isArray(args) && args[0] === 'has' && meta?.macro !== undefined) widen(meta.macro)
  if (op === 'rcall' && Array.isArray(args) && args[0] === 'matches') args[0] = re2Matches
  if (op === 'id') names.add(String(args))
  if (op !== 'value') mend(args, names)
}

/** Only where the library would refuse: its own way knows optional fields on the way. */
function widen(macro: Macro): void {
  const [selection] = macro.args as readonly unknown[]
  if (!isNode(selection) || selection.op !== '.') return
  const [operand, field] = selection.args as readonly [Node, unknown]
  if (startsWithName(operand)) return
  macro.typeCheck = (checker, _macro, context) => {
    checker.check(operand, context)
    return checker.getType('bool')
  }
  macro.evaluate = (evaluator, _macro, context) => {
    const found = evaluator.run(operand, context)
    return evaluator.debugType(found).fieldLazy(found, field, selection, evaluator) !== undefined
  }
}

function startsWithName({ op, args }: Node): boolean {
  if (op === 'id') return true
  const [inner] = (op === '.' || op === '.?' ? args : []) as readonly Node[]
  return inner !== undefined && startsWithName(inner)
}
