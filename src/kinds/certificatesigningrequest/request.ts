// What is in a certificate request (PKCS #10): read as Go's crypto/x509 reads it, with its faults. Its signature is checked by
// whoever has the means to. Pure.

import {
  Asn1Fault,
  bitString,
  bitsOf,
  type Element,
  Fields,
  identifier,
  identifierOf,
  integer,
  sequence,
  setOf,
  whole,
} from './asn1.ts'
import { decodePem } from './pem.ts'
import { algorithmOf, type KeyInfo, keyInfoOf } from './public-key.ts'

interface RequestedSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

export interface ParsedRequest {
  readonly subject: RequestedSubject
  readonly key: KeyInfo
  /** What is signed, how, and the signature. */
  readonly signed: Uint8Array
  readonly algorithm: string
  readonly signature: Uint8Array
}

const commonName = '2.5.4.3'
const organization = '2.5.4.10'
const attributes = { tag: 0, name: '', isCompound: true, tagClass: 2 }

/** `request` is the base64 of a PEM, as it stands in spec.request. Throws with Go's text. */
export function parseRequest(request: string): ParsedRequest {
  const block = decodePem(Buffer.from(request, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Asn1Fault('PEM block type must be CERTIFICATE REQUEST')
  const fields = new Fields(whole(block.bytes, sequence('certificateRequest')).content)
  const asked = fields.next(sequence('tbsCertificateRequest'))
  const inside = new Fields(asked.content)
  inside.next(integer)
  const subject = inside.any()
  const keyInfo = inside.next(sequence('publicKeyInfo'))
  const key = keyInfoOf(keyInfo)
  inside.next(attributes)
  const { id } = algorithmOf(fields.next(sequence('AlgorithmIdentifier')))
  const signature = bitsOf(fields.next(bitString))
  if (key.fault !== undefined) throw new Asn1Fault(key.fault)
  return { subject: subjectOf(subject.whole), key, signed: asked.whole, algorithm: id, signature }
}

/** The fault of a request, if it has one. */
export function requestFault(request: string): string | undefined {
  try {
    parseRequest(request)
    return undefined
  } catch (error) {
    if (error instanceof Asn1Fault) return error.message
    throw error
  }
}

function subjectOf(bytes: Uint8Array): RequestedSubject {
  const names = new Fields(whole(bytes, sequence('RDNSequence'), 'x509: trailing data after X.509 Subject').content)
  const values = new Map<string, string[]>()
  while (!names.isAtEnd) {
    const set = new Fields(names.nextOfList(setOf('RelativeDistinguishedNameSET')).content)
    while (!set.isAtEnd) {
      const pair = new Fields(set.nextOfList(sequence('AttributeTypeAndValue')).content)
      const id = identifierOf(pair.next(identifier))
      values.set(id, [...(values.get(id) ?? []), textOf(pair.any())])
    }
  }
  return { commonName: values.get(commonName)?.at(-1) ?? '', organizations: values.get(organization) ?? [] }
}

const utf16Tag = 30

function textOf({ tag, content }: Element): string {
  const bytes = Buffer.from(content)
  return tag === utf16Tag ? Buffer.from(bytes).swap16().toString('utf16le') : bytes.toString('utf8')
}
