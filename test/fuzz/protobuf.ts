// Bodies on the protobuf wire: the envelope of Kubernetes around fields of any number and type.

import { below, chance, type Draw, oddText, pick } from './draw.ts'

export interface ProtobufKind {
  readonly apiVersion: string
  readonly kind: string
}

export function protobufBody(draw: Draw, { apiVersion, kind }: ProtobufKind): Buffer {
  const content = [
    field(1, field(1, apiVersion), field(2, kind)),
    field(2, ...message(draw, 6)),
    field(3, ''),
    field(4, ''),
  ]
  const whole = Buffer.concat([Buffer.from('k8s\0'), ...content])
  if (chance(draw, 85)) return whole
  const changed = Buffer.from(whole)
  for (let times = 1 + below(draw, 4); times > 0; times--) changed[below(draw, changed.length)] = below(draw, 256)
  return chance(draw, 50) ? changed : changed.subarray(0, below(draw, changed.length))
}

function message(draw: Draw, depth: number): readonly Buffer[] {
  return Array.from({ length: 1 + below(draw, 5) }, () => {
    const number = 1 + below(draw, chance(draw, 80) ? 12 : 45)
    const type = depth > 0 ? below(draw, 10) : below(draw, 6)
    if (type < 2) return Buffer.concat([varint(number << 3), varint(pick(draw, [0, 1, 2, 80, 600, 2 ** 31, -1]))])
    if (type === 2)
      return Buffer.concat([varint((number << 3) | pick(draw, [1, 5, 3, 4, 6])), Buffer.alloc(8, below(draw, 256))])
    if (type < 6) return field(number, pick(draw, ['a', 'default', 'v1', '1Gi', oddText(draw).slice(0, 100)]))
    return field(number, ...message(draw, depth - 1))
  })
}

function field(number: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((one) => Buffer.from(one as string)))
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}
