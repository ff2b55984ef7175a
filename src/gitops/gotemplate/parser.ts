// Pieces to a tree. Blocks nest as their `end`s say.

import { TemplateFault } from './fault.ts'
import { lex, type Piece, type Token } from './lexer.ts'
import type { Command, Node, PathStart, Pipe, Template, Term } from './syntax.ts'

export function parseTemplate(text: string): Template {
  const parser = new Parser(lex(text))
  const body = parser.block(0).nodes
  return { body, named: parser.named }
}

interface Block {
  readonly nodes: readonly Node[]
  /** What ended it: `end`, `else` with its tokens, or the end of the template. */
  readonly end: { readonly word: 'end' | 'else' | 'eof'; readonly tokens: readonly Token[] }
}

const maxDepth = 100

class Parser {
  readonly named = new Map<string, readonly Node[]>()
  readonly #pieces: readonly Piece[]
  #at = 0

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  block(depth: number): Block {
    if (depth > maxDepth) throw new TemplateFault('the template is nested too deeply')
    const nodes: Node[] = []
    for (;;) {
      const piece = this.#pieces[this.#at++]
      if (piece === undefined) {
        if (depth > 0) throw new TemplateFault('unexpected EOF: an {{end}} is missing')
        return { nodes, end: { word: 'eof', tokens: [] } }
      }
      if (piece.type === 'text') {
        nodes.push(piece)
        continue
      }
      const [first, ...rest] = piece.tokens
      const word = first?.type === 'word' ? first.text : ''
      if (word === 'end' || word === 'else') {
        if (depth === 0) throw new TemplateFault(`unexpected {{${word}}}`)
        return { nodes, end: { word, tokens: rest } }
      }
      const node = this.#node(word, { tokens: piece.tokens, rest, depth })
      if (node !== undefined) nodes.push(node)
    }
  }

  #node(
    word: string,
    at: { readonly tokens: readonly Token[]; readonly rest: readonly Token[]; readonly depth: number },
  ): Node | undefined {
    const { tokens, rest, depth } = at
    if (word === 'if' || word === 'with' || word === 'range') return this.#control(word, rest, depth)
    if (word === 'break' || word === 'continue') return { type: word }
    if (word === 'template')
      return { type: 'template', name: nameIn(rest), pipe: rest.length > 1 ? parsePipe(rest.slice(1)) : undefined }
    if (word === 'define' || word === 'block') {
      const name = nameIn(rest)
      this.named.set(name, this.block(depth + 1).nodes)
      return word === 'define' ? undefined : { type: 'template', name, pipe: parsePipe(rest.slice(1)) }
    }
    if (tokens.length === 0) throw new TemplateFault('missing value for command')
    return { type: 'print', pipe: parsePipe(tokens) }
  }

  #control(type: 'if' | 'with' | 'range', tokens: readonly Token[], depth: number): Node {
    const pipe = parsePipe(tokens)
    const { nodes, end } = this.block(depth + 1)
    if (end.word !== 'else') return { type, pipe, body: nodes, otherwise: [] }
    const [next, ...rest] = end.tokens
    if (next?.type === 'word' && (next.text === 'if' || next.text === 'with'))
      return { type, pipe, body: nodes, otherwise: [this.#control(next.text, rest, depth + 1)] }
    const otherwise = this.block(depth + 1)
    if (otherwise.end.word === 'else') throw new TemplateFault('unexpected {{else}}')
    return { type, pipe, body: nodes, otherwise: otherwise.nodes }
  }
}

function nameIn([first]: readonly Token[]): string {
  if (first?.type === 'string') return first.value
  throw new TemplateFault('the name of a template must be a quoted text')
}

const isMark = (token: Token | undefined, text: string): boolean => token?.type === 'mark' && token.text === text

function parsePipe(tokens: readonly Token[]): Pipe {
  const sign = tokens.findIndex((token) => isMark(token, ':=') || isMark(token, '='))
  const variables =
    sign < 0 ? [] : tokens.slice(0, sign).flatMap((token) => (token.type === 'variable' ? [token.name] : []))
  const commands = splitAt(tokens.slice(sign + 1), '|').map((part): Command => ({ terms: parseTerms(part) }))
  if (commands.some(({ terms }) => terms.length === 0)) throw new TemplateFault('missing value for command')
  return { variables, assigns: sign >= 0 && isMark(tokens[sign], '='), commands }
}

/** Parts between marks that are not inside of parentheses. */
function splitAt(tokens: readonly Token[], text: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (isMark(token, '(')) depth++
    if (isMark(token, ')')) depth--
    if (depth === 0 && isMark(token, text)) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

function parseTerms(tokens: readonly Token[]): readonly Term[] {
  const terms: Term[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (token === undefined) break
    if (isMark(token, '(')) {
      const close = closing(tokens, index)
      const start: PathStart = { type: 'pipe', pipe: parsePipe(tokens.slice(index + 1, close)) }
      index = close
      index += takeFields(terms, start, tokens[index + 1])
    } else if (token.type === 'variable') {
      index += takeFields(terms, { type: 'variable', name: token.name }, tokens[index + 1])
    } else terms.push(termOf(token))
  }
  return terms
}

/** `(…).a` and `$x.a`: fields that are joined to what stands before them. Answers how many tokens were taken. */
function takeFields(terms: Term[], from: PathStart, next: Token | undefined): number {
  const isJoined = next?.type === 'field' && next.joined
  terms.push({ type: 'path', from, names: isJoined ? next.names : [] })
  return isJoined ? 1 : 0
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index++) {
    if (isMark(tokens[index], '(')) depth++
    if (isMark(tokens[index], ')') && --depth === 0) return index
  }
  throw new TemplateFault('unclosed left paren')
}

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
])

function termOf(token: Token): Term {
  if (token.type === 'string' || token.type === 'number') return { type: 'literal', value: token.value }
  if (token.type === 'field') return { type: 'path', from: { type: 'dot' }, names: token.names }
  if (token.type === 'word') {
    const constant = constants.get(token.text)
    return constant === undefined ? { type: 'function', name: token.text } : { type: 'literal', value: constant }
  }
  throw new TemplateFault(`unexpected ${token.type === 'mark' ? JSON.stringify(token.text) : token.type} in operand`)
}
