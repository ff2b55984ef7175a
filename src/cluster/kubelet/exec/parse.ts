// A line of shell, read: words with their quotes and variables, pipes, lists (; && ||) and redirections. What goes beyond
// that (loops, branches, functions) is refused by name, never guessed.

export type Segment =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: string; readonly quoted: boolean }
  | { readonly kind: 'command'; readonly text: string; readonly quoted: boolean }

export type Word = readonly Segment[]

export interface Redirection {
  readonly fd: 0 | 1 | 2
  readonly how: 'read' | 'write' | 'append' | 'copy'
  readonly to: Word
}

export interface Simple {
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
}

export interface Pipeline {
  readonly commands: readonly Simple[]
  /** When it is run: always, or by how the one before ended. */
  readonly when: 'always' | 'success' | 'failure'
  readonly negated: boolean
}

export class SyntaxFault extends Error {}

type Token = { readonly type: 'word'; readonly word: Word } | { readonly type: 'operator'; readonly text: string }

const operators = ['&&', '||', '>>', ';;', '&', '|', ';', '\n', '<', '>', '(', ')']
const keywords = new Set([
  'if',
  'then',
  'else',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'function',
  '{',
  '}',
])

export function parse(text: string): readonly Pipeline[] {
  const pipelines: Pipeline[] = []
  let when: Pipeline['when'] = 'always'
  let negated = false
  let commands: Simple[] = []
  let words: Word[] = []
  let redirections: Redirection[] = []
  const tokens = tokensOf(text)
  const endCommand = (needed: string | undefined): void => {
    if (words.length === 0 && redirections.length === 0) {
      if (needed !== undefined && (commands.length > 0 || needed === '|')) throw unexpected(needed)
      return
    }
    commands.push({ words, redirections })
    words = []
    redirections = []
  }
  const endPipeline = (next: Pipeline['when'], token: string): void => {
    endCommand(token)
    if (commands.length === 0 && (next !== 'always' || token === ';')) throw unexpected(token)
    if (commands.length > 0) pipelines.push({ commands, when, negated })
    commands = []
    negated = false
    when = next
  }
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token
    if (token.type === 'word') {
      const plain = plainText(token.word)
      if (words.length === 0 && plain === '!') negated = true
      else if (words.length === 0 && plain !== undefined && keywords.has(plain)) throw unsupported(plain)
      else words.push(token.word)
      continue
    }
    const redirection = redirectionAt(tokens, at)
    if (redirection !== undefined) {
      redirections.push(redirection)
      at += 1
    } else if (token.text === '|') endCommand('|')
    else if (token.text === '&&') endPipeline('success', '&&')
    else if (token.text === '||') endPipeline('failure', '||')
    else if (token.text === ';' || token.text === '\n') endPipeline('always', token.text)
    else if (token.text === '&') throw unsupported('&')
    else throw unsupported(token.text)
  }
  if (when !== 'always' && words.length === 0 && commands.length === 0) throw new SyntaxFault('unexpected end of file')
  endPipeline('always', '\n')
  return pipelines
}

const unexpected = (token: string): SyntaxFault =>
  new SyntaxFault(`syntax error: unexpected "${token === '\n' ? 'newline' : token}"`)
const unsupported = (what: string): SyntaxFault =>
  new SyntaxFault(`"${what}" is more than the shell of a simulated container knows`)

/** What a word says by itself: without quotes and expansions. */
export const plainText = (word: Word): string | undefined => {
  const [only, second] = word
  return only?.kind === 'text' && !only.quoted && second === undefined ? only.text : undefined
}

function redirectionAt(tokens: readonly Token[], at: number): Redirection | undefined {
  const token = tokens[at]
  const match = token?.type === 'operator' ? /^([012]?)(>>|>&|>|<)$/.exec(token.text) : null
  if (match === null) return undefined
  const target = tokens[at + 1]
  if (target?.type !== 'word') throw unexpected(target?.type === 'operator' ? target.text : '\n')
  const [, number, sign] = match
  const fd = (number === '' ? (sign === '<' ? 0 : 1) : Number(number)) as 0 | 1 | 2
  const how = sign === '<' ? 'read' : sign === '>>' ? 'append' : sign === '>&' ? 'copy' : 'write'
  return { fd, how, to: target.word }
}

function tokensOf(text: string): readonly Token[] {
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
  if (rest.startsWith('$(') && !rest.startsWith('$((')) {
    let depth = 0
    for (let end = 1; end < rest.length; end += 1) {
      if (rest[end] === '(') depth += 1
      if (rest[end] === ')') depth -= 1
      if (depth === 0) return { segment: { kind: 'command', text: rest.slice(2, end), quoted }, length: end + 1 }
    }
    throw new SyntaxFault('syntax error: unterminated "$("')
  }
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
