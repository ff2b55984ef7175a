// Whether a certificate request is signed with the key that it names, with the texts of Go's crypto/x509.

import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { ParsedRequest } from '#kinds'

type KeyType = ParsedRequest['key']['type']

interface Algorithm {
  readonly key: KeyType
  /** Of Ed25519 there is none. */
  readonly hash: string | undefined
}

const rsa = '1.2.840.113549.1.1'
const ecdsa = '1.2.840.10045.4'
const md5WithRsa = `${rsa}.4`
const algorithms: Readonly<Record<string, Algorithm>> = {
  [`${rsa}.5`]: { key: 'RSA', hash: 'sha1' },
  [`${rsa}.11`]: { key: 'RSA', hash: 'sha256' },
  [`${rsa}.12`]: { key: 'RSA', hash: 'sha384' },
  [`${rsa}.13`]: { key: 'RSA', hash: 'sha512' },
  [`${ecdsa}.1`]: { key: 'ECDSA', hash: 'sha1' },
  [`${ecdsa}.3.2`]: { key: 'ECDSA', hash: 'sha256' },
  [`${ecdsa}.3.3`]: { key: 'ECDSA', hash: 'sha384' },
  [`${ecdsa}.3.4`]: { key: 'ECDSA', hash: 'sha512' },
  '1.3.101.112': { key: 'Ed25519', hash: undefined },
}
/** Of RSA with PSS, whose hash stands among its parameters, as long as its salt: one of these. */
const pss = `${rsa}.10`
const pssHashes = ['sha256', 'sha384', 'sha512']

const goTypes: Readonly<Record<KeyType, string>> = {
  RSA: '*rsa.PublicKey',
  ECDSA: '*ecdsa.PublicKey',
  Ed25519: 'ed25519.PublicKey',
  other: '<nil>',
}
const failures: Readonly<Record<KeyType, string>> = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
  other: '',
}
/** Of a key that reads well and is none: a point that is not on its curve, for one. */
const noKey: Readonly<Record<KeyType, string>> = {
  ...failures,
  ECDSA: 'x509: failed to unmarshal elliptic curve point',
}
const unsupported = 'x509: cannot verify signature: algorithm unimplemented'
const smallestRsaBits = 1024

export function signatureFault(request: ParsedRequest): string | undefined {
  const { algorithm, key } = request
  if (algorithm === md5WithRsa) return 'x509: cannot verify signature: insecure algorithm MD5-RSA'
  const found = algorithm === pss ? { key: 'RSA' as const, hash: undefined } : algorithms[algorithm]
  if (found === undefined || key.type === 'other') return unsupported
  if (found.key !== key.type)
    return `x509: signature algorithm specifies an ${found.key} public key, but have public key of type ${goTypes[key.type]}`
  const publicKey = keyOf(request)
  if (publicKey === undefined) return noKey[key.type]
  const bits = publicKey.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < smallestRsaBits)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`
  const isGood =
    algorithm === pss
      ? pssHashes.some((hash) => isSigned(request, publicKey, hash, true))
      : isSigned(request, publicKey, found.hash, false)
  return isGood ? undefined : failures[key.type]
}

function keyOf({ key }: ParsedRequest): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(key.der), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

function isSigned(
  { signed, signature }: ParsedRequest,
  key: KeyObject,
  hash: string | undefined,
  isPss: boolean,
): boolean {
  const padding = isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {}
  try {
    return verify(hash, signed, { key, ...padding }, signature)
  } catch {
    return false
  }
}
