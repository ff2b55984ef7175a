// The words and signs of a shell's text: quotes, variables, commands and sums within words.

export type Segment =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: string; readonly quoted: boolean }
  | { readonly kind: 'command' | 'sum'; readonly text: string; readonly quoted: boolean }

export type Word = readonly Segment[]

export class SyntaxFault extends Error {}

export type Token =
  | { readonly type: 'word'; readonly word: Word }
  | { readonly type: 'operator'; readonly text: string }

const operators = ['&&', '||', '>>', ';;', '&', '|', ';', '\n', '<', '>', '(', ')']

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const rest = text.slice(at)
    const blank = /^(?:[ \t\r]+|\\\n)/.exec(rest)
    if (blank !== null) {
      at += blank[0].length
      continue
    }
    if (rest.startsWith('#')) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
      continue
    }
    const redirection = /^[012]?(?:>>|>&|>|<)/.exec(rest)
    const operator = redirection?.[0] ?? operators.find((one) => rest.startsWith(one))
    if (operator !== undefined) {
      tokens.push({ type: 'operator', text: operator })
      at += operator.length
      continue
    }
    const { word, length } = wordAt(text, at)
    tokens.push({ type: 'word', word })
    at += length
  }
  return tokens
}

function wordAt(text: string, start: number): { readonly word: Word; readonly length: number } {
  const word: Segment[] = []
  let at = start
  let quoted = false
  let plain = ''
  const flush = (): void => {
    if (plain !== '') word.push({ kind: 'text', text: plain, quoted })
    plain = ''
  }
  for (; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '\\') {
      const next = text[at + 1] ?? ''
      at += 1
      if (quoted && !/[$`"\\\n]/.test(next)) plain += `\\${next}`
      else if (next !== '\n') {
        flush()
        word.push({ kind: 'text', text: next, quoted: true })
      }
    } else if (char === '"') {
      flush()
      if (!quoted) word.push({ kind: 'text', text: '', quoted: true })
      quoted = !quoted
    } else if (char === "'" && !quoted) {
      flush()
      const end = text.indexOf("'", at + 1)
      if (end < 0) throw new SyntaxFault('syntax error: unterminated quoted string')
      word.push({ kind: 'text', text: text.slice(at + 1, end), quoted: true })
      at = end
    } else if (char === '$' || char === '`') {
      const found = expansionAt(text, at, quoted)
      if (found === undefined) plain += char
      else {
        flush()
        word.push(found.segment)
        at += found.length - 1
      }
    } else if (!quoted && /[\s;&|<>()]/.test(char)) break
    else plain += char
  }
  if (quoted) throw new SyntaxFault('syntax error: unterminated quoted string')
  flush()
  return { word, length: at - start }
}

function expansionAt(
  text: string,
  at: number,
  quoted: boolean,
): { readonly segment: Segment; readonly length: number } | undefined {
  const rest = text.slice(at)
  const ticks = /^`([^`]*)`/.exec(rest)
  if (ticks !== null) return { segment: { kind: 'command', text: ticks[1] ?? '', quoted }, length: ticks[0].length }
  if (rest.startsWith('$(')) return bracketAt(rest, quoted)
  const name = /^\$(?:\{([A-Za-z_]\w*|[?$#0-9])(?::?-([^}]*))?\}|([A-Za-z_]\w*|[?$#0-9]))/.exec(rest)
  if (name === null) return undefined
  const segment: Segment = {
    kind: 'variable',
    name: name[1] ?? name[3] ?? '',
    quoted,
    ...(name[2] === undefined ? {} : { fallback: name[2] }),
  }
  return { segment, length: name[0].length }
}

/** `$(command)`, or `$((sum))`. */
function bracketAt(text: string, quoted: boolean): { readonly segment: Segment; readonly length: number } {
  let depth = 0
  for (let end = 1; end < text.length; end += 1) {
    if (text[end] === '(') depth += 1
    if (text[end] === ')') depth -= 1
    if (depth > 0) continue
    const inner = text.slice(2, end)
    const isSum = inner.startsWith('(') && inner.endsWith(')')
    const segment: Segment = isSum
      ? { kind: 'sum', text: inner.slice(1, -1), quoted }
      : { kind: 'command', text: inner, quoted }
    return { segment, length: end + 1 }
  }
  throw new SyntaxFault('syntax error: unterminated "$("')
}
