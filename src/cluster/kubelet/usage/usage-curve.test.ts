import { describe, expect, it } from 'vitest'
import type { UsagePoint } from '../workload/workload.ts'
import { exceedsAt, usageAt } from './usage-curve.ts'

const steps: readonly UsagePoint[] = [
  { fromSeconds: 0, value: 10, ramp: false },
  { fromSeconds: 10, value: 30, ramp: true },
  { fromSeconds: 20, value: 5, ramp: false },
]

describe('usage over time', () => {
  it.each([
    [0, 10],
    [5, 20],
    [10, 30],
    [19, 30],
    [20, 5],
    [1000, 5],
  ])('after %d s it is %d', (seconds, value) => {
    expect(usageAt(steps, seconds)).toBe(value)
  })

  it('tells when a limit is exceeded', () => {
    expect([exceedsAt(steps, 5), exceedsAt(steps, 20), exceedsAt(steps, 30)]).toEqual([0, 5, undefined])
  })
})
