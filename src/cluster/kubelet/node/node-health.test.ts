import { describe, expect, it } from 'vitest'
import { garbageDue, readinessOf } from './node-health.ts'

const silentFor = (seconds: number) => ({ since: 1_000_000 - seconds * 1000, message: 'no answer' })

describe('readinessOf', () => {
  it.each([
    ['all is well', undefined, undefined, 'kubelet is posting ready status'],
    ['a runtime that is silent for a moment', 20, undefined, 'kubelet is posting ready status'],
    ['a runtime that is down', 40, undefined, 'container runtime is down'],
    [
      'one that has been down for long',
      200,
      undefined,
      '[container runtime is down, PLEG is not healthy: pleg was last seen active 3m20s ago; threshold is 3m0s]',
    ],
    ['no network', undefined, 'no network', 'no network'],
    ['neither', 40, 'no network', '[container runtime is down, no network]'],
  ] as const)('%s', (_name, seconds, network, message) => {
    const runtime = seconds === undefined ? undefined : silentFor(seconds)
    expect(readinessOf({ runtime, network }, 1_000_000).message).toBe(message)
  })
})

describe('garbageDue', () => {
  it('is due once a minute', () => {
    const silence = { since: 0, message: '' }
    const due = [10, 20, 30, 40, 50, 60, 70, 119, 120, 121].filter((now, i, all) =>
      garbageDue(silence, (all[i - 1] ?? 0) * 1000, now * 1000),
    )
    expect(due).toEqual([60, 120])
  })
})
