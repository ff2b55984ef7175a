// Objects and object comprehensions.

import type { AssertNode, Bind, FieldNode, Node, Visibility } from './nodes.ts'
import { parseBind, parseClauses, parseFunctionAfter } from './parse-parts.ts'
import type { TokenStream } from './token-stream.ts'
import { type Token, tokenText } from './tokens.ts'

interface Members {
  readonly fields: FieldNode[]
  readonly locals: Bind[]
  readonly asserts: AssertNode[]
  /** Names that are written out: none of them comes twice. */
  readonly names: Set<string>
}

export function parseObject(stream: TokenStream): Node {
  const begin = stream.next()
  const members: Members = { fields: [], locals: [], asserts: [], names: new Set() }
  let isSeparated = true
  for (;;) {
    const token = stream.peek()
    if (stream.takes('}')) {
      const { fields, locals, asserts } = members
      return { type: 'object', fields, locals, asserts, place: stream.place(begin.begin, token.end) }
    }
    if (stream.sees('for')) return parseComprehension(stream, begin, members)
    if (!isSeparated) throw stream.fault('Expected a comma before next field', token)
    parseMember(stream, members)
    isSeparated = stream.takes(',')
  }
}

function parseMember(stream: TokenStream, { fields, locals, asserts, names }: Members): void {
  const token = stream.peek()
  if (stream.takes('local')) locals.push(parseBind(stream, locals))
  else if (stream.takes('assert')) {
    const condition = stream.expression()
    const message = stream.takes(':') ? stream.expression() : undefined
    asserts.push({ condition, message, place: stream.place(token.begin, (message ?? condition).place.end) })
  } else fields.push(parseField(stream, names))
}

const operatorOfField = /^(\+?)(:{1,3})$/
const visibilities: readonly Visibility[] = ['inherited', 'hidden', 'visible']

function parseField(stream: TokenStream, names: Set<string>): FieldNode {
  const token = stream.peek()
  const name = parseFieldName(stream)
  const isMethod = stream.sees('(')
  let extendsSuper = false
  let visibility: Visibility = 'inherited'
  const parseBody = (): Node => {
    const operator = stream.next()
    const parts = operator.type === 'operator' ? operatorOfField.exec(operator.text) : null
    if (operator.type !== 'operator')
      throw stream.fault(`Expected token OPERATOR but got ${tokenText(operator)}`, operator)
    if (parts === null) throw stream.fault(`Expected one of :, ::, :::, +:, +::, +:::, got: ${operator.text}`, operator)
    extendsSuper = parts[1] === '+'
    visibility = visibilities[(parts[2] ?? ':').length - 1] ?? 'inherited'
    if (extendsSuper && isMethod) throw stream.fault(`Cannot use +: syntax sugar in a method: ${token.text}`, token)
    if (token.type !== 'symbol' && names.has(token.text)) throw stream.fault(`Duplicate field: ${token.text}`, token)
    if (token.type !== 'symbol') names.add(token.text)
    return stream.expression()
  }
  const body = isMethod ? parseFunctionAfter(stream, token, 'method parameter', parseBody) : parseBody()
  return { name, extends: extendsSuper, visibility, body, place: stream.place(token.begin, body.place.end) }
}

function parseFieldName(stream: TokenStream): Node {
  const token = stream.next()
  if (token.type === 'name' || token.type === 'text') return stream.literal(token, token.text)
  if (token.type !== 'symbol' || token.text !== '[')
    throw stream.fault(`Unexpected: ${tokenText(token)} while parsing field definition`, token)
  const name = stream.expression()
  stream.expect(']')
  return name
}

function parseComprehension(stream: TokenStream, begin: Token, { fields, locals, asserts, names }: Members): Node {
  const token = stream.peek()
  if (asserts.length > 0) throw stream.fault('Object comprehension cannot have asserts', token)
  const [field] = fields
  if (field === undefined || fields.length > 1)
    throw stream.fault('Object comprehension can only have one field', token)
  if (field.visibility !== 'inherited') throw stream.fault('Object comprehensions cannot have hidden fields', token)
  if (names.size > 0) throw stream.fault('Object comprehensions can only have [e] fields', token)
  const { clauses, end } = parseClauses(stream, '}')
  return { type: 'object-comprehension', field, locals, clauses, place: stream.place(begin.begin, end.end) }
}
