// Globs of directory.include and directory.exclude, with the meaning of the library that Argo CD uses (gobwas, without a
// separator): `*` and `**` match across `/`, `?` is one character, `[a-z]`, `[!a]` and `{a,b}` as usual, `\` escapes.
// Matching backtracks over at most one alternative a star, so hostile patterns stay cheap.

type Token =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'one' }
  | { readonly type: 'star' }
  | { readonly type: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }

export class GlobFault extends Error {
  override readonly name = 'GlobFault'
}

const maxPatterns = 256
const maxLength = 2048

export type Glob = (path: string) => boolean

/** Throws GlobFault for what is no pattern. */
export function compileGlob(pattern: string): Glob {
  if (pattern.length > maxLength) throw new GlobFault('the pattern is too long')
  const alternatives = expandBraces(pattern).map(tokenize)
  return (path) => alternatives.some((tokens) => matches(tokens, [...path]))
}

/** `a{b,c}d` is `abd` or `acd`; braces may be nested. */
function expandBraces(pattern: string): readonly string[] {
  const open = findBare(pattern, 0, '{')
  if (open < 0) return [pattern]
  const close = matchingBrace(pattern, open)
  if (close < 0) throw new GlobFault(`${JSON.stringify(pattern)}: a brace is not closed`)
  const tails = expandBraces(pattern.slice(close + 1))
  const heads = splitAlternatives(pattern.slice(open + 1, close)).flatMap(expandBraces)
  if (heads.length * tails.length > maxPatterns) throw new GlobFault('the pattern has too many alternatives')
  return heads.flatMap((head) => tails.map((tail) => `${pattern.slice(0, open)}${head}${tail}`))
}

/** Index of an unescaped character outside of a character class; -1 when there is none. */
function findBare(pattern: string, from: number, wanted: string): number {
  for (let index = from; index < pattern.length; index++) {
    const character = pattern[index] ?? ''
    if (character === '\\') index++
    else if (wanted.includes(character)) return index
    else if (character === '[') {
      const end = pattern.indexOf(']', index + 1)
      if (end > 0) index = end
    }
  }
  return -1
}

function matchingBrace(pattern: string, open: number): number {
  let depth = 0
  for (let index = open; index >= 0; index = findBare(pattern, index + 1, '{}')) {
    depth += pattern[index] === '{' ? 1 : -1
    if (depth === 0) return index
  }
  return -1
}

function splitAlternatives(inside: string): readonly string[] {
  const parts: string[] = []
  let start = 0
  let depth = 0
  for (let index = findBare(inside, 0, '{},'); index >= 0; index = findBare(inside, index + 1, '{},')) {
    const character = inside[index]
    if (character === '{') depth++
    else if (character === '}') depth--
    else if (depth === 0) {
      parts.push(inside.slice(start, index))
      start = index + 1
    }
  }
  parts.push(inside.slice(start))
  return parts
}

function tokenize(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  const characters = [...pattern]
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? ''
    if (character === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push({ type: 'star' })
    } else if (character === '?') tokens.push({ type: 'one' })
    else if (character === '[') {
      const end = characters.indexOf(']', index + 2)
      if (end < 0) throw new GlobFault(`${JSON.stringify(pattern)}: a character class is not closed`)
      tokens.push(characterSet(characters.slice(index + 1, end)))
      index = end
    } else {
      if (character === '\\') index++
      tokens.push({ type: 'text', text: characters[index] ?? '\\' })
    }
  }
  return tokens
}

function characterSet(characters: readonly string[]): Token {
  const negated = characters[0] === '!' || characters[0] === '^'
  const body = negated ? characters.slice(1) : characters
  const ranges: (readonly [string, string])[] = []
  for (let index = 0; index < body.length; index++) {
    const from = body[index] ?? ''
    const isRange = body[index + 1] === '-' && index + 2 < body.length
    ranges.push([from, isRange ? (body[index + 2] ?? from) : from])
    if (isRange) index += 2
  }
  return { type: 'set', negated, ranges }
}

function matches(tokens: readonly Token[], path: readonly string[]): boolean {
  let token = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < path.length) {
    const current = tokens[token]
    if (current?.type === 'star') {
      star = token++
      starAt = at
    } else if (current !== undefined && matchesOne(current, path[at] ?? '')) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++starAt
    } else return false
  }
  while (tokens[token]?.type === 'star') token++
  return token === tokens.length
}

function matchesOne(token: Token, character: string): boolean {
  if (token.type === 'text') return token.text === character
  if (token.type === 'set')
    return token.negated !== token.ranges.some(([from, to]) => character >= from && character <= to)
  return token.type === 'one'
}
