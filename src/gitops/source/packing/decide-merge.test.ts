import { describe, expect, test } from 'vitest'
import { decideMerge, maxPacks, type PackOnDisk } from './decide-merge.ts'

const pack = (at: number, bytes: number, objects = 10): PackOnDisk => ({
  name: `pack-${at}`,
  bytes,
  objects,
  writtenAtMs: at,
})
const small = (count: number): PackOnDisk[] => Array.from({ length: count }, (_, at) => pack(at, 1000 + (at % 7)))
const merged = (packs: readonly PackOnDisk[]): readonly number[] =>
  decideMerge(packs).map(({ writtenAtMs }) => writtenAtMs)

describe('packs are made into one', () => {
  test('when more lie there than git lets lie', () => {
    expect(merged(small(maxPacks))).toEqual([])
    expect(merged(small(maxPacks + 1))).toHaveLength(maxPacks + 1)
  })

  test('the oldest first, whatever their sizes', () => {
    expect(merged(small(60))).toEqual(Array.from({ length: 60 }, (_, at) => at))
  })

  test('but for those that are much larger than all others together', () => {
    const large = pack(99, 2 ** 30)
    expect(merged([large, ...small(60)])).not.toContain(99)
    expect(merged([pack(99, 80_000), ...small(60)])).toContain(99)
  })

  test('and not more than memory and offsets allow', () => {
    const halves = Array.from({ length: 60 }, (_, at) => pack(at, 2 ** 26))
    expect(merged(halves)).toHaveLength(31)
    const many = Array.from({ length: 60 }, (_, at) => pack(at, 2 ** 20, 100_000))
    expect(merged(many)).toHaveLength(20)
    expect(merged(Array.from({ length: 60 }, (_, at) => pack(at, 2 ** 31 - 2 ** 21)))).toEqual([])
  })

  test('so that what is written again stays little: sixty thousand fetches', () => {
    let packs: readonly PackOnDisk[] = [pack(-1, 1_000_000)]
    let [rewritten, most] = [0, 0]
    const fetches = 60_000
    for (let fetch = 0; fetch < fetches; fetch += 1) {
      packs = [...packs, pack(fetch, 1000)]
      const those = decideMerge(packs)
      if (those.length === 0) continue
      const bytes = those.reduce((sum, each) => sum + each.bytes, 0)
      rewritten += bytes
      packs = [...packs.filter((each) => !those.includes(each)), pack(fetch, bytes)]
      most = Math.max(most, packs.length)
    }
    expect(most).toBeLessThan(20)
    expect(rewritten / (fetches * 1000)).toBeLessThan(15)
  })
})
