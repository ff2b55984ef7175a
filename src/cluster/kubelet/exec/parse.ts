// The text of a shell, read: pipes, lists (; && ||), redirections, loops and branches. What goes beyond that (functions,
// subshells, jobs) is refused by name, never guessed.

import { SyntaxFault, type Token, tokensOf, type Word } from './words.ts'

export interface Redirection {
  readonly fd: 0 | 1 | 2
  readonly how: 'read' | 'write' | 'append' | 'copy'
  readonly to: Word
}

export interface Simple {
  readonly kind: 'simple'
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
}

export type List = readonly Pipeline[]

export type Command =
  | Simple
  | { readonly kind: 'while'; readonly until: boolean; readonly condition: List; readonly body: List }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[]; readonly body: List }
  | { readonly kind: 'if'; readonly condition: List; readonly then: List; readonly otherwise: List }
  | { readonly kind: 'group'; readonly body: List }

export interface Pipeline {
  readonly commands: readonly Command[]
  /** When it is run: always, or by how the one before ended. */
  readonly when: 'always' | 'success' | 'failure'
  readonly negated: boolean
}

/** Words that mean something where a command begins. */
const keywords = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'function', '{', '}'],
])
/** How deep loops and branches may stand in one another. */
const mostDepth = 50

export function parse(text: string): List {
  const reader = new Reader(tokensOf(text))
  const list = reader.list()
  reader.expectEnd()
  return list
}

const unexpected = (token: string): SyntaxFault =>
  new SyntaxFault(`syntax error: unexpected "${token === '\n' ? 'newline' : token}"`)
const unsupported = (what: string): SyntaxFault =>
  new SyntaxFault(`"${what}" is more than the shell of a simulated container knows`)
const unended = (): SyntaxFault => new SyntaxFault('syntax error: unexpected end of file')

/** What a word says by itself: without quotes and expansions. */
export const plainText = (word: Word): string | undefined => {
  const [only, second] = word
  return only?.kind === 'text' && !only.quoted && second === undefined ? only.text : undefined
}

class Reader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Everything up to a keyword that ends it. */
  list(): List {
    this.#depth += 1
    if (this.#depth > mostDepth) throw unsupported('so much within one another')
    const pipelines: Pipeline[] = []
    let when: Pipeline['when'] = 'always'
    for (;;) {
      this.#skipLines(when)
      if (this.#isListEnd()) break
      pipelines.push({ ...this.#pipeline(), when })
      const sign = this.#operator()
      when = sign === '&&' ? 'success' : sign === '||' ? 'failure' : 'always'
      if (sign === '&') throw unsupported('&')
      if (sign === undefined || !['&&', '||', ';', '\n'].includes(sign)) break
      this.#at += 1
    }
    if (when !== 'always') throw this.#fault()
    this.#depth -= 1
    return pipelines
  }

  expectEnd(): void {
    const token = this.#tokens[this.#at]
    if (token !== undefined) throw this.#fault()
  }

  /** Line ends mean nothing where a command may begin; a `;` there is a fault. */
  #skipLines(when: Pipeline['when']): void {
    while (this.#operator() === '\n') this.#at += 1
    if (this.#operator() !== undefined && when !== 'always') throw this.#fault()
  }

  #operator(): string | undefined {
    const token = this.#tokens[this.#at]
    return token?.type === 'operator' ? token.text : undefined
  }

  #word(): string | undefined {
    const token = this.#tokens[this.#at]
    return token?.type === 'word' ? plainText(token.word) : undefined
  }

  #isListEnd(): boolean {
    if (this.#tokens[this.#at] === undefined) return true
    return ['then', 'elif', 'else', 'fi', 'do', 'done', '}', 'esac'].includes(this.#word() ?? '')
  }

  #fault(): SyntaxFault {
    const token = this.#tokens[this.#at]
    if (token === undefined) return unended()
    if (token.type === 'word') return unexpected(plainText(token.word) ?? 'word')
    return token.text === '(' ? unsupported('(') : unexpected(token.text)
  }

  #pipeline(): Omit<Pipeline, 'when'> {
    const negated = this.#word() === '!'
    if (negated) this.#at += 1
    const commands: Command[] = [this.#command()]
    while (this.#operator() === '|') {
      this.#at += 1
      while (this.#operator() === '\n') this.#at += 1
      commands.push(this.#command())
    }
    return { commands, negated }
  }

  #command(): Command {
    const keyword = this.#word()
    if (keyword === undefined || !keywords.has(keyword)) return this.#simple()
    this.#at += 1
    if (keyword === 'while' || keyword === 'until') {
      const condition = this.#listTo('do')
      return this.#bare({ kind: 'while', until: keyword === 'until', condition, body: this.#listTo('done') })
    }
    if (keyword === 'for') return this.#bare(this.#each())
    if (keyword === 'if') return this.#bare(this.#branch())
    if (keyword === '{') return this.#bare({ kind: 'group', body: this.#listTo('}') })
    throw ['case', 'function'].includes(keyword) ? unsupported(keyword) : unexpected(keyword)
  }

  /** Redirections of loops and branches are not known. */
  #bare(command: Command): Command {
    if (redirectionAt(this.#tokens, this.#at) !== undefined) throw unsupported(this.#operator() ?? '>')
    return command
  }

  /** A list that may not be empty, and the keyword after it. */
  #listTo(keyword: string): List {
    const list = this.list()
    if (list.length === 0 || this.#word() !== keyword) throw this.#fault()
    this.#at += 1
    return list
  }

  #branch(): Command {
    const condition = this.#listTo('then')
    const then = this.list()
    const next = this.#word()
    if (then.length === 0 || next === undefined) throw this.#fault()
    this.#at += 1
    if (next === 'fi') return { kind: 'if', condition, then, otherwise: [] }
    if (next === 'else') return { kind: 'if', condition, then, otherwise: this.#listTo('fi') }
    if (next !== 'elif') throw unexpected(next)
    const inner: Pipeline = { commands: [this.#branch()], when: 'always', negated: false }
    return { kind: 'if', condition, then, otherwise: [inner] }
  }

  #each(): Command {
    const name = this.#word() ?? ''
    if (!/^[A-Za-z_]\w*$/.test(name)) throw this.#fault()
    this.#at += 1
    if (this.#word() !== 'in') throw unsupported('for without in')
    this.#at += 1
    const words: Word[] = []
    for (let token = this.#tokens[this.#at]; token?.type === 'word'; token = this.#tokens[this.#at]) {
      words.push(token.word)
      this.#at += 1
    }
    if (this.#operator() !== ';' && this.#operator() !== '\n') throw this.#fault()
    this.#at += 1
    while (this.#operator() === '\n') this.#at += 1
    if (this.#word() !== 'do') throw this.#fault()
    this.#at += 1
    return { kind: 'for', name, words, body: this.#listTo('done') }
  }

  #simple(): Simple {
    const words: Word[] = []
    const redirections: Redirection[] = []
    for (;;) {
      const token = this.#tokens[this.#at]
      const redirection = redirectionAt(this.#tokens, this.#at)
      if (redirection !== undefined) {
        redirections.push(redirection)
        this.#at += 2
      } else if (token?.type === 'word') {
        words.push(token.word)
        this.#at += 1
      } else break
    }
    if (words.length === 0 && redirections.length === 0) throw this.#fault()
    return { kind: 'simple', words, redirections }
  }
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
