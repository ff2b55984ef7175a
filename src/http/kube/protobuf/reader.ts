// The protobuf wire: varints, fixed numbers and length-delimited parts, one field after the other. Knows no types.

export interface WireField {
  readonly number: number
  /** 0 varint, 1 fixed 64 bits, 2 length-delimited, 5 fixed 32 bits. */
  readonly wireType: number
  /** Of varints and fixed numbers; else 0. */
  readonly value: number
  /** Of length-delimited fields. */
  readonly bytes: Buffer
}

export class ProtobufFault extends Error {
  override readonly name = 'ProtobufFault'
}

const none = Buffer.alloc(0)

export function* readFields(buffer: Buffer): Generator<WireField> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer[at]
      if (byte === undefined || shift > 63n) throw new ProtobufFault('unexpected EOF')
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    if (at + length > buffer.length) throw new ProtobufFault('unexpected EOF')
    at += length
    return buffer.subarray(at - length, at)
  }
  while (at < buffer.length) {
    const tag = Number(varint())
    const number = tag >>> 3
    const wireType = tag & 7
    if (wireType === 0) yield { number, wireType, value: signed(varint()), bytes: none }
    else if (wireType === 1) yield { number, wireType, value: take(8).readDoubleLE(), bytes: none }
    else if (wireType === 2) yield { number, wireType, value: 0, bytes: take(Number(varint())) }
    else if (wireType === 5) yield { number, wireType, value: take(4).readFloatLE(), bytes: none }
    else throw new ProtobufFault(`unknown wire type ${wireType}`)
  }
}

/** Numbers of 32 and 64 bits alike are written as 64 bits in two's complement. */
const signed = (value: bigint): number => Number(BigInt.asIntN(64, value))

/** The varints of a packed list. */
export function readPacked(bytes: Buffer): readonly number[] {
  const values: number[] = []
  let value = 0n
  let shift = 0n
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift
    shift += 7n
    if (byte >= 0x80) continue
    values.push(signed(value))
    value = 0n
    shift = 0n
  }
  return values
}
