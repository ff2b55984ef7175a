// DER as Go's encoding/asn1 reads it, with its faults: what a structure must hold is told as a list of fields, in order. What
// comes behind them inside a sequence is passed over. Pure.

export class Asn1Fault extends Error {
  override readonly name = 'Asn1Fault'
}

const syntax = (text: string): Asn1Fault => new Asn1Fault(`asn1: syntax error: ${text}`)
const structure = (text: string): Asn1Fault => new Asn1Fault(`asn1: structure error: ${text}`)

export interface Element {
  /** 0 universal, 1 application, 2 context-specific, 3 private. */
  readonly tagClass: number
  readonly tag: number
  readonly isCompound: boolean
  readonly content: Uint8Array
  /** With tag and length. */
  readonly whole: Uint8Array
}

interface Header extends Pick<Element, 'tagClass' | 'tag' | 'isCompound'> {
  readonly length: number
  /** Where the content begins. */
  readonly at: number
}

const longest = 1 << 23

function header(bytes: Uint8Array, start: number): Header {
  const first = bytes[start]
  if (first === undefined) throw syntax('sequence truncated')
  let at = start + 1
  const next = (fault: string): number => {
    const byte = bytes[at]
    if (byte === undefined) throw syntax(fault)
    at += 1
    return byte
  }
  let tag = first & 0x1f
  if (tag === 0x1f) {
    tag = 0
    for (let byte = 0x80; byte >= 0x80; ) {
      if (tag > longest) throw structure('base 128 integer too large')
      byte = next('truncated base 128 integer')
      tag = tag * 128 + (byte & 0x7f)
    }
    if (tag < 0x1f) throw syntax('non-minimal tag')
  }
  let length = next('truncated tag or length')
  if (length >= 0x80) {
    const count = length - 0x80
    if (count === 0) throw syntax('indefinite length found (not DER)')
    length = 0
    for (let i = 0; i < count; i += 1) {
      const byte = next('truncated tag or length')
      if (length >= longest) throw structure('length too large')
      length = length * 256 + byte
      if (length === 0) throw structure('superfluous leading zeros in length')
    }
    if (length < 0x80) throw structure('non-minimal length')
  }
  return { tagClass: first >> 6, tag, isCompound: (first & 0x20) !== 0, length, at }
}

/** What one field must be; `name` is that of Go's type, which its faults tell. */
export interface Expected {
  readonly tag: number
  readonly name: string
  readonly isCompound?: boolean
  readonly tagClass?: number
}

export const sequence = (name: string): Expected => ({ tag: 16, name, isCompound: true })
export const setOf = (name: string): Expected => ({ tag: 17, name, isCompound: true })
export const integer: Expected = { tag: 2, name: 'int' }
export const identifier: Expected = { tag: 6, name: 'ObjectIdentifier' }
export const bitString: Expected = { tag: 3, name: 'BitString' }

/** Reads the fields of a sequence one after the other. */
export class Fields {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The first byte of the next field. */
  peek(): number | undefined {
    return this.#bytes[this.#at]
  }

  /** The next field, whatever it is. */
  any(): Element {
    const start = this.#at
    const { length, at, ...tags } = header(this.#bytes, start)
    return this.#element(start, { length, at, ...tags })
  }

  next(expected: Expected): Element {
    const start = this.#at
    const found = header(this.#bytes, start)
    const { tag, tagClass = 0, isCompound = false } = expected
    if (found.tagClass !== tagClass || found.tag !== tag || found.isCompound !== isCompound)
      throw structure(`tags don't match (${tag} vs ${told(found)}) ${parameters} ${expected.name} @${found.at}`)
    return this.#element(start, found)
  }

  /** The next of a list, all of which must be of one kind. */
  nextOfList(expected: Expected): Element {
    const { tag, tagClass, isCompound } = header(this.#bytes, this.#at)
    const isIt = tag === expected.tag && tagClass === 0 && isCompound === (expected.isCompound ?? false)
    if (!isIt) throw structure('sequence tag mismatch')
    return this.next(expected)
  }

  #element(start: number, { length, at, ...tags }: Header): Element {
    const end = at + length
    if (end > this.#bytes.length) throw syntax('data truncated')
    this.#at = end
    return { ...tags, content: this.#bytes.subarray(at, end), whole: this.#bytes.subarray(start, end) }
  }
}

const told = ({ tagClass, tag, length, isCompound }: Header): string =>
  `{class:${tagClass} tag:${tag} length:${length} isCompound:${isCompound}}`

const parameters =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}'

/** The one value that bytes hold. */
export function whole(bytes: Uint8Array, expected: Expected, trailing = 'asn1: syntax error: trailing data'): Element {
  const fields = new Fields(bytes)
  const element = fields.next(expected)
  if (!fields.isAtEnd) throw new Asn1Fault(trailing)
  return element
}

/** `1.2.840.10045.4.3.2`. */
export function identifierOf({ content }: Element): string {
  if (content.length === 0) throw syntax('zero length OBJECT IDENTIFIER')
  const numbers: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (numbers.length > 0) numbers.push(value)
    else numbers.push(Math.min(2, Math.floor(value / 40)), value - Math.min(2, Math.floor(value / 40)) * 40)
    value = 0
  }
  return numbers.join('.')
}

/** The bytes of a bit string that has only whole ones, as keys and signatures are. */
export function bitsOf({ content }: Element): Uint8Array {
  const [padding, ...rest] = content
  if (padding === undefined) throw syntax('zero length BIT STRING')
  const isWrong = padding > 7 || (rest.length === 0 && padding > 0)
  if (isWrong || ((rest.at(-1) ?? 0) & ((1 << padding) - 1)) !== 0) throw syntax('invalid padding bits in BIT STRING')
  return content.subarray(1)
}
