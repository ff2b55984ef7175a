import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { compareResizes, ResizeQueue, type WaitingResize } from './resize-queue.ts'

interface Case {
  readonly priority?: number
  readonly qosClass?: 'Guaranteed'
  readonly since?: number
  /** Millicores before and after. */
  readonly cpu?: readonly [number, number]
}

const podAsking = (milliCpu: number, { priority = 0, qosClass }: Case): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { priority, containers: [{ name: 'app', resources: { requests: { cpu: `${milliCpu}m` } } }] },
  status: qosClass === undefined ? {} : { qosClass },
})

const waiting = (one: Case, attempt: WaitingResize['attempt'] = () => true): WaitingResize => {
  const [before, after] = one.cpu ?? [100, 200]
  return { given: podAsking(before, one), wanted: podAsking(after, one), since: one.since, attempt }
}

describe('resizes that wait', () => {
  it.each<[string, Case, Case]>([
    ['what asks for no more', { cpu: [200, 100] }, { priority: 9 }],
    ['the higher priority', { priority: 9, since: 2 }, { qosClass: 'Guaranteed', since: 1 }],
    ['what is guaranteed', { qosClass: 'Guaranteed', since: 2 }, { since: 1 }],
    ['what has waited longer', { since: 1 }, { since: 2 }],
    ['what has waited at all', { since: 1 }, {}],
  ])('%s comes first', (_name, first, second) => {
    expect(compareResizes(waiting(first), waiting(second))).toBeLessThan(0)
    expect(compareResizes(waiting(second), waiting(first))).toBeGreaterThan(0)
  })

  it('are tried in their order, until they need not wait any more', () => {
    const tried: string[] = []
    const queue = new ResizeQueue()
    const add = (name: string, priority: number): void =>
      queue.push(
        waiting({ priority }, (now) => {
          tried.push(`${name} ${now}`)
          return name !== 'high'
        }),
      )
    add('low', 1)
    add('high', 3)
    add('middle', 2)
    queue.retry(1000)
    expect(queue.againAt).toBe(181_000)
    queue.retry(2000)
    expect(tried).toEqual(['high 1000', 'middle 1000', 'low 1000', 'middle 2000', 'low 2000'])
  })
})
