// One signature of version 4: what it says of itself, and whether a key made it.

import { SignatureFault } from '../fault.ts'
import { Reader } from '../reader.ts'
import { newLength } from './packets.ts'
import type { PublicKey } from './public-key.ts'

export interface Signature {
  /** 0x00 and 0x01 are of documents, the others of keys. */
  readonly type: number
  readonly hash: string
  readonly createdAtMs: number
  readonly expiresAfterMs: number
  /** How long the key is good that it is about; 0 is for ever. */
  readonly keyExpiresAfterMs: number
  /** Id or fingerprint of the key that made it; empty where it does not say. */
  readonly issuer: string
  /** What the key that it is about may be used for; undefined where it does not say. */
  readonly keyFlags: number | undefined
  /** By which a subkey says that it belongs to its key. */
  readonly embedded: Buffer | undefined
  /** Goes into what is signed. */
  readonly hashed: Buffer
  readonly numbers: Buffer
}

const hashes: Readonly<Record<number, string>> = { 2: 'sha1', 8: 'sha256', 9: 'sha384', 10: 'sha512', 11: 'sha224' }

/** Throws SignatureFault for what cannot be checked. */
export function readSignature(body: Buffer): Signature {
  const reader = new Reader(body)
  const version = reader.number(1)
  if (version !== 4) throw new SignatureFault(`signatures of version ${version} are not supported`)
  const type = reader.number(1)
  reader.take(1)
  const hash = hashes[reader.number(1)]
  if (hash === undefined) throw new SignatureFault('the hash of a signature is not supported')
  const hashedLength = reader.number(2)
  const said = readSubpackets(reader.take(hashedLength), true)
  const hashed = body.subarray(0, 6 + hashedLength)
  // What is not hashed can be changed by anybody: only what leads to the key, or is checked itself, is taken from there.
  const hints = readSubpackets(reader.take(reader.number(2)), false)
  reader.take(2)
  return {
    type,
    hash,
    createdAtMs: seconds(said.get(2)),
    expiresAfterMs: seconds(said.get(3)),
    keyExpiresAfterMs: seconds(said.get(9)),
    issuer: issuerIn(said) ?? issuerIn(hints) ?? '',
    keyFlags: said.get(27)?.[0],
    embedded: said.get(32) ?? hints.get(32),
    hashed,
    numbers: reader.rest(),
  }
}

/** Whether `key` made this signature of what comes before it. */
export function isMadeBy(key: PublicKey, signature: Signature, before: Buffer): boolean {
  const { hashed, hash, numbers } = signature
  const trailer = Buffer.from([0x04, 0xff, 0, 0, 0, 0])
  trailer.writeUInt32BE(hashed.length, 2)
  try {
    return key.check({ hash, bytes: Buffer.concat([before, hashed, trailer]), numbers: new Reader(numbers) })
  } catch (error) {
    if (error instanceof SignatureFault) return false
    throw error
  }
}

type Subpackets = ReadonlyMap<number, Buffer>

/** Those that are read here; a critical one that is not known makes the signature void. */
const known = new Set([2, 3, 4, 5, 6, 7, 9, 11, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34])

function readSubpackets(bytes: Buffer, isHashed: boolean): Subpackets {
  const reader = new Reader(bytes)
  const found = new Map<number, Buffer>()
  while (reader.left > 0) {
    const part = new Reader(reader.take(newLength(reader)))
    const head = part.number(1)
    const type = head & 0x7f
    if (isHashed && (head & 0x80) !== 0 && !known.has(type))
      throw new SignatureFault(`a critical part (${type}) of a signature is not known`)
    if (!found.has(type)) found.set(type, part.rest())
  }
  return found
}

function issuerIn(found: Subpackets): string | undefined {
  const fingerprint = found.get(33)
  const id = fingerprint?.[0] === 4 ? fingerprint.subarray(1) : found.get(16)
  return id?.toString('hex').toUpperCase()
}

const seconds = (bytes: Buffer | undefined): number => (bytes?.length === 4 ? bytes.readUInt32BE(0) * 1000 : 0)
