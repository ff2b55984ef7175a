import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import type { Room } from '../node/node-runtime.ts'
import { decideMemory, decideRoom, resizeSummary } from './resize-room.ts'

const room = ([milliCpu, memory]: readonly [number, number]): Room => ({
  allocatable: new Map([
    ['cpu', 2000],
    ['memory', 1000],
    ['pods', 10],
  ]),
  pressures: new Set(),
  object: () => undefined,
  podCount: 1,
  milliCpu,
  memory,
  ephemeralStorage: 0,
  takenPorts: [],
  extendedInUse: () => 0,
})

const asking = (milliCpu: number, memory: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'app', resources: { requests: { cpu: `${milliCpu}m`, memory: `${memory}` } } }] },
})

describe('decideRoom', () => {
  it.each([
    ['fits', [1500, 500], [500, 500], undefined],
    ['the others take too much', [1500, 100], [1000, 0], 'Deferred cpu, requested: 1500, used: 1000, capacity: 2000'],
    [
      'too much memory beside the others',
      [100, 600],
      [0, 600],
      'Deferred memory, requested: 600, used: 600, capacity: 1000',
    ],
    ['more than the node has', [3000, 100], [0, 0], 'Infeasible cpu, requested: 3000, capacity: 2000'],
    ['memory is named first', [3000, 2000], [0, 0], 'Infeasible memory, requested: 2000, capacity: 1000'],
  ] as const)('%s', (_name, [milliCpu, memory], others, expected) => {
    const found = decideRoom(asking(milliCpu, memory), room(others))
    const text = found && `${found.reason} ${found.message.replace(/^Node didn't have enough \w+: /, '')}`
    expect(text).toBe(expected)
  })

  it('waits for whatever keeps new pods away', () => {
    const pressed = { ...room([0, 0]), pressures: new Set(['DiskPressure'] as const) }
    expect(decideRoom(asking(1, 1), pressed)).toEqual({
      reason: 'Deferred',
      message: 'The node had condition: [DiskPressure]. ',
    })
  })
})

describe('decideMemory', () => {
  const container = (name: string, before: number, wanted: number, used: number, inPlace = true) => ({
    name,
    inPlace,
    before,
    wanted,
    used,
  })

  it.each([
    ['more', [container('a', 100, 200, 90)], undefined],
    ['less than before, and more than is used', [container('a', 200, 100, 90)], undefined],
    [
      'what is used to the last byte',
      [container('a', 200, 100, 100)],
      '[attempting to set pod memory limit (100) below current usage (100), ' +
        'attempting to set container "a" memory limit (100) below current usage (100)]',
    ],
    [
      'from one container for the other: the pod keeps what it has',
      [container('a', 200, 100, 150), container('b', 100, 300, 50)],
      'attempting to set container "a" memory limit (100) below current usage (200)',
    ],
    [
      'a first limit',
      [container('a', 0, 100, 150), container('b', 0, 0, 50)],
      'attempting to set container "a" memory limit (100) below current usage (200)',
    ],
    ['of a container that is started anew', [container('a', 200, 100, 0, false)], undefined],
  ] as const)('%s', (_name, containers, expected) => {
    expect(decideMemory(containers)).toBe(expected && `cannot decrease memory limits: ${expected}`)
  })
})

describe('resizeSummary', () => {
  it('names all containers, init containers first, with sorted amounts', () => {
    const summary = resizeSummary({
      initContainers: [{ name: 'setup' }],
      containers: [{ name: 'app', resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { cpu: '2' } } }],
    })
    expect(summary).toBe(
      '{"initContainers":[{"name":"setup","resources":{}}],' +
        '"containers":[{"name":"app","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1","memory":"1Gi"}}}]}',
    )
  })
})
