// Bodies on the protobuf wire, built here field by field, and the JSON that they must become.
import { describe, expect, it } from 'vitest'
import { decodeProtobuf } from './decode.ts'
import { goDuration } from './scalars.ts'

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)])
function part(field: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((one) => Buffer.from(one as string)))
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes])
}
const body = (apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    part(1, part(1, apiVersion), part(2, kind)),
    part(2, ...fields),
    part(3, ''),
    part(4, ''),
  ])

describe('decodeProtobuf', () => {
  it('reads maps, bytes and metadata, and leaves out what Go leaves out', () => {
    const metadata = part(
      1,
      part(1, 'a'),
      part(2, ''),
      part(3, 'ns'),
      number(7, 0),
      part(8),
      part(11, part(1, 'k'), part(2, 'v')),
    )
    const secret = body(
      'v1',
      'Secret',
      metadata,
      part(2, part(1, 'password'), part(2, Buffer.from([1, 2, 255]))),
      part(3, 'Opaque'),
    )
    expect(decodeProtobuf(secret)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', namespace: 'ns', labels: { k: 'v' } },
      data: { password: 'AQL/' },
      type: 'Opaque',
    })
  })

  it('keeps zeros behind pointers, inlines sources and reads scalars of their own', () => {
    const volume = part(1, part(1, 'v'), part(2, part(19, part(1, part(1, 'config')), number(3, 420))))
    const probe = part(
      10,
      part(1, part(2, part(2, number(1, 0), number(2, 8080), part(3, '')), part(3, ''))),
      number(2, 5),
    )
    const limits = part(8, part(1, part(1, 'cpu'), part(2, part(1, '500m'))))
    const container = part(2, part(1, 'c'), part(2, 'image:1'), part(3, 'run'), part(3, ''), limits, probe)
    const pod = part(2, volume, container, part(3, 'Always'), number(11, 0), number(21, 0))
    const spec = part(2, number(1, 0), part(3, part(1), pod), number(5, 0))
    expect(decodeProtobuf(body('apps/v1', 'Deployment', spec))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: {
        replicas: 0,
        template: {
          metadata: {},
          spec: {
            volumes: [{ name: 'v', configMap: { name: 'config', defaultMode: 420 } }],
            containers: [
              {
                name: 'c',
                image: 'image:1',
                command: ['run', ''],
                resources: { limits: { cpu: '500m' } },
                livenessProbe: { httpGet: { port: 8080 }, initialDelaySeconds: 5 },
              },
            ],
            restartPolicy: 'Always',
            automountServiceAccountToken: false,
          },
        },
      },
    })
  })

  it('reads times and negative numbers', () => {
    const deletion = body('v1', 'Pod', part(1, part(1, 'p'), part(9, number(1, 1_700_000_000)), number(10, -1)))
    expect(decodeProtobuf(deletion)).toMatchObject({
      metadata: { deletionTimestamp: '2023-11-14T22:13:20Z', deletionGracePeriodSeconds: -1 },
    })
    const lease = body(
      'coordination.k8s.io/v1',
      'Lease',
      part(2, part(4, number(1, 1_700_000_000), number(2, 1_500_000))),
    )
    expect(decodeProtobuf(lease)).toMatchObject({ spec: { renewTime: '2023-11-14T22:13:20.001500Z' } })
  })

  it('knows the options that every group has, and a body that is JSON inside', () => {
    expect(decodeProtobuf(body('apps/v1', 'DeleteOptions', number(1, 0), part(4, 'Orphan')))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
    })
    const json = Buffer.concat([
      Buffer.from('k8s\0'),
      part(1, part(1, 'v1'), part(2, 'ConfigMap')),
      part(2, '{"data":{"a":"b"}}'),
      part(4, 'application/json'),
    ])
    expect(decodeProtobuf(json)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } })
  })

  it('says what is wrong with a body', () => {
    expect(() => decodeProtobuf(Buffer.from('{}'))).toThrow('does not appear to be a protobuf message')
    expect(() => decodeProtobuf(body('example.com/v1', 'Widget'))).toThrow('no kind "Widget" is registered')
    expect(() => decodeProtobuf(body('v1', 'Pod', part(1, 'abc')).subarray(0, 30))).toThrow('unexpected EOF')
  })
})

describe('goDuration', () => {
  it.each([
    [0, '0s'],
    [1500, '1.5µs'],
    [250e6, '250ms'],
    [30e9, '30s'],
    [90.5e9, '1m30.5s'],
    [3600e9, '1h0m0s'],
    [-5e9, '-5s'],
  ])('%d', (nanos, text) => expect(goDuration(nanos)).toBe(text))
})
