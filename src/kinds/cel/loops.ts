// How deep an expression goes through lists inside of lists: with the length of the lists this is what it costs. Pure.

const macros: ReadonlySet<unknown> = new Set([
  'all',
  'exists',
  'exists_one',
  'existsOne',
  'map',
  'filter',
  'transformList',
])

/** `node` is a part of a parsed expression: `{op, args}`, a list of such, or a plain value. */
export function loopDepth(node: unknown): number {
  if (Array.isArray(node)) return Math.max(0, ...node.map(loopDepth))
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return 0
  const args: readonly unknown[] = Array.isArray(node.args) ? node.args : []
  if (node.op !== 'rcall' || !macros.has(args[0])) return loopDepth(node.args)
  // What it goes through is worked out once, what it asks of each element again and again.
  const [, receiver, inner] = args
  return Math.max(loopDepth(receiver), 1 + loopDepth(inner))
}
