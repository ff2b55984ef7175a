// One public key of version 4: its fingerprint, and whether it made a signature of certain bytes. RSA, ECDSA and EdDSA.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { SignatureFault } from '../fault.ts'
import { holds } from '../holds.ts'
import { Reader } from '../reader.ts'
import { readMpi } from './packets.ts'

export interface PublicKey {
  /** In capitals, 40 hexadecimal digits. */
  readonly fingerprint: string
  /** As gpg names it. */
  readonly cipher: string
  readonly createdAtMs: number
  readonly body: Buffer
  readonly check: (signed: Signed) => boolean
}

export interface Signed {
  readonly hash: string
  readonly bytes: Buffer
  /** The signature's numbers, as they stand in its packet. */
  readonly numbers: Reader
}

/** The last digits of a fingerprint, by which keys are mostly called. */
export const keyIdOf = (fingerprint: string): string => fingerprint.slice(-16)

const curves: Readonly<Record<string, { readonly crv: string; readonly bytes: number }>> = {
  '2a8648ce3d030107': { crv: 'P-256', bytes: 32 },
  '2b81040022': { crv: 'P-384', bytes: 48 },
  '2b81040023': { crv: 'P-521', bytes: 66 },
  '2b06010401da470f01': { crv: 'Ed25519', bytes: 32 },
}

/** A key of version 4 says its length in two bytes. */
const maxKeyBytes = 0xffff

/** Throws SignatureFault for keys of other kinds. */
export function readPublicKey(body: Buffer): PublicKey {
  const reader = new Reader(body)
  const version = reader.number(1)
  if (version !== 4) throw new SignatureFault(`keys of version ${version} are not supported`)
  if (body.length > maxKeyBytes) throw new SignatureFault('a key is longer than its length can say')
  const createdAtMs = reader.number(4) * 1000
  const algorithm = reader.number(1)
  const fingerprint = createHash('sha1').update(framedKey(body)).digest('hex').toUpperCase()
  return { fingerprint, createdAtMs, body, ...checkerOf(algorithm, reader) }
}

/** A key as it goes into what is signed about it. */
export function framedKey(body: Buffer): Buffer {
  const head = Buffer.from([0x99, 0, 0])
  head.writeUInt16BE(body.length, 1)
  return Buffer.concat([head, body])
}

function checkerOf(algorithm: number, reader: Reader): Pick<PublicKey, 'cipher' | 'check'> {
  if (algorithm === 1 || algorithm === 3) return rsa(readMpi(reader), readMpi(reader))
  if (algorithm === 19 || algorithm === 22) return curve(algorithm, reader)
  if (algorithm === 27) return { cipher: 'ED25519', check: edCheck(reader.take(32), (numbers) => numbers.take(64)) }
  throw new SignatureFault(`keys of algorithm ${algorithm} are not supported`)
}

function rsa(n: Buffer, e: Buffer): Pick<PublicKey, 'cipher' | 'check'> {
  const key = keyFrom({ kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') })
  return {
    cipher: 'RSA',
    check: ({ hash, bytes, numbers }) => holds(hash, bytes, { key, made: padded(readMpi(numbers), n.length) }),
  }
}

function curve(algorithm: number, reader: Reader): Pick<PublicKey, 'cipher' | 'check'> {
  const named = curves[reader.take(reader.number(1)).toString('hex')]
  const point = readMpi(reader)
  if (named === undefined) throw new SignatureFault('the curve of a key is not supported')
  const { crv, bytes: size } = named
  const both = (numbers: Reader): Buffer =>
    Buffer.concat([padded(readMpi(numbers), size), padded(readMpi(numbers), size)])
  if (algorithm === 22) {
    if (crv !== 'Ed25519' || point.length !== 33 || point[0] !== 0x40) throw new SignatureFault('a key is damaged')
    return { cipher: 'EDDSA', check: edCheck(point.subarray(1), both) }
  }
  if (crv === 'Ed25519' || point.length !== 2 * size + 1 || point[0] !== 0x04)
    throw new SignatureFault('a key is damaged')
  const [x, y] = [point.subarray(1, size + 1), point.subarray(size + 1)].map((part) => part.toString('base64url'))
  const key = keyFrom({ kty: 'EC', crv, x: x ?? '', y: y ?? '' })
  return {
    cipher: 'ECDSA',
    check: ({ hash, bytes, numbers }) =>
      holds(hash, bytes, { key: { key, dsaEncoding: 'ieee-p1363' }, made: both(numbers) }),
  }
}

/** What is signed is the digest. */
function edCheck(point: Buffer, read: (numbers: Reader) => Buffer): PublicKey['check'] {
  const key = keyFrom({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') })
  return ({ hash, bytes, numbers }) =>
    holds(null, createHash(hash).update(bytes).digest(), { key, made: read(numbers) })
}

function keyFrom(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new SignatureFault('a key is damaged')
  }
}

function padded(number: Buffer, length: number): Buffer {
  if (number.length > length) throw new SignatureFault('the signature is damaged')
  return Buffer.concat([Buffer.alloc(length - number.length), number])
}
