// The keys that may sign, out of armoured blocks of public keys: primary keys that say so themselves, and the subkeys that
// both sides say belong together. Revoked keys are kept as such, so that it can be told.

import { SignatureFault } from '../fault.ts'
import { dearmor, Reader } from '../reader.ts'
import { type Packet, readPackets, tags } from './packets.ts'
import { framedKey, type PublicKey, readPublicKey } from './public-key.ts'
import { isMadeBy, readSignature, type Signature } from './signature.ts'

export interface SigningKey extends PublicKey {
  /** Fingerprint of the primary key; its own for one itself. */
  readonly primary: string
  readonly isRevoked: boolean
  readonly expiresAtMs: number
}

export interface Keyring {
  readonly keys: readonly SigningKey[]
  /** Of blocks or keys that could not be read. */
  readonly faults: readonly string[]
}

const title = 'PGP PUBLIC KEY BLOCK'
const maySign = 0x02

export function readKeyring(texts: Readonly<Record<string, string>>): Keyring {
  const keys: SigningKey[] = []
  const faults: string[] = []
  for (const [name, text] of Object.entries(texts)) {
    const blocks = dearmor(text, title)
    if (blocks.length === 0) faults.push(`${name}: holds no armoured public key`)
    for (const block of blocks) {
      try {
        for (const group of grouped(readPackets(new Reader(block)))) keys.push(...keysIn(group))
      } catch (error) {
        if (!(error instanceof SignatureFault)) throw error
        faults.push(`${name}: ${error.message}`)
      }
    }
  }
  return { keys, faults }
}

/** A primary key and what follows it. */
function grouped(packets: readonly Packet[]): readonly (readonly Packet[])[] {
  const groups: Packet[][] = []
  for (const packet of packets) {
    if (packet.tag === tags.publicKey) groups.push([packet])
    else groups.at(-1)?.push(packet)
  }
  return groups
}

/** A key, name or subkey, and the signatures that follow it. */
interface Part {
  readonly packet: Packet
  readonly signatures: Signature[]
}

function keysIn(group: readonly Packet[]): readonly SigningKey[] {
  const parts: Part[] = []
  for (const packet of group) {
    if (packet.tag !== tags.signature) parts.push({ packet, signatures: [] })
    else addSignature(parts.at(-1), packet)
  }
  const [first, ...rest] = parts
  if (first === undefined) return []
  const primary = readPublicKey(first.packet.body)
  const whole = wholeKey(primary, first, rest)
  if (whole === undefined) return []
  const subkeys = rest.filter(({ packet }) => packet.tag === tags.subkey)
  return [...(whole.signs ? [whole.key] : []), ...subkeys.flatMap((part) => subkeyOf(whole.key, part))]
}

/** A signature that cannot be read says nothing. */
function addSignature(part: Part | undefined, { body }: Packet): void {
  try {
    part?.signatures.push(readSignature(body))
  } catch (error) {
    if (!(error instanceof SignatureFault)) throw error
  }
}

interface Whole {
  readonly key: SigningKey
  readonly signs: boolean
}

/** By what the key has signed about itself; undefined: nothing, so that it could be anybody's. */
function wholeKey(key: PublicKey, first: Part, rest: readonly Part[]): Whole | undefined {
  const ofKey = framedKey(key.body)
  const own = first.signatures.filter((each) => each.type === 0x1f && isMadeBy(key, each, ofKey))
  for (const { packet, signatures } of rest) {
    if (packet.tag !== tags.userId) continue
    const head = Buffer.from([0xb4, 0, 0, 0, 0])
    head.writeUInt32BE(packet.body.length, 1)
    const before = Buffer.concat([ofKey, head, packet.body])
    own.push(...signatures.filter((each) => each.type >= 0x10 && each.type <= 0x13 && isMadeBy(key, each, before)))
  }
  const latest = newest(own)
  if (latest === undefined) return undefined
  const isRevoked = first.signatures.some((each) => each.type === 0x20 && isMadeBy(key, each, ofKey))
  const signs = latest.keyFlags === undefined || (latest.keyFlags & maySign) !== 0
  return { signs, key: { ...key, primary: key.fingerprint, isRevoked, expiresAtMs: expiry(key, latest) } }
}

function subkeyOf(primary: SigningKey, { packet, signatures }: Part): readonly SigningKey[] {
  const key = readable(packet.body)
  if (key === undefined) return []
  const both = Buffer.concat([framedKey(primary.body), framedKey(key.body)])
  const binding = newest(signatures.filter((each) => each.type === 0x18 && isMadeBy(primary, each, both)))
  if (binding === undefined || ((binding.keyFlags ?? 0) & maySign) === 0) return []
  if (binding.embedded === undefined || !agrees(key, binding.embedded, both)) return []
  const isRevoked = primary.isRevoked || signatures.some((each) => each.type === 0x28 && isMadeBy(primary, each, both))
  const expiresAtMs = Math.min(expiry(key, binding), primary.expiresAtMs)
  return [{ ...key, primary: primary.fingerprint, isRevoked, expiresAtMs }]
}

/** Subkeys that encrypt are of other kinds. */
function readable(body: Buffer): PublicKey | undefined {
  try {
    return readPublicKey(body)
  } catch (error) {
    if (error instanceof SignatureFault) return undefined
    throw error
  }
}

/** Else anybody could claim another's subkey. */
function agrees(subkey: PublicKey, embedded: Buffer, both: Buffer): boolean {
  try {
    const back = readSignature(embedded)
    return back.type === 0x19 && isMadeBy(subkey, back, both)
  } catch (error) {
    if (error instanceof SignatureFault) return false
    throw error
  }
}

const newest = (signatures: readonly Signature[]): Signature | undefined =>
  signatures.reduce<Signature | undefined>(
    (best, each) => (best === undefined || each.createdAtMs > best.createdAtMs ? each : best),
    undefined,
  )

const expiry = ({ createdAtMs }: PublicKey, { keyExpiresAfterMs }: Signature): number =>
  keyExpiresAfterMs === 0 ? Number.POSITIVE_INFINITY : createdAtMs + keyExpiresAfterMs
