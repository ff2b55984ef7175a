// How conditions are kept and told.
import { describe, expect, test } from 'vitest'
import { errorText, mergeConditions } from './conditions.ts'

const at = (seconds: number): number => Date.UTC(2026, 0, 1) + seconds * 1000
const stamp = (seconds: number): string => `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`

describe('conditions', () => {
  const finding = { type: 'ComparisonError', message: 'a' } as const
  test('keep the time when they began', () => {
    const before = mergeConditions(undefined, [finding], at(0))
    expect(mergeConditions(before, [finding, finding], at(60))).toEqual(before)
    expect(mergeConditions(before, [{ ...finding, message: 'b' }], at(60))).toEqual([
      { type: 'ComparisonError', message: 'b', lastTransitionTime: stamp(0) },
    ])
    expect(mergeConditions(before, [{ type: 'SyncError', message: 'c' }], at(60))[0]?.lastTransitionTime).toBe(
      stamp(60),
    )
  })

  test('errors as one text', () => {
    expect(
      errorText([finding, { type: 'SharedResourceWarning', message: 'w' }, { type: 'SyncError', message: 's' }]),
    ).toBe('ComparisonError: a;SyncError: s')
  })
})
