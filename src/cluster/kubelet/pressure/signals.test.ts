import { describe, expect, it } from 'vitest'
import { amountFrom, conditionsOf, metThresholds, type Observations } from './signals.ts'

const gibi = 1024 ** 3
const plenty: Observations = {
  'memory.available': { available: 4 * gibi, capacity: 8 * gibi },
  'nodefs.available': { available: 50 * gibi, capacity: 100 * gibi },
  'imagefs.available': { available: 50 * gibi, capacity: 100 * gibi },
  'nodefs.inodesFree': { available: 900, capacity: 1000 },
  'imagefs.inodesFree': { available: 900, capacity: 1000 },
  'pid.available': { available: 1, capacity: 32_768 },
}

describe('thresholds', () => {
  it.each<[string, Observations, readonly string[], readonly string[]]>([
    ['plenty', {}, [], []],
    [
      'memory',
      { 'memory.available': { available: 99 * 1024 ** 2, capacity: 8 * gibi } },
      ['memory.available'],
      ['MemoryPressure'],
    ],
    [
      'images',
      { 'imagefs.available': { available: 14 * gibi, capacity: 100 * gibi } },
      ['imagefs.available'],
      ['DiskPressure'],
    ],
    ['inodes', { 'nodefs.inodesFree': { available: 49, capacity: 1000 } }, ['nodefs.inodesFree'], ['DiskPressure']],
    [
      'memory before the disk',
      {
        'memory.available': { available: 0, capacity: 8 * gibi },
        'nodefs.available': { available: 0, capacity: 100 * gibi },
      },
      ['memory.available', 'nodefs.available'],
      ['MemoryPressure', 'DiskPressure'],
    ],
  ])('%s', (_name, over, signals, conditions) => {
    const met = metThresholds({ ...plenty, ...over })
    expect(met.map(({ signal }) => signal)).toEqual(signals)
    expect([...conditionsOf(met)]).toEqual(conditions)
  })

  it('are what somebody says in their place', () => {
    expect(metThresholds(plenty, { 'pid.available': '10%', 'no.such': '1Gi' })).toEqual([
      { signal: 'pid.available', threshold: 3276, available: 1 },
    ])
  })

  it.each([
    ['10%', 100 * gibi, 10_737_418_400],
    ['1.5Gi', 1, 1.5 * gibi],
    ['much', 1, undefined],
  ])('%s of %d', (value, capacity, amount) => {
    expect(amountFrom(value, capacity)).toBe(amount)
  })
})
