// Reads JSON text as Go's decoder does: with its error texts, and remembering repeated keys, of which the last one wins.

import { maxNesting } from '../nesting.ts'
import type { Json } from '../object.ts'
import { type ParsedText, SyntaxFault } from './parsed.ts'

/** Parses one JSON document. Throws a SyntaxFault. */
export function parseJson(text: string): ParsedText {
  const parser = new Parser(text)
  const value = parser.document()
  return { value, duplicateKeys: parser.duplicateKeys, literals: parser.literals, strictErrors: [] }
}

const numberAt = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const literalValues: Readonly<Record<string, Json>> = { true: true, false: false, null: null }

class Parser {
  readonly duplicateKeys = new Map<object, string[]>()
  readonly literals = new Map<object, Map<string, string>>()
  readonly #text: string
  #at = 0
  #depth = 0
  /** Text of the number just read, if it is whole but not written so. */
  #oddNumber: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  document(): Json {
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
    return value
  }

  #value(): Json {
    this.#skipSpace()
    this.#oddNumber = undefined
    const char = this.#text[this.#at]
    switch (char) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#list())
      case '"':
        return this.#string()
      case 't':
        return this.#literal('true')
      case 'f':
        return this.#literal('false')
      case 'n':
        return this.#literal('null')
      default:
        if (char !== undefined && (char === '-' || (char >= '0' && char <= '9'))) return this.#number()
        throw this.#unexpected('looking for beginning of value')
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxNesting) throw new SyntaxFault('exceeded max depth')
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #object(): Json {
    const object: Record<string, Json> = {}
    this.#skipSpace()
    if (this.#text[this.#at] === '}') {
      this.#at++
      return object
    }
    for (;;) {
      this.#skipSpace()
      if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string')
      const key = this.#string()
      this.#skipSpace()
      if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key')
      this.#at++
      if (Object.hasOwn(object, key)) this.#note(object, key)
      setOwn(object, key, this.#value())
      this.#noteLiteral(object, key)
      this.#skipSpace()
      const next = this.#text[this.#at]
      if (next !== ',' && next !== '}') throw this.#unexpected('after object key:value pair')
      this.#at++
      if (next === '}') return object
    }
  }

  #list(): Json {
    const list: Json[] = []
    this.#skipSpace()
    if (this.#text[this.#at] === ']') {
      this.#at++
      return list
    }
    for (;;) {
      list.push(this.#value())
      this.#noteLiteral(list, String(list.length - 1))
      this.#skipSpace()
      const next = this.#text[this.#at]
      if (next !== ',' && next !== ']') throw this.#unexpected('after array element')
      this.#at++
      if (next === ']') return list
    }
  }

  #note(object: object, key: string): void {
    const keys = this.duplicateKeys.get(object)
    if (keys === undefined) this.duplicateKeys.set(object, [key])
    else if (!keys.includes(key)) keys.push(key)
  }

  #noteLiteral(owner: object, key: string): void {
    if (this.#oddNumber === undefined) return
    const literals = this.literals.get(owner) ?? new Map<string, string>()
    this.literals.set(owner, literals.set(key, this.#oddNumber))
    this.#oddNumber = undefined
  }

  #string(): string {
    const start = ++this.#at
    let escaped = false
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 34) break
      if (Number.isNaN(code) || code < 32) throw this.#unexpected('in string literal')
      if (code === 92) {
        escaped = true
        this.#escape()
      } else this.#at++
    }
    const raw = this.#text.slice(start, this.#at++)
    return escaped ? (JSON.parse(`"${raw}"`) as string) : raw
  }

  #escape(): void {
    const kind = this.#text[++this.#at]
    if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) throw this.#unexpected('in string escape code')
    this.#at++
    if (kind !== 'u') return
    for (const end = this.#at + 4; this.#at < end; this.#at++)
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) throw this.#unexpected('in \\u hexadecimal character escape')
  }

  #literal(word: string): Json {
    for (let i = 0; i < word.length; i++, this.#at++)
      if (this.#text[this.#at] !== word[i]) throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`)
    return literalValues[word] ?? null
  }

  #number(): number {
    numberAt.lastIndex = this.#at
    const literal = numberAt.exec(this.#text)?.[0]
    this.#at += literal?.length ?? 1
    if (literal === undefined) throw this.#unexpected('in numeric literal')
    this.#checkNumberEnd(literal)
    const value = Number(literal)
    if (Number.isInteger(value) && /[.eE]/.test(literal)) this.#oddNumber = literal
    return value
  }

  /** A number that breaks off (`1.`, `1e`) matched only up to there. */
  #checkNumberEnd(literal: string): void {
    const next = this.#text[this.#at]
    const fraction = literal.includes('.')
    const exponent = /[eE]/.test(literal)
    if (next === '.' && !fraction && !exponent) {
      this.#at++
      throw this.#unexpected('after decimal point in numeric literal')
    }
    if ((next === 'e' || next === 'E') && !exponent) {
      this.#at++
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++
      throw this.#unexpected('in exponent of numeric literal')
    }
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.#at++
    }
  }

  #unexpected(where: string): SyntaxFault {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) return new SyntaxFault('unexpected end of JSON input')
    return new SyntaxFault(`invalid character ${quotedByte(code)} ${where}`)
  }
}

/** Assigns a key of the text, whatever it is called. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

/** A character as Go's decoder, which reads bytes, shows it. */
function quotedByte(code: number): string {
  const char = String.fromCodePoint(new TextEncoder().encode(String.fromCodePoint(code))[0] ?? code)
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  const quoted = JSON.stringify(char).slice(1, -1)
  return `'${quoted.replace(/\\u00([0-9a-f]{2})/, '\\x$1')}'`
}
