// OpenPGP packets (RFC 9580, section 4): a tag and a body, one after another.

import { SignatureFault } from '../fault.ts'
import type { Reader } from '../reader.ts'

export interface Packet {
  readonly tag: number
  readonly body: Buffer
}

export const tags = { signature: 2, publicKey: 6, userId: 13, subkey: 14, attribute: 17 } as const

const maxPackets = 10_000

export function readPackets(reader: Reader): readonly Packet[] {
  const packets: Packet[] = []
  while (reader.left > 0) {
    if (packets.length === maxPackets) throw new SignatureFault('it has too many packets')
    packets.push(readPacket(reader))
  }
  return packets
}

function readPacket(reader: Reader): Packet {
  const head = reader.number(1)
  if ((head & 0x80) === 0) throw new SignatureFault('it is no OpenPGP packet')
  if ((head & 0x40) !== 0) return { tag: head & 0x3f, body: reader.take(newLength(reader)) }
  const lengthType = head & 0x03
  if (lengthType === 3) throw new SignatureFault('a packet has no length')
  return { tag: (head >> 2) & 0x0f, body: reader.take(reader.number(1 << lengthType)) }
}

/** Of a packet in the new format, or of a subpacket. */
export function newLength(reader: Reader): number {
  const first = reader.number(1)
  if (first < 192) return first
  if (first < 224) return ((first - 192) << 8) + reader.number(1) + 192
  if (first === 255) return reader.number(4)
  throw new SignatureFault('a packet comes in parts, which is not supported')
}

/** A number of any size: its bits are counted in two bytes before it. */
export const readMpi = (reader: Reader): Buffer => reader.take(Math.ceil(reader.number(2) / 8))
