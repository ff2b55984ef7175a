// Patterns of schemas are Go regular expressions (RE2), which are not JavaScript's: they run in linear time, whatever a
// definition asks for.

import { RE2JS } from 're2js'

const compiled = new Map<string, RE2JS | undefined>()
/** Patterns kept compiled: those of a few dozen definitions. */
const maxCompiled = 2000

function compile(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern)
  let made: RE2JS | undefined
  try {
    made = RE2JS.compile(pattern)
  } catch {
    made = undefined
  }
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(pattern, made)
  return made
}

/** Whether the pattern is found anywhere in the text. A pattern that is none matches nothing. */
export const matchesPattern = (pattern: string, text: string): boolean =>
  compile(pattern)?.matcher(text).find() === true

export const isPattern = (pattern: string): boolean => compile(pattern) !== undefined

/** The first match of the pattern in the text; undefined when there is none. */
export function findMatch(pattern: string, text: string): string | undefined {
  const [first] = findAllMatches(pattern, text)
  return first
}

export function* findAllMatches(pattern: string, text: string): Generator<string> {
  const matcher = compile(pattern)?.matcher(text)
  while (matcher?.find() === true) yield matcher.group() ?? ''
}
