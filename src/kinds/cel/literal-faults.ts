// Texts in an expression that can be seen to be wrong before it is evaluated: durations, instants and regular expressions
// (cel-go's validators).

import { patternFault } from '../customresource/pattern.ts'
import type { Fault } from './syntax/fault.ts'
import { type Call, type Node, partsOf } from './syntax/tree.ts'
import { parseDuration, parseTimestamp } from './values/time.ts'

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: (text) => patternFault(text) === undefined,
}

export function literalFaults(tree: Node): readonly Fault[] {
  const faults: Fault[] = []
  const visit = (node: Node): void => {
    if (node.kind === 'call') checkCall(node, faults)
    for (const part of partsOf(node)) visit(part)
  }
  visit(tree)
  return faults
}

function checkCall({ name, args, target }: Call, faults: Fault[]): void {
  const holds = Object.hasOwn(checks, name) ? checks[name] : undefined
  const [first, second] = args
  const literal = name === 'matches' && target === undefined ? second : first
  if (holds === undefined || literal?.kind !== 'literal' || typeof literal.value !== 'string') return
  if (!holds(literal.value)) faults.push({ at: literal.at, text: `invalid ${name} argument` })
}
