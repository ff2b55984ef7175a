import { describe, expect, it } from 'vitest'
import type { SyncWindow } from '#kinds'
import { WindowFault, windowTimes } from './sync-window.ts'

const state = (window: SyncWindow, at: string): string => {
  const { open, until } = windowTimes({ kind: 'allow', ...window }).stateAt(Date.parse(at))
  const end = until === undefined ? 'ever' : new Date(until).toISOString().replace('.000Z', 'Z')
  return `${open ? 'open' : 'shut'} until ${end}`
}

describe('a window', () => {
  const nightly = { schedule: '0 22 * * *', duration: '8h' }
  it.each<[string, SyncWindow, string, string]>([
    ['opens with its schedule', nightly, '2026-01-01T22:00:00Z', 'open until 2026-01-02T06:00:00Z'],
    ['reaches over midnight', nightly, '2026-01-02T05:59:59Z', 'open until 2026-01-02T06:00:00Z'],
    ['shuts after its duration', nightly, '2026-01-02T06:00:00Z', 'shut until 2026-01-02T22:00:00Z'],
    ['is shut before', nightly, '2026-01-01T21:59:59Z', 'shut until 2026-01-01T22:00:00Z'],
    [
      'stays open where openings overlap',
      { schedule: '0,30 10 * * *', duration: '45m' },
      '2026-01-01T10:10:00Z',
      'open until 2026-01-01T11:15:00Z',
    ],
    [
      'never opens on February 30',
      { schedule: '0 0 30 2 *', duration: '1h' },
      '2026-01-01T00:00:00Z',
      'shut until ever',
    ],
    [
      'knows half an hour of a zone',
      { schedule: '30 9 * * *', duration: '1h', timeZone: 'Asia/Kolkata' },
      '2026-01-01T03:30:00Z',
      'shut until 2026-01-01T04:00:00Z',
    ],
    [
      'is looked at again where clocks are put forward',
      { ...nightly, timeZone: 'Europe/Berlin' },
      '2026-03-28T21:00:00Z',
      'open until 2026-03-29T01:00:00Z',
    ],
    [
      'is shorter in the night in which clocks are put forward',
      { ...nightly, timeZone: 'Europe/Berlin' },
      '2026-03-29T01:00:00Z',
      'open until 2026-03-29T04:00:00Z',
    ],
    [
      'opens late when its hour does not exist',
      { schedule: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' },
      '2026-03-29T01:00:00Z',
      'open until 2026-03-29T01:30:00Z',
    ],
    [
      'comes twice when its hour does',
      { schedule: '30 2 * * *', duration: '20m', timeZone: 'Europe/Berlin' },
      '2026-10-25T01:00:00Z',
      'shut until 2026-10-25T01:30:00Z',
    ],
    [
      'finds its next opening beyond a change of clocks',
      { schedule: '0 12 1 4 *', duration: '1h', timeZone: 'America/New_York' },
      '2026-03-08T07:00:00Z',
      'shut until 2026-04-01T16:00:00Z',
    ],
  ])('%s', (_, window, at, expected) => {
    expect(state(window, at)).toBe(expected)
  })

  it('answers for any time, in any order', () => {
    const times = windowTimes({ kind: 'deny', ...nightly })
    const open = (at: string): boolean => times.stateAt(Date.parse(at)).open
    const seen = ['2026-01-01T23:00:00Z', '2026-01-01T12:00:00Z', '2026-01-03T01:00:00Z', '2026-01-02T12:00:00Z'].map(
      open,
    )
    expect(seen).toEqual([true, false, true, false])
  })
})

it.each<[SyncWindow, string]>([
  [{ kind: 'maybe' }, "kind 'maybe' mismatch: can only be allow or deny"],
  [{}, "cannot parse schedule '': empty spec string"],
  [{ schedule: '0 22 * *' }, "cannot parse schedule '0 22 * *': expected exactly 5 fields, found 4: [0 22 * *]"],
  [{ schedule: '@daily' }, "cannot parse schedule '@daily': parser does not accept descriptors: @daily"],
  [
    { schedule: 'TZ=UTC * * * * *' },
    "cannot parse schedule 'TZ=UTC * * * * *': cannot use TZ or CRON_TZ in schedule, use timeZone instead",
  ],
  [{ duration: '1d' }, `cannot parse duration '1d': time: unknown unit "d" in duration "1d"`],
  [{ duration: '-1h' }, "cannot parse duration '-1h': it must be longer than 0"],
  [{ timeZone: 'Mars/Base' }, 'unknown time zone Mars/Base'],
  [{ description: 'x'.repeat(256) }, 'description must not exceed 255 characters'],
])('%j is told to be wrong', (window, message) => {
  const whole =
    Object.keys(window).length === 0
      ? { kind: 'allow' }
      : { kind: 'allow', schedule: '* * * * *', duration: '1h', ...window }
  expect(() => windowTimes(whole)).toThrow(new WindowFault(message))
})
