// YAML text as the documents of the yaml package, after a look at how deep it is nested: the package builds documents by
// recursion, while its parser keeps a stack of its own and can be asked first.

import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from 'yaml'
import { maxNesting } from '../nesting.ts'
import { SyntaxFault } from './parsed.ts'

export type YamlOptions = ConstructorParameters<typeof Composer>[0] & { readonly lineCounter?: LineCounter }

/** All documents of a stream, faulty ones with their errors. Throws a SyntaxFault for what is nested too deeply. */
export function composeYaml(text: string, options: YamlOptions): readonly Document.Parsed[] {
  const tokens = [...parserFor(options).parse(text)]
  for (const token of tokens) if (isDeep(token)) throw new SyntaxFault('yaml: exceeded max depth')
  return [...new Composer(options).compose(tokens, true, text.length)]
}

/** What is used of a lexer beside what it declares. */
interface QuotingLexer {
  /** How far what belongs to the current node must be indented at least. */
  indentNext: number
  parseQuotedScalar(): Generator<string, unknown>
}

/**
 * A quoted scalar may go on in lines that are indented as little as its key, or less: go-yaml asks for nothing but that no line
 * divides documents, where the package asks for what YAML's specification says.
 */
function parserFor({ lineCounter }: YamlOptions): Parser {
  const parser = new Parser(lineCounter?.addNewLine)
  const lexer = new Lexer()
  const inner = lexer as unknown as QuotingLexer
  const strict = inner.parseQuotedScalar
  inner.parseQuotedScalar = function* () {
    const indent = inner.indentNext
    inner.indentNext = 0
    try {
      return yield* strict.call(inner)
    } finally {
      inner.indentNext = indent
    }
  }
  Object.assign(parser, { lexer })
  return parser
}

function isDeep(token: CST.Token): boolean {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token: current, depth } = next
    if (current.type === 'document') {
      if (current.value !== undefined) open.push({ token: current.value, depth })
      continue
    }
    if (!('items' in current)) continue
    if (depth >= maxNesting) return true
    for (const { key, value } of current.items as readonly CST.CollectionItem[]) {
      if (key) open.push({ token: key, depth: depth + 1 })
      if (value) open.push({ token: value, depth: depth + 1 })
    }
  }
  return false
}
