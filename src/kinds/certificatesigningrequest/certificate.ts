// The certificates of a request's status: PEM blocks of certificates alone, each checked as Go's crypto/x509 checks what a
// certificate is made of. Who signed it is not asked. Pure.

import { quote } from '../field-error.ts'
import { Asn1Fault, type Element, type Expected, Fields, integer, sequence } from './asn1.ts'
import { decodePem } from './pem.ts'
import { algorithmOf, keyInfoOf } from './public-key.ts'

/** `certificate` is the base64 of PEM. */
export function certificateFault(certificate: string): string | undefined {
  let rest = Buffer.from(certificate, 'base64').toString('latin1')
  if (rest === '') return undefined
  let blocks = 0
  for (let block = decodePem(rest); block !== undefined; block = decodePem(rest)) {
    if (block.type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quote(block.type)}`
    if (block.hasHeaders) return 'no PEM block headers are permitted'
    blocks += 1
    if (block.bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    const fault = faultOfAll(block.bytes)
    if (fault !== undefined) return fault
    rest = block.rest
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

/** One after the other, without anything between. */
function faultOfAll(bytes: Uint8Array): string | undefined {
  const all = new Fields(bytes)
  while (!all.isAtEnd) {
    const fault = faultOf(all)
    if (fault !== undefined) return `x509: ${fault}`
  }
  return undefined
}

const version: Expected = { tag: 0, name: '', isCompound: true, tagClass: 2 }
const extensions: Expected = { tag: 3, name: '', isCompound: true, tagClass: 2 }
const newest = 2

/** Reads a part or says what it would have been. */
class Part {
  readonly #fields: Fields
  constructor(fields: Fields) {
    this.#fields = fields
  }

  get isAtEnd(): boolean {
    return this.#fields.isAtEnd
  }

  next(expected: Expected, what: string): Element {
    try {
      return this.#fields.next(expected)
    } catch {
      throw new Asn1Fault(`malformed ${what}`)
    }
  }

  /** The next part if it is one of these. */
  maybe(expected: Expected, what: string): Element | undefined {
    const first = this.#fields.peek()
    const isIt = first === ((expected.tagClass ?? 0) << 6) + (expected.isCompound ? 0x20 : 0) + expected.tag
    return isIt ? this.next(expected, what) : undefined
  }
}

const inside = ({ content }: Element): Part => new Part(new Fields(content))

function faultOf(fields: Fields): string | undefined {
  try {
    check(new Part(fields))
    return undefined
  } catch (error) {
    if (error instanceof Asn1Fault) return error.message
    throw error
  }
}

function check(all: Part): void {
  const whole = inside(all.next(sequence(''), 'certificate'))
  const signed = inside(whole.next(sequence(''), 'tbs certificate'))
  const told = versionOf(signed)
  signed.next({ ...integer, name: '' }, 'serial number')
  const inner = signed.next(sequence(''), 'signature algorithm identifier')
  const outer = whole.next(sequence(''), 'algorithm identifier')
  if (Buffer.compare(inner.content, outer.content) !== 0)
    throw new Asn1Fault("inner and outer signature algorithm identifiers don't match")
  malformedAs('algorithm identifier', () => algorithmOf(inner))
  signed.next(sequence(''), 'issuer')
  checkValidity(inside(signed.next(sequence(''), 'validity')))
  signed.next(sequence(''), 'issuer')
  const keyInfo = signed.next(sequence(''), 'spki')
  const { fault } = malformedAs('spki', () => keyInfoOf(keyInfo))
  if (fault !== undefined) throw new Asn1Fault(fault.replace(/^x509: /, ''))
  if (told === newest) checkExtensions(signed)
  whole.next({ tag: 3, name: '' }, 'signature')
}

function malformedAs<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new Asn1Fault(`malformed ${what}`)
  }
}

function versionOf(signed: Part): number {
  const field = signed.maybe(version, 'version')
  if (field === undefined) return 0
  const [number = 0xff] = inside(field).next({ ...integer, name: '' }, 'version').content
  if (number >= 0x80) throw new Asn1Fault('malformed version')
  if (number > newest) throw new Asn1Fault('invalid version')
  return number
}

const times: readonly Expected[] = [
  { tag: 23, name: '' },
  { tag: 24, name: '' },
]

function checkValidity(validity: Part): void {
  for (const _ of ['not before', 'not after']) {
    const found = times.map((time) => validity.maybe(time, 'validity')).find((one) => one !== undefined)
    if (found === undefined) throw new Asn1Fault('unsupported time format')
  }
}

function checkExtensions(signed: Part): void {
  for (const tag of [1, 2])
    signed.maybe({ tag, name: '', tagClass: 2 }, tag === 1 ? 'issuerUniqueID' : 'subjectUniqueID')
  const field = signed.maybe(extensions, 'extensions')
  if (field === undefined) return
  const list = inside(inside(field).next(sequence(''), 'extensions'))
  const seen = new Set<string>()
  while (!list.isAtEnd) {
    const extension = inside(list.next(sequence(''), 'extension'))
    const id = Buffer.from(extension.next({ tag: 6, name: '' }, 'extension OID field').content).toString('hex')
    extension.maybe({ tag: 1, name: '' }, 'extension critical field')
    extension.next({ tag: 4, name: '' }, 'extension value field')
    if (seen.has(id)) throw new Asn1Fault('certificate contains duplicate extensions')
    seen.add(id)
  }
}
