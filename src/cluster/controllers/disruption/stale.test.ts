import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { formatTime } from '#objects'
import { staleAt, withoutTarget } from './stale.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const pod = (status: 'True' | 'False', change: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n' },
  spec: { containers: [] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      {
        type: 'DisruptionTarget',
        status,
        reason: 'EvictionByEvictionAPI',
        lastTransitionTime: formatTime(now),
      },
    ],
  },
  ...change,
})

describe('a pod that was to be disrupted', () => {
  it.each<readonly [string, Pod, number | undefined]>([
    ['still there', pod('True'), now + 120_000],
    ['taken back', pod('False'), undefined],
    ['going', pod('True', { metadata: { name: 'p', deletionTimestamp: formatTime(now) } }), undefined],
    ['finished', pod('True', { status: { ...pod('True').status, phase: 'Failed' } }), undefined],
  ])('%s', (_name, one, at) => {
    expect(staleAt(one)).toBe(at)
  })

  it('is one no more', () => {
    const [ready, target] = withoutTarget(pod('True'), now)
    expect(ready).toEqual({ type: 'Ready', status: 'True' })
    expect(target).toEqual({
      type: 'DisruptionTarget',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: formatTime(now),
    })
  })
})
