import { expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { isPodTerminated } from './pods.ts'

type Status = NonNullable<Pod['status']>
type State = NonNullable<NonNullable<Status['containerStatuses']>[number]['state']>

const pod = (status: Status, isDeleted = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...(isDeleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
  spec: { containers: [] },
  status,
})
const of = (...states: State[]): Status => ({
  phase: 'Running',
  containerStatuses: states.map((state) => ({
    name: 'c',
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 0,
    state,
  })),
})
const [running, waiting, ended] = [{ running: {} }, { waiting: {} }, { terminated: { exitCode: 0 } }]

it.each<readonly [string, Pod, boolean]>([
  ['has finished', pod({ phase: 'Failed' }, false), true],
  ['waits, and is not deleted', pod(of(waiting), false), false],
  ['is deleted, and runs', pod(of(ended, running)), false],
  ['is deleted, and runs nothing', pod(of(ended, waiting)), true],
])('a pod that %s', (_, one, expected) => {
  expect(isPodTerminated(one)).toBe(expected)
})
