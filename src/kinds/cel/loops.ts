// How deep an expression goes through lists inside of lists: with the length of the lists this is what it costs. Pure.

import { type Node, partsOf } from './syntax/tree.ts'

export function loopDepth(node: Node): number {
  if (node.kind !== 'comprehension') return Math.max(0, ...partsOf(node).map(loopDepth))
  const { range, begin, condition, step, result } = node
  // A loop over nothing gives a value a name.
  const round = range.kind === 'list' && range.elements.length === 0 ? 0 : 1
  // What it goes through is worked out once, what it asks of each element again and again.
  const once = [range, begin, result].map(loopDepth)
  return Math.max(...once, round + Math.max(loopDepth(condition), loopDepth(step)))
}
