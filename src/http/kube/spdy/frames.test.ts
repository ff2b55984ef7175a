import { describe, expect, it } from 'vitest'
import { controlFrame, dataFrame, FrameReader, fin, frameType, HeaderCodec, words } from './frames.ts'

describe('SPDY frames', () => {
  const frames = [
    dataFrame(3, Buffer.from('hello')),
    dataFrame(5, Buffer.alloc(0), fin),
    controlFrame(frameType.ping, words(7)),
  ]

  it.each([1, 7, 1000])('are read from parts of %i bytes', (size) => {
    const bytes = Buffer.concat(frames)
    const reader = new FrameReader()
    const read = []
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.subarray(at, at + size)))
    expect(read).toEqual([
      { kind: 'data', stream: 3, flags: 0, body: Buffer.from('hello') },
      { kind: 'data', stream: 5, flags: fin, body: Buffer.alloc(0) },
      { kind: 'control', type: frameType.ping, flags: 0, body: words(7) },
    ])
  })

  it('are refused when they are too long', () => {
    expect(() => new FrameReader().push(Buffer.from('00000001ffffffff', 'hex'))).toThrow('too long')
  })
})

describe('packed headers', () => {
  it('begin with the checksum of the dictionary of SPDY/3, and follow one another', async () => {
    const [one, other] = [new HeaderCodec(), new HeaderCodec()]
    const first = await one.pack(new Map([['streamType', 'error']]))
    expect(first.readUInt32BE(2)).toBe(0xe3c6a7c2)
    expect([...(await other.unpack(first))]).toEqual([['streamtype', 'error']])
    const second = await one.pack(
      new Map([
        ['port', '80'],
        ['requestid', '0'],
      ]),
    )
    expect([...(await other.unpack(second))]).toEqual([
      ['port', '80'],
      ['requestid', '0'],
    ])
    one.close()
    other.close()
  })
})
