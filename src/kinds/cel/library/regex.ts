// What a regular expression (RE2's) finds in a text (k8s.io/apiserver/pkg/cel/library/regex.go).

import { findAllMatches, patternFault } from '../../customresource/pattern.ts'
import type { Functions } from '../types/functions.ts'

function findAll(text: string, pattern: string, count: bigint): readonly string[] {
  const fault = patternFault(pattern)
  if (fault !== undefined) throw new Error(`Illegal regex: ${fault}`)
  const found: string[] = []
  for (const match of findAllMatches(pattern, text)) {
    if (count >= 0n && BigInt(found.length) >= count) break
    found.push(match)
  }
  return found
}

export function addRegex(functions: Functions): void {
  functions.declare('find', 'string.(string) -> string', (text: string, pattern: string) => {
    return findAll(text, pattern, 1n)[0] ?? ''
  })
  functions.declare('findAll', 'string.(string) -> list(string)', (text: string, pattern: string) =>
    findAll(text, pattern, -1n),
  )
  functions.declare('findAll', 'string.(string, int) -> list(string)', findAll)
}
