import { describe, expect, it } from 'vitest'
import type { Service } from '#kinds'
import { syncPeriodMs, TableHistory } from './table-history.ts'

const service = (clusterIP: string): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { clusterIP, ports: [] },
})

const key = 'shop/web'
const put = (history: TableHistory, clusterIP: string | undefined, at: number): void =>
  history.put(key, { service: clusterIP === undefined ? undefined : service(clusterIP), slices: [] }, at)
const on = (history: TableHistory, at: number, node = 'node-1'): string | undefined =>
  history.tableOn(node, key, at)?.clusterIPs[0]

describe('tables over time', () => {
  it('change on each node at its next beat, and within one period on all', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    put(history, 'b', 10_000)
    const learnt = ['node-1', 'node-2', 'node-3'].map((node) => {
      let at = 10_000
      while (on(history, at, node) === 'a') at += 1
      return at
    })
    expect(new Set(learnt).size).toBe(3)
    for (const at of learnt) expect(at).toBeLessThanOrEqual(10_000 + syncPeriodMs)
    expect(history.settledAt(key)).toBe(10_000 + syncPeriodMs)
  })

  it('stay as they were on a silent node, and catch up when it is back', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    history.silence('node-1', 5000)
    for (let i = 1; i <= 100; i += 1) put(history, `b${i}`, 5000 + i * 5000)
    expect([on(history, 505_500), on(history, 507_000, 'node-2')]).toEqual(['a', 'b100'])
    history.hear('node-1', 507_000)
    expect([on(history, 507_000), on(history, 507_000 + syncPeriodMs)]).toEqual(['a', 'b100'])
  })

  it('end with their Service', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    put(history, undefined, 5000)
    expect([on(history, 5000), on(history, 5000 + syncPeriodMs)]).toEqual(['a', undefined])
    put(history, 'c', 20_000)
    expect(on(history, 20_000)).toBe(undefined)
    expect(on(history, 20_000 + syncPeriodMs)).toBe('c')
  })
})
