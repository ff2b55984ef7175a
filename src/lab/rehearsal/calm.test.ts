// When a rehearsal is over.

import { describe, expect, it } from 'vitest'
import type { Application, HealthStatusCode } from '#kinds'
import { Calm, calmMs, patienceMs } from './calm.ts'

const app = (health: HealthStatusCode, more: object = {}): Application =>
  ({
    metadata: { name: 'a', namespace: 'argocd' },
    spec: {},
    status: { sync: { status: 'Synced', revision: '1' }, health: { status: health }, ...more },
  }) as unknown as Application

describe('calm', () => {
  it('is a moment in which everything is in order', () => {
    const calm = new Calm(0)
    calm.hear('a', app('Progressing'), 0)
    expect(calm.isOver([], calmMs)).toBe(false)
    calm.hear('a', app('Healthy'), 20_000)
    expect(calm.isOver([], 20_000 + calmMs - 1)).toBe(false)
    expect(calm.isOver(['Deployment a/b'], 20_000 + calmMs)).toBe(false)
    expect(calm.isOver([], 60_000)).toBe(false)
    expect(calm.isOver([], 60_000 + calmMs)).toBe(true)
  })

  it('is patience with what does not get well', () => {
    const calm = new Calm(0)
    calm.hear('a', app('Degraded'), 1000)
    expect(calm.isOver([], patienceMs)).toBe(false)
    expect(calm.isOver([], 1000 + patienceMs)).toBe(true)
    expect(calm.newAt).toBe(1000)
  })

  it('does not wait for what goes round in circles, nor takes a blink of it for good', () => {
    const calm = new Calm(0)
    for (let at = 0; at < patienceMs; at += 30_000) {
      calm.hear('a', app('Degraded'), at)
      expect(calm.isOver([], at + 1)).toBe(false)
      calm.hear('a', app('Healthy'), at + 28_000)
      expect(calm.isOver([], at + 29_000)).toBe(false)
    }
    calm.hear('a', app('Degraded'), patienceMs + 29_000)
    expect(calm.isOver([], patienceMs + 30_000)).toBe(true)
  })

  it('takes one failed attempt for the other', () => {
    const calm = new Calm(0)
    const operation = (phase: string, retryCount: number) => ({
      sync: { status: 'OutOfSync', revision: '1' },
      operationState: { phase, retryCount, startedAt: '', operation: {} },
      conditions: phase === 'Failed' ? [{ type: 'SyncError', message: '' }] : [],
    })
    calm.hear('a', app('Missing', operation('Running', 1)), 0)
    for (const [at, phase, retries] of [
      [5, 'Running', 2],
      [9, 'Failed', 5],
      [300, 'Running', 0],
    ] as const)
      calm.hear('a', app('Missing', operation(phase, retries)), at * 1000)
    expect(calm.newAt).toBe(0)
  })
})
