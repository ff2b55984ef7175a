// Signs texts in tests as gpg would with an Ed25519 key, and as ssh-keygen would: a key of each test's own.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface Signer {
  /** In ASCII armour, for a keyring. */
  readonly publicKey: string
  /** The last 16 digits of the fingerprint. */
  readonly keyId: string
  sign(text: string | Buffer): string
}

export interface SignerOptions {
  readonly createdAtMs?: number
  readonly signedAtMs?: number
  readonly keyExpiresAfterMs?: number
  readonly signatureExpiresAfterMs?: number
  /** Default: a signature of a document. */
  readonly type?: number
  /** The body of somebody else's subkey, which this key claims for itself. */
  readonly claims?: Buffer
}

const createdMs = Date.UTC(2026, 0, 1)

export function openPgpSigner(options: SignerOptions = {}): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { createdAtMs = createdMs, signedAtMs = createdAtMs + 1000, keyExpiresAfterMs = 0 } = options
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const curve = Buffer.from('2b06010401da470f01', 'hex')
  const body = Buffer.concat([
    Buffer.from([4]),
    uint32(createdAtMs / 1000),
    Buffer.from([22, curve.length]),
    curve,
    mpi(Buffer.concat([Buffer.from([0x40]), point])),
  ])
  const framed = framedKey(body)
  const fingerprint = createHash('sha1').update(framed).digest()
  const user = Buffer.from('Test <test@example.com>')
  const named = Buffer.concat([framed, Buffer.from([0xb4]), uint32(user.length), user])
  const made = (type: number, before: Buffer, more: readonly Buffer[]): Buffer =>
    packet(2, signaturePacket({ type, before, fingerprint, privateKey, subpackets: [...more] }))
  const own = made(0x13, named, [
    subpacket(2, uint32(createdAtMs / 1000)),
    subpacket(27, Buffer.from([3])),
    ...(keyExpiresAfterMs === 0 ? [] : [subpacket(9, uint32(keyExpiresAfterMs / 1000))]),
  ])
  const { signatureExpiresAfterMs: expiry = 0, type = 0, claims } = options
  const bound = [subpacket(2, uint32(createdAtMs / 1000)), subpacket(27, Buffer.from([2]))]
  const claimed =
    claims === undefined ? [] : [packet(14, claims), made(0x18, Buffer.concat([framed, framedKey(claims)]), bound)]
  const ofText = [
    subpacket(2, uint32(signedAtMs / 1000)),
    ...(expiry === 0 ? [] : [subpacket(3, uint32(expiry / 1000))]),
  ]
  return {
    publicKey: armour('PGP PUBLIC KEY BLOCK', Buffer.concat([packet(6, body), packet(13, user), own, ...claimed])),
    keyId: fingerprint.subarray(-8).toString('hex').toUpperCase(),
    sign: (text) => armour('PGP SIGNATURE', made(type, Buffer.from(text), ofText)),
  }
}

/** `publicKey` is empty: the key comes with each signature. */
export function sshSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const key = Buffer.concat([field('ssh-ed25519'), field(point)])
  const parts = (last: Buffer): Buffer => Buffer.concat([field('git'), field(''), field('sha512'), field(last)])
  return {
    publicKey: '',
    keyId: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
    sign(text) {
      const digest = createHash('sha512').update(text).digest()
      const made = sign(null, Buffer.concat([Buffer.from('SSHSIG'), parts(digest)]), privateKey)
      const signature = Buffer.concat([field('ssh-ed25519'), field(made)])
      return armour('SSH SIGNATURE', Buffer.concat([Buffer.from('SSHSIG'), uint32(1), field(key), parts(signature)]))
    },
  }
}

const framedKey = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x99, body.length >> 8, body.length & 0xff]), body])

interface Making {
  readonly type: number
  readonly before: Buffer
  readonly fingerprint: Buffer
  readonly privateKey: KeyObject
  readonly subpackets: readonly Buffer[]
}

function signaturePacket({ type, before, fingerprint, privateKey, subpackets }: Making): Buffer {
  const issuer = subpacket(33, Buffer.concat([Buffer.from([4]), fingerprint]))
  const said = Buffer.concat([...subpackets, issuer])
  const hashed = Buffer.concat([Buffer.from([4, type, 22, 8, said.length >> 8, said.length & 0xff]), said])
  const trailer = Buffer.concat([Buffer.from([4, 0xff]), uint32(hashed.length)])
  const digest = createHash('sha256').update(before).update(hashed).update(trailer).digest()
  const made = sign(null, digest, privateKey)
  return Buffer.concat([
    hashed,
    Buffer.from([0, 0]),
    digest.subarray(0, 2),
    mpi(made.subarray(0, 32)),
    mpi(made.subarray(32)),
  ])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const field = (value: string | Buffer): Buffer => Buffer.concat([uint32(Buffer.from(value).length), Buffer.from(value)])

function mpi(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0)
  const bare = start < 0 ? Buffer.alloc(0) : number.subarray(start)
  const bits = bare.length === 0 ? 0 : (bare.length - 1) * 8 + (32 - Math.clz32(bare[0] ?? 0))
  return Buffer.concat([Buffer.from([bits >> 8, bits & 0xff]), bare])
}

const subpacket = (type: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([body.length + 1, type]), body])

const packet = (tag: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), uint32(body.length), body])

const armour = (title: string, bytes: Buffer): string =>
  `-----BEGIN ${title}-----\n\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${title}-----\n`
