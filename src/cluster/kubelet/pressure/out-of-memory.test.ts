import { expect, it } from 'vitest'
import type { Pod, PodStatus } from '#kinds'
import { oomText, oomVictim, scoreAdjustment } from './out-of-memory.ts'
import type { Candidate } from './ranking.ts'

const pod = (name: string, qosClass: NonNullable<PodStatus['qosClass']>, memory?: string, priority = 0): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name },
  spec: {
    priority,
    containers: [
      {
        name: 'app',
        image: 'quay.io/acme/api:1',
        ...(memory === undefined ? {} : { resources: { requests: { memory } } }),
      },
    ],
  },
  status: { qosClass },
})

it.each<[string, Pod, number]>([
  ['guaranteed', pod('p', 'Guaranteed', '1Gi'), -997],
  ['best effort', pod('p', 'BestEffort'), 1000],
  ['half of the node', pod('p', 'Burstable', '4Gi'), 500],
  ['next to nothing', pod('p', 'Burstable', '1Ki'), 999],
  ['all of the node', pod('p', 'Burstable', '8Gi'), 3],
  ['critical', pod('p', 'BestEffort', undefined, 2_000_001_000), -997],
])('the score of what is %s', (_name, one, expected) => {
  expect(scoreAdjustment(one, 'app', 8 * 1024 ** 3)).toBe(expected)
})

it('falls on the largest of those that asked for nothing', () => {
  const of = (one: Pod, memory: number): Candidate => ({
    pod: one,
    stats: { memory, disk: 0, inodes: 0, pids: 0, containers: [{ name: 'app', memory, disk: 0 }] },
  })
  const victim = oomVictim(
    [of(pod('a', 'Burstable', '1Gi'), 5000), of(pod('b', 'BestEffort'), 100), of(pod('c', 'BestEffort'), 200)],
    8000,
  )
  expect(victim).toMatchObject({ pod: { metadata: { name: 'c' } }, container: 'app' })
  expect(victim && oomText(victim)).toMatch(/^System OOM encountered, victim process: api, pid: \d+$/)
})
