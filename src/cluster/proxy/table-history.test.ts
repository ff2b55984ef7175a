import { describe, expect, it } from 'vitest'
import type { Service } from '#kinds'
import { settlesAfterMs, TableHistory } from './table-history.ts'

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

const nodes = ['node-1', 'node-2', 'node-3']

/** When a node comes to know of something. */
function learns(
  history: TableHistory,
  { from, node = 'node-1' }: { from: number; node?: string },
  clusterIP: string,
): number {
  for (let at = from; at < from + 5000; at += 1) if (on(history, at, node) === clusterIP) return at - from
  return Number.POSITIVE_INFINITY
}

describe('tables over time', () => {
  it('change soon on every node, on some sooner than on others', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    put(history, 'b', 10_000)
    const lags = nodes.map((node) => learns(history, { from: 10_000, node }, 'b'))
    expect(new Set(lags).size).toBe(3)
    for (const lag of lags) expect(lag).toBeLessThan(300)
    expect(history.settledAt(key)).toBe(10_000 + settlesAfterMs)
  })

  it('change at most once a second: what comes after a change waits', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    put(history, 'b', 10_000)
    put(history, 'c', 10_001)
    put(history, 'd', 10_900)
    const lag = learns(history, { from: 10_000 }, 'b')
    expect(learns(history, { from: 10_000 }, 'c')).toBe(Number.POSITIVE_INFINITY)
    expect(learns(history, { from: 10_000 }, 'd')).toBe(lag + 1000)
  })

  it('stay as they were on a silent node, and catch up when it is back', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    history.silence('node-1', 5000)
    for (let i = 1; i <= 100; i += 1) put(history, `b${i}`, 5000 + i * 5000)
    expect([on(history, 510_000), on(history, 510_000, 'node-2')]).toEqual(['a', 'b100'])
    history.hear('node-1', 520_000)
    expect(on(history, 520_000)).toBe('a')
    expect(on(history, 520_000 + settlesAfterMs)).toBe('b100')
    put(history, 'c', 600_000)
    expect(on(history, 600_000 + settlesAfterMs)).toBe('c')
  })

  it('end with their Service', () => {
    const history = new TableHistory()
    put(history, 'a', 0)
    put(history, undefined, 5000)
    expect([on(history, 5000), on(history, 5000 + settlesAfterMs)]).toEqual(['a', undefined])
    put(history, 'c', 20_000)
    expect(on(history, 20_000)).toBe(undefined)
    expect(on(history, 20_000 + settlesAfterMs)).toBe('c')
  })
})
