// Keys as they stand in certificates and requests (SubjectPublicKeyInfo), checked as Go's crypto/x509 checks them. Pure.

import { bitString, bitsOf, type Element, Fields, identifier, identifierOf, sequence } from './asn1.ts'

export type KeyType = 'RSA' | 'ECDSA' | 'Ed25519' | 'other'

export interface KeyInfo {
  readonly type: KeyType
  /** The whole of it, as other software takes keys. */
  readonly der: Uint8Array
  readonly fault?: string
}

interface Algorithm {
  readonly id: string
  readonly parameters: Element | undefined
}

export function algorithmOf({ content }: Element): Algorithm {
  const fields = new Fields(content)
  const id = identifierOf(fields.next(identifier))
  return { id, parameters: fields.isAtEnd ? undefined : fields.any() }
}

const types: Readonly<Record<string, KeyType>> = {
  '1.2.840.113549.1.1.1': 'RSA',
  '1.2.840.10045.2.1': 'ECDSA',
  '1.3.101.112': 'Ed25519',
}
/** Length of a coordinate by curve: P-224, P-256, P-384, P-521. */
const curves: Readonly<Record<string, number>> = {
  '1.3.132.0.33': 28,
  '1.2.840.10045.3.1.7': 32,
  '1.3.132.0.34': 48,
  '1.3.132.0.35': 66,
}
const ed25519Bytes = 32
const uncompressed = 4

export function keyInfoOf(info: Element): KeyInfo {
  const fields = new Fields(info.content)
  const algorithm = algorithmOf(fields.next(sequence('AlgorithmIdentifier')))
  const key = bitsOf(fields.next(bitString))
  const type = types[algorithm.id] ?? 'other'
  const fault = faultOf[type](algorithm, key)
  return { type, der: info.whole, ...(fault === undefined ? {} : { fault }) }
}

const faultOf: Readonly<Record<KeyType, (algorithm: Algorithm, key: Uint8Array) => string | undefined>> = {
  RSA: ({ parameters }, key) => {
    if (parameters?.tag !== 5 || parameters.whole.length !== 2) return 'x509: RSA key missing NULL parameters'
    const pair = safely(() => new Fields(new Fields(key).next(sequence('')).content))
    if (pair === undefined) return 'x509: invalid RSA public key'
    for (const name of ['modulus', 'public exponent']) {
      const number = safely(() => pair.next({ tag: 2, name: '' }).content)
      if (number === undefined || number.length === 0) return `x509: invalid RSA ${name}`
      const isPositive = (number[0] ?? 0) < 0x80 && number.some((byte) => byte !== 0)
      if (!isPositive) return `x509: RSA ${name} is not a positive number`
    }
    return undefined
  },
  ECDSA: ({ parameters }, key) => {
    if (parameters?.tag !== 6) return 'x509: invalid ECDSA parameters'
    const length = curves[identifierOf(parameters)]
    if (length === undefined) return 'x509: unsupported elliptic curve'
    const isPoint = key.length === 1 + 2 * length && key[0] === uncompressed
    return isPoint ? undefined : 'x509: failed to unmarshal elliptic curve point'
  },
  Ed25519: ({ parameters }, key) => {
    if (parameters !== undefined) return 'x509: Ed25519 key encoded with illegal parameters'
    return key.length === ed25519Bytes ? undefined : 'x509: wrong Ed25519 public key size'
  },
  other: () => undefined,
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
