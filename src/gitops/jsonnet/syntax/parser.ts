// Expressions: what binds most loosely first, down to single words.

import { type ImportWay, type Node, spanning } from './nodes.ts'
import { parseObject } from './parse-object.ts'
import { parseArguments, parseArray, parseFunction, parseLocal } from './parse-parts.ts'
import type { SourceText } from './source-text.ts'
import { TokenStream } from './token-stream.ts'
import { type Token, tokenText } from './tokens.ts'

/** A whole file. Throws JsonnetFault. */
export function parse(source: SourceText): Node {
  const stream = new TokenStream(source, parseExpression)
  const node = stream.expression()
  const rest = stream.peek()
  if (rest.type !== 'end') throw stream.fault(`Did not expect: ${tokenText(rest)}`, rest)
  return node
}

function parseExpression(stream: TokenStream): Node {
  const token = stream.peek()
  const special = token.type === 'keyword' ? specialForms[token.text] : undefined
  return special === undefined ? parseBinary(stream, loosest) : special(stream)
}

const specialForms: Readonly<Record<string, (stream: TokenStream) => Node>> = {
  assert: parseAssert,
  error: (stream) => {
    const begin = stream.next()
    const message = stream.expression()
    return spanning(begin, message, { type: 'error', message })
  },
  if: parseConditional,
  function: parseFunction,
  import: parseImport,
  importstr: parseImport,
  importbin: parseImport,
  local: parseLocal,
}

function parseAssert(stream: TokenStream): Node {
  const begin = stream.next()
  const condition = stream.expression()
  const message = stream.takes(':') ? stream.expression() : undefined
  stream.expect(';')
  const rest = stream.expression()
  return spanning(begin, rest, { type: 'assert', condition, message, rest })
}

function parseConditional(stream: TokenStream): Node {
  const begin = stream.next()
  const condition = stream.expression()
  stream.expect('then')
  const then = stream.expression()
  const otherwise = stream.takes('else') ? stream.expression() : undefined
  return spanning(begin, otherwise ?? then, { type: 'conditional', condition, then, otherwise })
}

/** What is imported stands in the text itself, so that it is known which files a program reads before it runs. */
function parseImport(stream: TokenStream): Node {
  const begin = stream.next()
  const first = stream.peek()
  const path = stream.expression()
  if (first.type !== 'text' || path.type !== 'literal' || typeof path.value !== 'string')
    throw stream.fault('Computed imports are not allowed', path.place)
  if (first.isBlock === true) throw stream.fault('Block string literals not allowed in imports', path.place)
  return spanning(begin, path, { type: 'import', way: begin.text as ImportWay, path: path.value })
}

/** From the loosest to the tightest. */
const levels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '>', '<=', '>=', 'in'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]
const loosest = 0
const binaryOperators: ReadonlySet<string> = new Set(levels.flat())

/** Operators of a level bind to the left; one loop for all levels keeps the stack flat. */
function parseBinary(stream: TokenStream, level: number): Node {
  let left = parseUnary(stream)
  for (;;) {
    const operator = operatorAt(stream)
    const tightness = operator === undefined ? -1 : levels.findIndex((each) => each.includes(operator))
    if (operator === undefined || tightness < level) return left
    stream.next()
    if (operator === 'in' && stream.sees('super') && !stream.sees('.', 1) && !stream.sees('[', 1)) {
      const end = stream.next()
      left = { type: 'in-super', key: left, place: stream.place(left.place.begin, end.end) }
      continue
    }
    const right = parseBinary(stream, tightness + 1)
    left = spanning(left.place, right, { type: 'binary', operator, left, right })
  }
}

/** Undefined where the expression ends: at `:` and `::` too, which belong to what is around it. */
function operatorAt(stream: TokenStream): string | undefined {
  const token = stream.peek()
  if (token.type === 'keyword') return token.text === 'in' ? 'in' : undefined
  if (token.type !== 'operator' || token.text === ':' || token.text === '::' || token.text === '=') return undefined
  if (binaryOperators.has(token.text)) return token.text
  throw stream.fault(`Not a binary operator: ${token.text}`, token)
}

function parseUnary(stream: TokenStream): Node {
  const begin = stream.peek()
  if (begin.type === 'keyword' && specialForms[begin.text] !== undefined) return stream.expression()
  if (begin.type !== 'operator') return parsePostfix(stream)
  if (!'!~+-'.includes(begin.text)) throw stream.fault(`Not a unary operator: ${begin.text}`, begin)
  stream.next()
  const operand = stream.within(parseUnary)
  return spanning(begin, operand, { type: 'unary', operator: begin.text, operand })
}

function parsePostfix(stream: TokenStream): Node {
  let target = parseTerminal(stream)
  for (;;) {
    const token = stream.peek()
    if (token.type !== 'symbol') return target
    const { begin } = target.place
    if (token.text === '.') {
      stream.next()
      const name = stream.expectName()
      target = { type: 'index', target, key: stream.literal(name, name.text), place: stream.place(begin, name.end) }
    } else if (token.text === '[') target = parseIndex(stream, target)
    else if (token.text === '(') target = parseArguments(stream, target)
    else if (token.text === '{') {
      const right = parseObject(stream)
      target = spanning(target.place, right, { type: 'binary', operator: '+', left: target, right })
    } else return target
  }
}

function parseIndex(stream: TokenStream, target: Node): Node {
  stream.next()
  const bounds: (Node | undefined)[] = [undefined, undefined, undefined]
  let colons = 0
  let isBetween = true
  for (;;) {
    const token = stream.peek()
    if (stream.takes(']')) {
      const place = stream.place(target.place.begin, token.end)
      const [key] = bounds
      if (colons > 0) return { type: 'slice', target, bounds, place }
      if (key === undefined) throw stream.fault('ast.Index requires an expression', token)
      return { type: 'index', target, key, place }
    }
    if (stream.sees(':') || stream.sees('::')) {
      colons += token.text.length
      if (colons > 2) throw stream.fault('Invalid slice: too many colons', token)
      stream.next()
      isBetween = true
    } else if (isBetween) {
      bounds[colons] = stream.expression()
      isBetween = false
    } else throw stream.fault(`Expected token "]" but got ${tokenText(token)}`, token)
  }
}

const words: Readonly<Record<string, null | boolean>> = { null: null, true: true, false: false }

function parseTerminal(stream: TokenStream): Node {
  const token = stream.peek()
  const place = stream.place(token.begin, token.end)
  if (stream.sees('{')) return parseObject(stream)
  if (stream.sees('[')) return parseArray(stream)
  stream.next()
  if (token.type === 'end') throw stream.fault('Unexpected end of file', token)
  if (token.type === 'number') return stream.literal(token, Number(token.text))
  if (token.type === 'text') return stream.literal(token, token.text)
  if (token.type === 'name') return { type: 'variable', name: token.text, place }
  if (token.type === 'keyword' && token.text in words) return stream.literal(token, words[token.text] ?? null)
  if (token.text === '(') {
    const inner = stream.expression()
    const end = stream.expect(')')
    return { ...inner, place: stream.place(token.begin, end.end) }
  }
  if (token.text === '$') return { type: 'dollar', place }
  if (token.text === 'self') return { type: 'self', place }
  if (token.text === 'super') return parseSuper(stream, token)
  throw stream.fault(`Unexpected: ${tokenText(token)} while parsing terminal`, token)
}

function parseSuper(stream: TokenStream, begin: Token): Node {
  if (stream.takes('.')) {
    const name = stream.expectName()
    return { type: 'super-index', key: stream.literal(name, name.text), place: stream.place(begin.begin, name.end) }
  }
  if (!stream.takes('[')) throw stream.fault('Expected . or [ after super', begin)
  const key = stream.expression()
  const end = stream.expect(']')
  return { type: 'super-index', key, place: stream.place(begin.begin, end.end) }
}
