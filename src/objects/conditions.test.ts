import { describe, expect, it } from 'vitest'
import { setCondition } from './conditions.ts'
import type { Condition } from './object.ts'

describe('conditions', () => {
  const ready: Condition = { type: 'Ready', status: 'True', reason: 'Up', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const now = Date.parse('2026-01-01T01:00:00Z')

  it('keeps the list when nothing changes, and the transition time unless the status does', () => {
    const list = [ready]
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Up' }, now)).toBe(list)
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'Better' }, now)).toEqual([
      { ...ready, reason: 'Better' },
    ])
    expect(setCondition(list, { type: 'Ready', status: 'False' }, now)).toEqual([
      { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T01:00:00Z' },
    ])
  })

  it('adds what is not there', () => {
    expect(setCondition([ready], { type: 'Other', status: 'Unknown' }, now)).toHaveLength(2)
    expect(setCondition(undefined, { type: 'Other', status: 'True' }, now)).toHaveLength(1)
  })
})
