// Parts that stand in lists: arrays, arguments, parameters, local variables, clauses of comprehensions.

import { type Bind, type Clause, type Node, type Parameter, spanning } from './nodes.ts'
import type { TokenStream } from './token-stream.ts'
import { type Token, tokenText } from './tokens.ts'

export function parseArray(stream: TokenStream): Node {
  const begin = stream.next()
  const elements: Node[] = []
  let isSeparated = true
  for (;;) {
    const token = stream.peek()
    if (stream.takes(']')) return { type: 'array', elements, place: stream.place(begin.begin, token.end) }
    const [body] = elements
    if (stream.sees('for') && body !== undefined && elements.length === 1) {
      const { clauses, end } = parseClauses(stream, ']')
      return { type: 'array-comprehension', body, clauses, place: stream.place(begin.begin, end.end) }
    }
    if (!isSeparated) throw stream.fault('Expected a comma before next array element', token)
    elements.push(stream.expression())
    isSeparated = stream.takes(',')
  }
}

/** `for x in a if b for y in c`, up to the word that ends the whole. */
export function parseClauses(
  stream: TokenStream,
  end: ']' | '}',
): { readonly clauses: readonly Clause[]; readonly end: Token } {
  const clauses: Clause[] = []
  for (;;) {
    const token = stream.next()
    if (token.type === 'keyword' && token.text === 'for') {
      const { text: name } = stream.expectName()
      stream.expect('in')
      clauses.push({ type: 'for', name, of: stream.expression() })
    } else if (token.type === 'keyword' && token.text === 'if' && clauses.length > 0) {
      clauses.push({ type: 'if', condition: stream.expression() })
    } else if (token.type === 'symbol' && token.text === end) return { clauses, end: token }
    else throw stream.fault(`Expected for, if or "${end}" after for clause, got: ${tokenText(token)}`, token)
  }
}

export function parseArguments(stream: TokenStream, target: Node): Node {
  stream.next()
  const positional: Node[] = []
  const named: Bind[] = []
  let isSeparated = true
  for (;;) {
    const token = stream.peek()
    if (stream.takes(')')) {
      const last = stream.peek()
      const tailstrict = stream.takes('tailstrict')
      const place = stream.place(target.place.begin, tailstrict ? last.end : token.end)
      return { type: 'apply', target, positional, named, tailstrict, place }
    }
    if (!isSeparated)
      throw stream.fault(`Expected a comma before next function argument, got ${tokenText(token)}`, token)
    if (token.type === 'name' && stream.sees('=', 1)) {
      stream.next()
      stream.next()
      named.push({ name: token.text, body: stream.expression() })
    } else if (named.length > 0) {
      throw stream.fault('Positional argument after a named argument is not allowed', token)
    } else positional.push(stream.expression())
    isSeparated = stream.takes(',')
  }
}

export function parseFunction(stream: TokenStream): Node {
  const begin = stream.next()
  const open = stream.peek()
  if (!stream.sees('(')) throw stream.fault(`Expected ( but got ${tokenText(open)}`, open)
  return parseFunctionAfter(stream, begin, 'function parameter', () => stream.expression())
}

/** Parameters in parentheses and a body; `parseBody` also takes what stands between them. */
export function parseFunctionAfter(
  stream: TokenStream,
  begin: { readonly begin: number },
  what: string,
  parseBody: () => Node,
): Node {
  const parameters = parseParameters(stream, what)
  const body = parseBody()
  return spanning(begin, body, { type: 'function', parameters, body })
}

function parseParameters(stream: TokenStream, what: string): readonly Parameter[] {
  stream.expect('(')
  const parameters: Parameter[] = []
  let isSeparated = true
  for (;;) {
    const token = stream.peek()
    if (stream.takes(')')) return parameters
    if (!isSeparated) throw stream.fault(`Expected a comma before next ${what}, got ${tokenText(token)}`, token)
    const { text: name } = stream.expectName()
    if (parameters.some((each) => each.name === name))
      throw stream.fault(`Duplicate function parameter: ${name}`, token)
    parameters.push({ name, fallback: stream.takes('=') ? stream.expression() : undefined })
    isSeparated = stream.takes(',')
  }
}

export function parseLocal(stream: TokenStream): Node {
  const begin = stream.next()
  const binds: Bind[] = []
  for (;;) {
    binds.push(parseBind(stream, binds))
    const delimiter = stream.next()
    if (delimiter.type === 'symbol' && delimiter.text === ';') break
    if (delimiter.type !== 'symbol' || delimiter.text !== ',')
      throw stream.fault(`Expected , or ; but got ${tokenText(delimiter)}`, delimiter)
  }
  const body = stream.expression()
  return spanning(begin, body, { type: 'local', binds, body })
}

/** `name = value` or `name(parameters) = body`. */
export function parseBind(stream: TokenStream, others: readonly Bind[]): Bind {
  const token = stream.expectName()
  const { text: name } = token
  if (others.some((each) => each.name === name)) throw stream.fault(`Duplicate local var: ${name}`, token)
  const parseBody = (): Node => {
    stream.expect('=')
    return stream.expression()
  }
  const body = stream.sees('(') ? parseFunctionAfter(stream, token, 'function parameter', parseBody) : parseBody()
  return { name, body }
}
