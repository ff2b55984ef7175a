import { describe, expect, it } from 'vitest'
import { ThresholdWatch } from '../pressure/threshold-watch.ts'
import type { Observations } from './signals.ts'
import { conditionsOf, metThresholds, thresholdsFrom, usualThresholds } from './thresholds.ts'

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
    const met = metThresholds({ ...plenty, ...over }, usualThresholds)
    expect(met.map(({ signal }) => signal)).toEqual(signals)
    expect([...conditionsOf(met)]).toEqual(conditions)
  })

  it('are what somebody says in their place', () => {
    const evictionHard = { 'pid.available': '10%', 'no.such': '1Gi', 'nodefs.available': '100%' }
    expect(metThresholds(plenty, thresholdsFrom({ evictionHard }))).toEqual([
      { signal: 'pid.available', value: '10%', gracePeriodMs: 0, amount: 3276, available: 1 },
    ])
  })
})

describe('soft thresholds', () => {
  const mebi = 1024 ** 2
  const thresholds = thresholdsFrom({
    evictionHard: { 'memory.available': '100Mi' },
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '1m30s' },
    evictionMinimumReclaim: { 'memory.available': '512Mi' },
  })
  const settings = { thresholds, pressureTransitionMs: 300_000 }
  const left = (mebibytes: number): Observations => ({
    'memory.available': { available: mebibytes * mebi, capacity: 8 * gibi },
  })
  const watch = (...steps: readonly (readonly [second: number, mebibytes: number])[]) => {
    const one = new ThresholdWatch()
    return steps.map(([second, mebibytes]) => [
      one.see(left(mebibytes), settings, second * 1000).map(({ value }) => value),
      [...one.conditions],
    ])
  }
  const pressure = ['MemoryPressure']

  it('are pressure at once, and evict after their grace period', () => {
    expect(watch([0, 2000], [10, 900], [90, 900], [100, 900])).toEqual([
      [[], []],
      [[], pressure],
      [[], pressure],
      [['1Gi'], pressure],
    ])
  })

  it('count their grace period anew when they were not met meanwhile', () => {
    expect(watch([0, 900], [80, 1100], [90, 900], [170, 900], [180, 900]).map(([due]) => due)).toEqual([
      [],
      [],
      [],
      [],
      ['1Gi'],
    ])
  })

  it('go on until the minimum is reclaimed, once they have evicted', () => {
    expect(watch([0, 900], [90, 900], [100, 1500], [110, 1536]).map(([due]) => due)).toEqual([[], ['1Gi'], ['1Gi'], []])
    // Before that, the threshold alone counts.
    expect(watch([0, 900], [80, 1100], [200, 1100]).map(([due]) => due)).toEqual([[], [], []])
  })

  it('leave hard ones as they are', () => {
    expect(watch([0, 50])).toEqual([[['100Mi'], pressure]])
  })

  it('keep their condition for five minutes after they were last met', () => {
    expect(watch([0, 900], [10, 2000], [299, 2000], [300, 2000]).map(([, conditions]) => conditions)).toEqual([
      pressure,
      pressure,
      pressure,
      [],
    ])
  })
})
