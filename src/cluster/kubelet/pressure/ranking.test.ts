import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import type { Signal } from '../node/signals.ts'
import { type Candidate, evictionText, ranked } from './ranking.ts'

interface Plan {
  readonly memory?: number
  readonly disk?: number
  readonly pids?: number
  readonly request?: string
  readonly priority?: number
  readonly unmeasured?: boolean
}

function candidate(
  name: string,
  { memory = 0, disk = 0, pids = 1, request, priority = 0, unmeasured }: Plan,
): Candidate {
  const requests = request === undefined ? {} : { memory: request, 'ephemeral-storage': request }
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { priority, containers: [{ name: 'app', image: 'i', resources: { requests } }] },
  }
  const stats = { memory, disk, inodes: 0, pids, containers: [{ name: 'app', memory, disk }] }
  return { pod, stats: unmeasured === true ? undefined : stats }
}

describe('who goes first', () => {
  it.each<[string, Signal, Readonly<Record<string, Plan>>, readonly string[]]>([
    [
      'what exceeds its request, whatever its priority',
      'memory.available',
      { modest: { memory: 900, request: '1000' }, greedy: { memory: 20, request: '10', priority: 5 } },
      ['greedy', 'modest'],
    ],
    [
      'the less important of two that exceed it',
      'memory.available',
      { high: { memory: 500, priority: 9 }, low: { memory: 5, priority: 1 } },
      ['low', 'high'],
    ],
    [
      'what is furthest above its request',
      'memory.available',
      { a: { memory: 500, request: '400' }, b: { memory: 300, request: '10' }, c: { memory: 350, request: '200' } },
      ['b', 'c', 'a'],
    ],
    [
      'what was never measured',
      'memory.available',
      { known: { memory: 500 }, fresh: { unmeasured: true, priority: 9 } },
      ['fresh', 'known'],
    ],
    [
      'what holds most of the disk',
      'nodefs.available',
      { small: { disk: 5 }, large: { disk: 50 }, none: { disk: 0 } },
      ['large', 'small', 'none'],
    ],
    ['the most processes', 'pid.available', { few: { pids: 3 }, many: { pids: 300 } }, ['many', 'few']],
  ])('%s', (_name, signal, plans, expected) => {
    const candidates = Object.entries(plans).map(([name, plan]) => candidate(name, plan))
    expect(ranked(candidates, signal).map(({ pod }) => pod.metadata.name)).toEqual(expected)
  })
})

describe('what it is told', () => {
  const met = (signal: Signal) => ({
    signal,
    value: '100Mi',
    gracePeriodMs: 0,
    amount: 100 * 1024 ** 2,
    available: 50 * 1024 ** 2,
  })

  it('names the containers that take more than they asked for', () => {
    expect(evictionText(candidate('x', { memory: 1024 ** 3 }), met('memory.available'))).toEqual({
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container app was using 1Gi, request is 0, has larger consumption of memory. ',
      annotations: { offending_containers: 'app', offending_containers_usage: '1Gi', starved_resource: 'memory' },
    })
  })

  it('names nobody where all keep to their requests', () => {
    const text = evictionText(candidate('x', { memory: 10, request: '1Gi' }), met('memory.available'))
    expect(text.message).toBe('The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ')
  })
})
