// Checks a signature that ssh-keygen made (PROTOCOL.sshsig). It brings its key along: who may sign is said by fingerprints.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { SignatureFault } from './fault.ts'
import { holds } from './holds.ts'
import { dearmor, Reader } from './reader.ts'
import type { SignedText, Verdict } from './verdict.ts'

export const sshTitle = 'SSH SIGNATURE'
const magic = 'SSHSIG'
/** Git signs with this purpose: a signature that was made for another is worth nothing here. */
const purpose = 'git'

const curves: Readonly<Record<string, { readonly crv: string; readonly size: number; readonly hash: string }>> = {
  nistp256: { crv: 'P-256', size: 32, hash: 'sha256' },
  nistp384: { crv: 'P-384', size: 48, hash: 'sha384' },
  nistp521: { crv: 'P-521', size: 66, hash: 'sha512' },
}

/** Throws SignatureFault for what cannot be checked at all. */
export function verifySsh({ payload, signature }: SignedText): Verdict {
  const [block, ...more] = dearmor(signature, sshTitle)
  if (block === undefined || more.length > 0) throw new SignatureFault('there is not exactly one signature')
  const reader = new Reader(block)
  if (reader.take(magic.length).toString() !== magic || reader.number(4) !== 1)
    throw new SignatureFault('it is no ssh signature of version 1')
  const publicKey = field(reader)
  const namespace = field(reader)
  const reserved = field(reader)
  const hash = field(reader)
  const made = field(reader)
  const { cipher, check } = checkerOf(publicKey)
  const keyId = `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`
  const invalid = (message: string): Verdict => ({ result: 'invalid', cipher, keyId, message })
  if (namespace.toString() !== purpose) return invalid('it was not made for git')
  const digest = digestOf(hash.toString(), payload)
  const signed = Buffer.concat([Buffer.from(magic), ...[namespace, reserved, hash, digest].map(asField)])
  return check(signed, made)
    ? { result: 'good', cipher, keyId, names: [keyId] }
    : invalid('BAD signature: it was made of something else')
}

const field = (reader: Reader): Buffer => reader.take(reader.number(4))

function asField(bytes: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, bytes])
}

function digestOf(hash: string, payload: Buffer): Buffer {
  if (hash !== 'sha256' && hash !== 'sha512') throw new SignatureFault('its hash is not supported')
  return createHash(hash).update(payload).digest()
}

interface Checker {
  readonly cipher: string
  readonly check: (signed: Buffer, made: Buffer) => boolean
}

function checkerOf(publicKey: Buffer): Checker {
  const reader = new Reader(publicKey)
  const type = field(reader).toString()
  if (type === 'ssh-ed25519') {
    const key = keyFrom({ kty: 'OKP', crv: 'Ed25519', x: field(reader).toString('base64url') })
    return { cipher: 'ED25519', check: (signed, made) => holds(null, signed, { key, made: partOf(made, type) }) }
  }
  if (type === 'ssh-rsa') return rsa(reader)
  const curve = curves[type.replace(/^ecdsa-sha2-/, '')]
  if (curve !== undefined) return ecdsa(reader, type, curve)
  throw new SignatureFault(`keys of the kind ${JSON.stringify(type.slice(0, 60))} are not supported`)
}

function rsa(reader: Reader): Checker {
  const [e, n] = [field(reader), field(reader)].map((part) => part.toString('base64url'))
  const key = keyFrom({ kty: 'RSA', n: n ?? '', e: e ?? '' })
  return {
    cipher: 'RSA',
    check(signed, made) {
      const type = field(new Reader(made)).toString()
      // `ssh-rsa` itself is by SHA-1.
      if (type !== 'rsa-sha2-256' && type !== 'rsa-sha2-512') return false
      return holds(type === 'rsa-sha2-256' ? 'sha256' : 'sha512', signed, { key, made: partOf(made, type) })
    },
  }
}

function ecdsa(reader: Reader, type: string, { crv, size, hash }: (typeof curves)[string]): Checker {
  field(reader)
  const point = field(reader)
  if (point.length !== 2 * size + 1) throw new SignatureFault('its key is damaged')
  const [x, y] = [point.subarray(1, size + 1), point.subarray(size + 1)].map((part) => part.toString('base64url'))
  const key = keyFrom({ kty: 'EC', crv, x: x ?? '', y: y ?? '' })
  return {
    cipher: 'ECDSA',
    check(signed, made) {
      const numbers = new Reader(partOf(made, type))
      const both = Buffer.concat([sized(field(numbers), size), sized(field(numbers), size)])
      return holds(hash, signed, { key: { key, dsaEncoding: 'ieee-p1363' }, made: both })
    },
  }
}

/** The signature itself, after the name of its kind. */
function partOf(made: Buffer, type: string): Buffer {
  const reader = new Reader(made)
  if (field(reader).toString() !== type) throw new SignatureFault('its kind is not that of its key')
  return field(reader)
}

function sized(number: Buffer, length: number): Buffer {
  const bare = number.subarray(Math.max(number.length - length, 0))
  return Buffer.concat([Buffer.alloc(length - bare.length), bare])
}

function keyFrom(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new SignatureFault('its key is damaged')
  }
}
