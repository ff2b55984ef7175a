// Whether a key of a keyring signed a text, by an armoured OpenPGP signature beside it.

import { SignatureFault } from '../fault.ts'
import { dearmor, Reader } from '../reader.ts'
import type { SignedText, Verdict } from '../verdict.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { readPackets, tags } from './packets.ts'
import { keyIdOf } from './public-key.ts'
import { isMadeBy, readSignature, type Signature } from './signature.ts'

const title = 'PGP SIGNATURE'

/** Throws SignatureFault for what cannot be checked at all. */
export function verifyOpenPgp({ payload, signature }: SignedText, keyring: Keyring, now: number): Verdict {
  const made = onlySignature(signature)
  const key = keyring.keys.find(({ fingerprint }) => made.issuer !== '' && fingerprint.endsWith(made.issuer))
  if (key === undefined) return { result: 'unknown', keyId: keyIdOf(made.issuer) }
  const { cipher } = key
  const keyId = keyIdOf(key.fingerprint)
  const message = faultOf(made, key, { payload, now })
  if (message !== undefined) return { result: 'invalid', cipher, keyId, message }
  return { result: 'good', cipher, keyId, names: [key.fingerprint, key.primary] }
}

function onlySignature(text: string): Signature {
  const blocks = dearmor(text, title)
  const packets = blocks.flatMap((block) => readPackets(new Reader(block)))
  const [first, ...more] = packets
  if (first === undefined || first.tag !== tags.signature || more.length > 0)
    throw new SignatureFault('there is not exactly one signature')
  return readSignature(first.body)
}

interface Checked {
  readonly payload: Buffer
  readonly now: number
}

function faultOf(made: Signature, key: SigningKey, { payload, now }: Checked): string | undefined {
  if (made.type !== 0x00 && made.type !== 0x01) return 'it is no signature of a text'
  if (made.hash === 'sha1') return 'it uses SHA-1, which is too weak'
  const text =
    made.type === 0x00 ? payload : Buffer.from(payload.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
  if (!isMadeBy(key, made, text)) return 'BAD signature: it was made of something else'
  if (key.isRevoked) return 'the key is revoked'
  if (made.createdAtMs < key.createdAtMs) return 'it is older than its key'
  if (made.createdAtMs > key.expiresAtMs) return 'the key had expired'
  if (made.expiresAfterMs !== 0 && made.createdAtMs + made.expiresAfterMs < now) return 'it has expired'
  return undefined
}
