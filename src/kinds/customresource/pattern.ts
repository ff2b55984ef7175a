// Patterns of schemas are Go regular expressions (RE2), which are not JavaScript's: they run in linear time, whatever a
// definition asks for.

import { RE2JS } from 're2js'

/** What was compiled, or why it cannot be. */
const compiled = new Map<string, RE2JS | string>()
/** Patterns kept compiled: those of a few dozen definitions. */
const maxCompiled = 2000

function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  let made: RE2JS | string
  try {
    made = RE2JS.compile(pattern)
  } catch (error) {
    made = goMessage(error instanceof Error ? error.message : String(error))
  }
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(pattern, made)
  return made
}

/** Go names the part that is wrong even where that is nothing. */
const goMessage = (text: string): string => (text.endsWith('`') ? text : `${text}: \`\``)

function matcherOf(pattern: string, text: string): ReturnType<RE2JS['matcher']> | undefined {
  const made = compile(pattern)
  return typeof made === 'string' ? undefined : made.matcher(text)
}

/** Whether the pattern is found anywhere in the text. A pattern that is none matches nothing. */
export const matchesPattern = (pattern: string, text: string): boolean => matcherOf(pattern, text)?.find() === true

/** What is wrong with a pattern; undefined if nothing. */
export function patternFault(pattern: string): string | undefined {
  const made = compile(pattern)
  return typeof made === 'string' ? made : undefined
}

/** Every match of the pattern in the text, found as it is asked for. */
export function* findAllMatches(pattern: string, text: string): Generator<string> {
  const matcher = matcherOf(pattern, text)
  while (matcher?.find() === true) yield matcher.group() ?? ''
}
